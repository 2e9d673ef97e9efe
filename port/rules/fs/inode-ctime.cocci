// SPDX-License-Identifier: GPL-2.0-only
/// The change time of an inode is reached through accessors, since it may carry
/// a flag and a finer clock value: i_ctime became a private member.
//
// Title: use the accessors of the inode's change time
// Replaces: struct inode.i_ctime
// Needs: inode_get_ctime, inode_set_ctime_to_ts, inode_set_ctime_current
// Since: 6.6
// Commit: 13bc24457850
// Confidence: High
// Risk: safe

@@ expression I; @@
- I->i_ctime = current_time(I)
+ inode_set_ctime_current(I)

@@ expression I; @@
- I->i_mtime = I->i_ctime = current_time(I)
+ I->i_mtime = inode_set_ctime_current(I)

@@ expression I, L; identifier F; @@
(
- L = F(timespec64_to_ns(&I->i_ctime));
+ { struct timespec64 ts = inode_get_ctime(I); L = F(timespec64_to_ns(&ts)); }
|
- L = timespec64_to_ns(&I->i_ctime);
+ { struct timespec64 ts = inode_get_ctime(I); L = timespec64_to_ns(&ts); }
)

@@ expression I, S, N; @@
- I->i_ctime.tv_sec = S;
- I->i_ctime.tv_nsec = N;
+ inode_set_ctime(I, S, N);

@@ expression I, E; @@
- I->i_ctime = E
+ inode_set_ctime_to_ts(I, E)

@@ expression I; @@
- I->i_ctime
+ inode_get_ctime(I)
