// SPDX-License-Identifier: GPL-2.0-only
/// The member vm_flags of struct vm_area_struct is const: it changes under the
/// write lock of the memory map only, through vm_flags_set(), vm_flags_clear(),
/// vm_flags_mod() and vm_flags_reset(), which assert that lock. Drivers change
/// it in their mmap callbacks, where the lock is held.
//
// Title: use vm_flags_set() and friends to change vm_flags
// Replaces: struct vm_area_struct.vm_flags:vm_flags_t,
//	struct vm_area_struct.vm_flags:unsigned long
// Needs: vm_flags_set, vm_flags_clear, vm_flags_mod, vm_flags_reset
// Include: linux/mm.h
// Since: 6.3
// Commit: 1c71222e5f23
// Confidence: High
// Risk: safe

@@ struct vm_area_struct *V; expression F, G; @@
(
- V->vm_flags |= F;
+ vm_flags_set(V, F);
|
- V->vm_flags &= ~(F);
+ vm_flags_clear(V, F);
|
- V->vm_flags &= ~F;
+ vm_flags_clear(V, F);
|
- V->vm_flags = V->vm_flags | F;
+ vm_flags_set(V, F);
|
- V->vm_flags = V->vm_flags & ~F;
+ vm_flags_clear(V, F);
|
- V->vm_flags = (V->vm_flags | F) & ~G;
+ vm_flags_mod(V, F, G);
|
- V->vm_flags = (V->vm_flags & ~G) | F;
+ vm_flags_mod(V, F, G);
|
- V->vm_flags = F;
+ vm_flags_reset(V, F);
)

@@ expression E, F, G; @@
(
- E->vma->vm_flags |= F;
+ vm_flags_set(E->vma, F);
|
- E->vma->vm_flags &= ~(F);
+ vm_flags_clear(E->vma, F);
|
- E->vma->vm_flags &= ~F;
+ vm_flags_clear(E->vma, F);
|
- E->vma->vm_flags = E->vma->vm_flags | F;
+ vm_flags_set(E->vma, F);
|
- E->vma->vm_flags = E->vma->vm_flags & ~F;
+ vm_flags_clear(E->vma, F);
|
- E->vma->vm_flags = (E->vma->vm_flags | F) & ~G;
+ vm_flags_mod(E->vma, F, G);
|
- E->vma->vm_flags = (E->vma->vm_flags & ~G) | F;
+ vm_flags_mod(E->vma, F, G);
|
- E->vma->vm_flags = F;
+ vm_flags_reset(E->vma, F);
)
