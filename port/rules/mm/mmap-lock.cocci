// SPDX-License-Identifier: GPL-2.0-only
/// The semaphore mmap_sem of struct mm_struct became mmap_lock and is taken
/// through the mmap locking API only.
//
// Title: use the mmap locking API
// Replaces: struct mm_struct.mmap_sem
// Needs: mmap_read_lock, mmap_write_lock, mmap_read_trylock
// Include: linux/mmap_lock.h
// Since: 5.8
// Commit: d8ed45c5dcd4
// Confidence: High
// Risk: safe

@@ struct mm_struct *M; @@
(
- down_read(&M->mmap_sem)
+ mmap_read_lock(M)
|
- up_read(&M->mmap_sem)
+ mmap_read_unlock(M)
|
- down_read_trylock(&M->mmap_sem)
+ mmap_read_trylock(M)
|
- down_write(&M->mmap_sem)
+ mmap_write_lock(M)
|
- down_write_killable(&M->mmap_sem)
+ mmap_write_lock_killable(M)
|
- up_write(&M->mmap_sem)
+ mmap_write_unlock(M)
|
- downgrade_write(&M->mmap_sem)
+ mmap_write_downgrade(M)
)

@@ expression E; @@
(
- down_read(&E->mm->mmap_sem)
+ mmap_read_lock(E->mm)
|
- up_read(&E->mm->mmap_sem)
+ mmap_read_unlock(E->mm)
|
- down_read_trylock(&E->mm->mmap_sem)
+ mmap_read_trylock(E->mm)
|
- down_write(&E->mm->mmap_sem)
+ mmap_write_lock(E->mm)
|
- down_write_killable(&E->mm->mmap_sem)
+ mmap_write_lock_killable(E->mm)
|
- up_write(&E->mm->mmap_sem)
+ mmap_write_unlock(E->mm)
|
- downgrade_write(&E->mm->mmap_sem)
+ mmap_write_downgrade(E->mm)
)
