// SPDX-License-Identifier: GPL-2.0-only
/// A port keeps the time of one frame in nanoseconds instead of the time, in
/// jiffies, that its whole FIFO takes: uart_fifo_timeout() computes that.
//
// Title: use uart_fifo_timeout() in place of uart_port's timeout
// Replaces: struct uart_port.timeout
// Needs: uart_fifo_timeout, struct uart_port.frame_time
// Since: 6.0
// Commit: f9008285bb69
// Confidence: High
// Risk: safe

@@ struct uart_port P; @@
- P.timeout
+ uart_fifo_timeout(&P)

@@ struct uart_port *Q; @@
- Q->timeout
+ uart_fifo_timeout(Q)
