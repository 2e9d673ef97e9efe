// SPDX-License-Identifier: GPL-2.0-only
/// The UDP tunnel functions take the struct sock itself.
//
// Title: pass struct sock to the UDP tunnel functions
// Replaces: setup_udp_tunnel_sock~struct socket *, udp_tunnel_sock_release~struct socket *
// Needs: setup_udp_tunnel_sock~struct sock *, udp_tunnel_sock_release~struct sock *
// Confidence: Moderate
// Risk: review

@@ struct socket *S; expression N, C; @@
- setup_udp_tunnel_sock(N, S, C)
+ setup_udp_tunnel_sock(N, S->sk, C)

@@ struct socket *S; @@
- udp_tunnel_sock_release(S)
+ udp_tunnel_sock_release(S->sk)
