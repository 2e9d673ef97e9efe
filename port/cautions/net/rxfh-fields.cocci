// SPDX-License-Identifier: GPL-2.0-only
/// ETHTOOL_GRXFH and ETHTOOL_SRXFH do not come through get_rxnfc() and
/// set_rxnfc() any more: the core calls get_rxfh_fields() and set_rxfh_fields(),
/// and says -EOPNOTSUPP where there are none.
//
// Title: answer ETHTOOL_GRXFH and ETHTOOL_SRXFH in functions of their own
// Uses: ETHTOOL_GRXFH, ETHTOOL_SRXFH
// Unless: get_rxfh_fields
// Before: !struct ethtool_ops.get_rxfh_fields
// Needs: struct ethtool_ops.get_rxfh_fields
// Since: 6.17
// Confidence: High

virtual report

@r depends on report@
position p;
@@
(
 ETHTOOL_GRXFH@p
|
 ETHTOOL_SRXFH@p
)

@script:python depends on report@
p << r.p;
@@
coccilib.report.print_report(p[0], "the core does not ask this through rxnfc any more but through get_rxfh_fields() and set_rxfh_fields()")
