// SPDX-License-Identifier: GPL-2.0-only
/// The hardware address of a net device is const, since it is kept in a tree.
/// What wrote into it fills an array that eth_hw_addr_set() takes, or changes
/// single bytes with dev_addr_mod().
//
// Title: write the hardware address through the net core
// Replaces: struct net_device.dev_addr:unsigned char *
// Needs: eth_hw_addr_set, dev_addr_mod, __dev_addr_set
// Include: linux/etherdevice.h
// Since: 5.17
// Commit: adeef3e32146
// Confidence: Moderate
// Risk: review

@ether@
identifier f, i;
expression D, E;
@@
 f(...)
 {
+	u8 addr[ETH_ALEN];
 	<+...
	for (i = 0; i < \(6\|ETH_ALEN\|D->addr_len\); i++)
-		D->dev_addr[i] = E;
+		addr[i] = E;
+	eth_hw_addr_set(D, addr);
	...+>
 }

@@
expression D, I, E;
@@
(
- D->dev_addr[I] = E;
+ {
+	const u8 byte = E;
+
+	dev_addr_mod(D, I, &byte, 1);
+ }
|
- D->dev_addr[I] |= E;
+ {
+	const u8 byte = D->dev_addr[I] | (E);
+
+	dev_addr_mod(D, I, &byte, 1);
+ }
|
- D->dev_addr[I] &= E;
+ {
+	const u8 byte = D->dev_addr[I] & (E);
+
+	dev_addr_mod(D, I, &byte, 1);
+ }
|
- D->dev_addr[I] ^= E;
+ {
+	const u8 byte = D->dev_addr[I] ^ (E);
+
+	dev_addr_mod(D, I, &byte, 1);
+ }
)

@@
expression D, A, N;
@@
(
  memcpy(D->dev_addr, A, \(6\|ETH_ALEN\|D->addr_len\))
|
- memcpy(D->dev_addr, A, N)
+ __dev_addr_set(D, A, N)
)

@@
expression D, P;
@@
- eth_platform_get_mac_address(P, D->dev_addr)
+ platform_get_ethdev_address(P, D)

@@
expression D, P;
@@
- of_get_mac_address(P, D->dev_addr)
+ of_get_ethdev_address(P, D)
