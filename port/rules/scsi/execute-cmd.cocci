// SPDX-License-Identifier: GPL-2.0-only
/// scsi_execute_req() and scsi_execute() were replaced by scsi_execute_cmd(): the
/// direction is told by the operation, what is optional stands in struct
/// scsi_exec_args. They made an operation out of the direction like this:
/// DMA_TO_DEVICE is output, all else input.
//
// Title: use scsi_execute_cmd() in place of scsi_execute_req()
// Replaces: scsi_execute_req, scsi_execute
// Needs: scsi_execute_cmd/8, struct scsi_exec_args.sshdr, struct scsi_exec_args.resid
// Since: 6.3
// Confidence: Moderate
// Risk: review

@@ expression D, C, X, B, L, H, T, R, N; @@
(
- scsi_execute_req(D, C, DMA_TO_DEVICE, B, L, NULL, T, R, NULL)
+ scsi_execute_cmd(D, C, REQ_OP_DRV_OUT, B, L, T, R, NULL)
|
- scsi_execute_req(D, C, \( DMA_FROM_DEVICE \| DMA_NONE \), B, L, NULL, T, R, NULL)
+ scsi_execute_cmd(D, C, REQ_OP_DRV_IN, B, L, T, R, NULL)
|
- scsi_execute_req(D, C, X, B, L, NULL, T, R, NULL)
+ scsi_execute_cmd(D, C, X == DMA_TO_DEVICE ? REQ_OP_DRV_OUT : REQ_OP_DRV_IN, B, L, T, R, NULL)
|
- scsi_execute_req(D, C, DMA_TO_DEVICE, B, L, H, T, R, NULL)
+ scsi_execute_cmd(D, C, REQ_OP_DRV_OUT, B, L, T, R, &(const struct scsi_exec_args){ .sshdr = H })
|
- scsi_execute_req(D, C, \( DMA_FROM_DEVICE \| DMA_NONE \), B, L, H, T, R, NULL)
+ scsi_execute_cmd(D, C, REQ_OP_DRV_IN, B, L, T, R, &(const struct scsi_exec_args){ .sshdr = H })
|
- scsi_execute_req(D, C, X, B, L, H, T, R, NULL)
+ scsi_execute_cmd(D, C, X == DMA_TO_DEVICE ? REQ_OP_DRV_OUT : REQ_OP_DRV_IN, B, L, T, R, &(const struct scsi_exec_args){ .sshdr = H })
|
- scsi_execute_req(D, C, X, B, L, H, T, R, N)
+ scsi_execute_cmd(D, C, X == DMA_TO_DEVICE ? REQ_OP_DRV_OUT : REQ_OP_DRV_IN, B, L, T, R, &(const struct scsi_exec_args){ .sshdr = H, .resid = N })
)

@@ expression D, C, X, B, L, H, T, R, F; @@
(
- scsi_execute(D, C, DMA_TO_DEVICE, B, L, NULL, H, T, R, F, 0, NULL)
+ scsi_execute_cmd(D, C, REQ_OP_DRV_OUT | F, B, L, T, R, &(const struct scsi_exec_args){ .sshdr = H })
|
- scsi_execute(D, C, \( DMA_FROM_DEVICE \| DMA_NONE \), B, L, NULL, H, T, R, F, 0, NULL)
+ scsi_execute_cmd(D, C, REQ_OP_DRV_IN | F, B, L, T, R, &(const struct scsi_exec_args){ .sshdr = H })
)
