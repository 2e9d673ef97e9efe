// SPDX-License-Identifier: GPL-2.0-only
/// The hardware address of a net device is const, since it is kept in a tree:
/// it changes through dev_addr_set(), eth_hw_addr_set() and their kind.
//
// Title: use eth_hw_addr_set() to change the hardware address
// Replaces: struct net_device.dev_addr:unsigned char *
// Needs: eth_hw_addr_set, dev_addr_set
// Include: linux/etherdevice.h
// Since: 5.17
// Commit: adeef3e32146
// Confidence: High
// Risk: safe

@@ expression D, A; @@
(
- memcpy(D->dev_addr, A, ETH_ALEN)
+ eth_hw_addr_set(D, A)
|
- memcpy(D->dev_addr, A, 6)
+ eth_hw_addr_set(D, A)
|
- memcpy(D->dev_addr, A, D->addr_len)
+ dev_addr_set(D, A)
|
- ether_addr_copy(D->dev_addr, A)
+ eth_hw_addr_set(D, A)
|
- eth_random_addr(D->dev_addr)
+ eth_hw_addr_random(D)
)
