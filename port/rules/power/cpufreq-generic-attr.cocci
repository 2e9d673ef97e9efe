// SPDX-License-Identifier: GPL-2.0-only
/// The core shows the available frequencies of every driver that has a table: the
/// generic attributes need not be named, and their array is gone. Arrays of the
/// driver's own are left.
//
// Title: drop cpufreq_generic_attr
// Replaces: cpufreq_generic_attr
// Needs: struct cpufreq_driver.attr
// Since: 6.16
// Confidence: High
// Risk: safe

@@ identifier D; @@
  struct cpufreq_driver D = {
- .attr = cpufreq_generic_attr,
  };
