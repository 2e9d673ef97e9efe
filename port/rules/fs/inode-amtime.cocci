// SPDX-License-Identifier: GPL-2.0-only
/// Access and modification time of an inode are reached through accessors:
/// i_atime and i_mtime became private members.
//
// Title: use the accessors of the inode's times
// Replaces: struct inode.i_atime, struct inode.i_mtime
// Needs: inode_get_atime, inode_set_atime_to_ts, inode_set_mtime_to_ts, simple_inode_init_ts
// Since: 6.7
// Commit: 12cd44023651
// Confidence: High
// Risk: safe

@@ expression I; @@
(
- I->i_atime = I->i_mtime = I->i_ctime = current_time(I)
+ simple_inode_init_ts(I)
|
- I->i_mtime = I->i_atime = I->i_ctime = current_time(I)
+ simple_inode_init_ts(I)
|
- I->i_ctime = I->i_mtime = I->i_atime = current_time(I)
+ simple_inode_init_ts(I)
|
- I->i_atime = I->i_ctime = I->i_mtime = current_time(I)
+ simple_inode_init_ts(I)
|
- I->i_mtime = I->i_ctime = current_time(I)
+ inode_set_mtime_to_ts(I, inode_set_ctime_current(I))
|
- I->i_ctime = I->i_mtime = current_time(I)
+ inode_set_mtime_to_ts(I, inode_set_ctime_current(I))
)

@@ expression I, E; @@
(
- I->i_atime = I->i_mtime = E
+ inode_set_atime_to_ts(I, inode_set_mtime_to_ts(I, E))
|
- I->i_mtime = I->i_atime = E
+ inode_set_mtime_to_ts(I, inode_set_atime_to_ts(I, E))
)

@@ expression I, L; identifier F; @@
(
- L = F(timespec64_to_ns(&I->i_atime));
+ { struct timespec64 ts = inode_get_atime(I); L = F(timespec64_to_ns(&ts)); }
|
- L = timespec64_to_ns(&I->i_atime);
+ { struct timespec64 ts = inode_get_atime(I); L = timespec64_to_ns(&ts); }
|
- L = F(timespec64_to_ns(&I->i_mtime));
+ { struct timespec64 ts = inode_get_mtime(I); L = F(timespec64_to_ns(&ts)); }
|
- L = timespec64_to_ns(&I->i_mtime);
+ { struct timespec64 ts = inode_get_mtime(I); L = timespec64_to_ns(&ts); }
)

@@ expression I, S, N; @@
(
- I->i_atime.tv_sec = S;
- I->i_atime.tv_nsec = N;
+ inode_set_atime(I, S, N);
|
- I->i_mtime.tv_sec = S;
- I->i_mtime.tv_nsec = N;
+ inode_set_mtime(I, S, N);
)

@@ expression I, E; @@
(
- I->i_atime = E
+ inode_set_atime_to_ts(I, E)
|
- I->i_mtime = E
+ inode_set_mtime_to_ts(I, E)
)

@@ expression I; @@
(
- I->i_atime.tv_sec
+ inode_get_atime_sec(I)
|
- I->i_mtime.tv_sec
+ inode_get_mtime_sec(I)
|
- I->i_atime
+ inode_get_atime(I)
|
- I->i_mtime
+ inode_get_mtime(I)
)
