// SPDX-License-Identifier: GPL-2.0-only
/// The state of an inode is read through inode_state_read_once(): i_state became
/// an object of its own. Writes need the inode's lock and are left alone.
//
// Title: use inode_state_read_once() to read an inode's state
// Replaces: struct inode.i_state:unsigned long, struct inode.i_state:u32
// Needs: inode_state_read_once
// Since: 6.19
// Confidence: High
// Risk: review

@@ struct inode *I; expression F; @@
- I->i_state & F
+ inode_state_read_once(I) & F

@@ struct inode *I; @@
- READ_ONCE(I->i_state)
+ inode_state_read_once(I)
