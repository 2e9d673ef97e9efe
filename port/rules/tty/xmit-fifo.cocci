// SPDX-License-Identifier: GPL-2.0-only
/// The characters that wait to be sent stand in a kfifo of the tty port, which
/// took the place of the circular buffer in struct uart_state.
/// uart_fifo_get() takes one out and counts it.
//
// Title: send from the port's kfifo
// Replaces: struct uart_state.xmit, uart_circ_empty, uart_circ_chars_pending, uart_circ_clear
// Needs: struct tty_port.xmit_fifo, uart_fifo_get
// Include: linux/kfifo.h
// Since: 6.10
// Commit: 1788cf6a91d9
// Confidence: Moderate
// Risk: review

@r@ identifier X; expression P; @@
- struct circ_buf *X = &P.state->xmit;
+ struct tty_port *X = &P.state->port;

@p@ identifier Y; expression P; @@
- struct circ_buf *Y = &P->state->xmit;
+ struct tty_port *Y = &P->state->port;

@@ identifier r.X; expression r.P, A; identifier F; @@
(
- F(X->buf[X->tail], A);
- X->tail = (X->tail + 1) & (UART_XMIT_SIZE - 1);
- P.icount.tx++;
+ { unsigned char ch; if (uart_fifo_get(&P, &ch)) F(ch, A); }
|
- F(X->buf[X->tail], A);
- uart_xmit_advance(&P, 1);
+ { unsigned char ch; if (uart_fifo_get(&P, &ch)) F(ch, A); }
)

@@ identifier r.X; expression r.P, A, B; identifier F; @@
(
- F(A, B, X->buf[X->tail]);
- X->tail = (X->tail + 1) & (UART_XMIT_SIZE - 1);
- P.icount.tx++;
+ { unsigned char ch; if (uart_fifo_get(&P, &ch)) F(A, B, ch); }
|
- F(A, B, X->buf[X->tail]);
- uart_xmit_advance(&P, 1);
+ { unsigned char ch; if (uart_fifo_get(&P, &ch)) F(A, B, ch); }
)

@@ identifier p.Y; expression p.P, A; identifier F; @@
(
- F(Y->buf[Y->tail], A);
- Y->tail = (Y->tail + 1) & (UART_XMIT_SIZE - 1);
- P->icount.tx++;
+ { unsigned char ch; if (uart_fifo_get(P, &ch)) F(ch, A); }
|
- F(Y->buf[Y->tail], A);
- uart_xmit_advance(P, 1);
+ { unsigned char ch; if (uart_fifo_get(P, &ch)) F(ch, A); }
)

@@ identifier p.Y; expression p.P, A, B; identifier F; @@
(
- F(A, B, Y->buf[Y->tail]);
- Y->tail = (Y->tail + 1) & (UART_XMIT_SIZE - 1);
- P->icount.tx++;
+ { unsigned char ch; if (uart_fifo_get(P, &ch)) F(A, B, ch); }
|
- F(A, B, Y->buf[Y->tail]);
- uart_xmit_advance(P, 1);
+ { unsigned char ch; if (uart_fifo_get(P, &ch)) F(A, B, ch); }
)

@@ identifier r.X; @@
(
- uart_circ_empty(X)
+ kfifo_is_empty(&X->xmit_fifo)
|
- uart_circ_chars_pending(X)
+ kfifo_len(&X->xmit_fifo)
|
- uart_circ_clear(X)
+ kfifo_reset(&X->xmit_fifo)
)

@@ identifier p.Y; @@
(
- uart_circ_empty(Y)
+ kfifo_is_empty(&Y->xmit_fifo)
|
- uart_circ_chars_pending(Y)
+ kfifo_len(&Y->xmit_fifo)
|
- uart_circ_clear(Y)
+ kfifo_reset(&Y->xmit_fifo)
)
