// SPDX-License-Identifier: GPL-2.0-only
/// The characters that wait to be sent stand in a kfifo of the tty port, which
/// took the place of the circular buffer in struct uart_state.
/// uart_fifo_get() takes one out and counts it, uart_xmit_advance() drops and
/// counts those that were sent from the buffer, kfifo_out_linear() says how
/// many lie behind one another before its end.
//
// Title: send from the port's kfifo
// Replaces: struct uart_state.xmit, uart_circ_empty, uart_circ_chars_pending, uart_circ_clear
// Needs: struct tty_port.xmit_fifo, uart_fifo_get, uart_xmit_advance, kfifo_out_linear
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

@a exists@ identifier Y; expression P; @@
- struct circ_buf *Y;
+ struct tty_port *Y;
  ... when any
- Y = &P->state->xmit;
+ Y = &P->state->port;

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

@@ identifier r.X; expression r.P; expression C; @@
- C = \( X->buf[X->tail] \| (X->buf[X->tail]) & 0xff \);
+ { unsigned char ch = 0; uart_fifo_get(&P, &ch); C = ch; }
  ... when != X->tail
- X->tail = \( (X->tail + 1) & (UART_XMIT_SIZE - 1) \| (X->tail + 1) % UART_XMIT_SIZE \);
- P.icount.tx++;

@@ identifier r.X; expression N, T; @@
- if (((X->tail + N) & (UART_XMIT_SIZE - 1)) < X->tail)
+ if (kfifo_out_linear(&X->xmit_fifo, NULL, N) < N)
  {
  ...
- T = UART_XMIT_SIZE - X->tail;
+ T = kfifo_out_linear(&X->xmit_fifo, NULL, UART_XMIT_SIZE);
  ...
  }
  else { ... }

@@ identifier r.X, F; expression r.P; expression list A; identifier N; @@
- F(A, &(X->buf[X->tail]), N);
+ { unsigned char *from; N = kfifo_out_linear_ptr(&X->xmit_fifo, &from, N); F(A, from, N); uart_xmit_advance(&P, N); }
(
- X->tail += N;
- X->tail &= (UART_XMIT_SIZE - 1);
|
- X->tail = (X->tail + N) & (UART_XMIT_SIZE - 1);
)
- P.icount.tx += N;

@@ identifier r.X; @@
(
- CIRC_CNT(X->head, X->tail, UART_XMIT_SIZE)
+ kfifo_len(&X->xmit_fifo)
|
- CIRC_CNT_TO_END(X->head, X->tail, UART_XMIT_SIZE)
+ kfifo_out_linear(&X->xmit_fifo, NULL, UART_XMIT_SIZE)
)

@@ identifier p.Y; expression p.P; expression C; @@
- C = \( Y->buf[Y->tail] \| (Y->buf[Y->tail]) & 0xff \);
+ { unsigned char ch = 0; uart_fifo_get(P, &ch); C = ch; }
  ... when != Y->tail
- Y->tail = \( (Y->tail + 1) & (UART_XMIT_SIZE - 1) \| (Y->tail + 1) % UART_XMIT_SIZE \);
- P->icount.tx++;

@@ identifier p.Y; expression N, T; @@
- if (((Y->tail + N) & (UART_XMIT_SIZE - 1)) < Y->tail)
+ if (kfifo_out_linear(&Y->xmit_fifo, NULL, N) < N)
  {
  ...
- T = UART_XMIT_SIZE - Y->tail;
+ T = kfifo_out_linear(&Y->xmit_fifo, NULL, UART_XMIT_SIZE);
  ...
  }
  else { ... }

@@ identifier p.Y, F; expression p.P; expression list A; identifier N; @@
- F(A, &(Y->buf[Y->tail]), N);
+ { unsigned char *from; N = kfifo_out_linear_ptr(&Y->xmit_fifo, &from, N); F(A, from, N); uart_xmit_advance(P, N); }
(
- Y->tail += N;
- Y->tail &= (UART_XMIT_SIZE - 1);
|
- Y->tail = (Y->tail + N) & (UART_XMIT_SIZE - 1);
)
- P->icount.tx += N;

@@ identifier p.Y; @@
(
- CIRC_CNT(Y->head, Y->tail, UART_XMIT_SIZE)
+ kfifo_len(&Y->xmit_fifo)
|
- CIRC_CNT_TO_END(Y->head, Y->tail, UART_XMIT_SIZE)
+ kfifo_out_linear(&Y->xmit_fifo, NULL, UART_XMIT_SIZE)
)

@@ identifier a.Y; expression a.P; expression C; @@
- C = \( Y->buf[Y->tail] \| (Y->buf[Y->tail]) & 0xff \);
+ { unsigned char ch = 0; uart_fifo_get(P, &ch); C = ch; }
  ... when != Y->tail
- Y->tail = \( (Y->tail + 1) & (UART_XMIT_SIZE - 1) \| (Y->tail + 1) % UART_XMIT_SIZE \);
- P->icount.tx++;

@@ identifier a.Y; expression N, T; @@
- if (((Y->tail + N) & (UART_XMIT_SIZE - 1)) < Y->tail)
+ if (kfifo_out_linear(&Y->xmit_fifo, NULL, N) < N)
  {
  ...
- T = UART_XMIT_SIZE - Y->tail;
+ T = kfifo_out_linear(&Y->xmit_fifo, NULL, UART_XMIT_SIZE);
  ...
  }
  else { ... }

@@ identifier a.Y, F; expression a.P; expression list A; identifier N; @@
- F(A, &(Y->buf[Y->tail]), N);
+ { unsigned char *from; N = kfifo_out_linear_ptr(&Y->xmit_fifo, &from, N); F(A, from, N); uart_xmit_advance(P, N); }
(
- Y->tail += N;
- Y->tail &= (UART_XMIT_SIZE - 1);
|
- Y->tail = (Y->tail + N) & (UART_XMIT_SIZE - 1);
)
- P->icount.tx += N;

@@ identifier a.Y; @@
(
- CIRC_CNT(Y->head, Y->tail, UART_XMIT_SIZE)
+ kfifo_len(&Y->xmit_fifo)
|
- CIRC_CNT_TO_END(Y->head, Y->tail, UART_XMIT_SIZE)
+ kfifo_out_linear(&Y->xmit_fifo, NULL, UART_XMIT_SIZE)
)

@@ identifier a.Y; @@
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
