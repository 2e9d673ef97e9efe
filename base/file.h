/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files and directories. Writers are atomic: written aside, fsynced, renamed.
 * All functions return 0 or a kp_code with a message that names the path.
 */
#ifndef KPORT_FILE_H
#define KPORT_FILE_H

#include "base/compat.h"
#include "base/strbuf.h"
#include "base/strvec.h"

/* max 0: 1 GiB. A larger file is KP_ERR; a missing one KP_NOTFOUND. Appends to out. */
int file_read(const char *path, size_t max, struct strbuf *out, struct strbuf *err);
int file_write(const char *path, const void *data, size_t len, struct strbuf *err);
int file_write_mode(const char *path, const void *data, size_t len, mode_t mode,
		    struct strbuf *err);
/* As file_write without fsync: for caches whose readers check what they read. */
int file_write_nosync(const char *path, const void *data, size_t len, struct strbuf *err);
int file_mkdirs(const char *path, struct strbuf *err);
/* Directories that hold the file are made. */
int file_mkdirs_for(const char *path, struct strbuf *err);
/* Removes a file or a tree; does not follow symlinks; absent is success. */
int file_remove(const char *path, struct strbuf *err);
/* Gives the owner all rights on dir and the directories below it: some builds take them away. */
int file_open_dirs(const char *dir, struct strbuf *err);

enum file_copy_flags {
	FILE_COPY_REFLINK = 1 << 0,	/* clone or hard copy, never hard links */
	FILE_COPY_NO_GIT = 1 << 1,	/* leave out .git */
	FILE_COPY_INSIDE_LINKS = 1 << 2, /* symlinks that leave src are errors, not copied */
};
struct file_copy_limits {
	uint64_t bytes, files; /* 0: 4 GiB, 200000 */
};
/*
 * Copy a file or a tree. Regular files, directories and symlinks only: other
 * kinds are refused. Permission bits and times are kept, set-id bits are not.
 * An existing dst directory is merged into. limits may be NULL.
 */
int file_copy(const char *src, const char *dst, unsigned flags,
	      const struct file_copy_limits *limits, struct strbuf *err);

/* Names in dir, of any kind, sorted bytewise; a missing directory is KP_NOTFOUND. */
int file_names(const char *dir, struct strvec *out, struct strbuf *err);
/* Relative paths of all regular files below dir, sorted bytewise. */
int file_list(const char *dir, struct strvec *out, struct strbuf *err);
/*
 * Calls fn for everything below dir: directories before what they hold, names
 * sorted bytewise, symlinks not followed. A return other than 0 ends the walk
 * and is returned; FILE_WALK_SKIP leaves a directory out.
 */
struct stat;
#define FILE_WALK_SKIP 1
typedef int (*file_walk_fn)(const char *rel, const struct stat *st, void *payload,
			    struct strbuf *err);
int file_walk(const char *dir, file_walk_fn fn, void *payload, struct strbuf *err);

/*
 * Before hours of work: can the file be made or replaced? KP_ERR: its directory is not
 * there, or it is no regular file; KP_INFRA: nothing can be written there.
 */
int file_check_out(const char *path, struct strbuf *err);

bool file_exists(const char *path);
bool file_is_dir(const char *path);
uint64_t file_size(const char *path);	/* 0 when absent */
char *file_realpath(const char *path);	/* newly allocated or NULL */
char *path_join(const char *a, const char *b); /* an absolute b wins */
const char *path_base(const char *path);
char *path_dir(const char *path);	/* newly allocated */
/* Relative, no ".", ".." or empty component, no newline: may be joined to a directory. */
bool path_is_safe(const char *rel);
/*
 * path as seen from cwd (NULL: as it is), without ".", ".." and doubled slashes; what is
 * relative even so stays. By name only, newly allocated.
 */
char *path_absolute(const char *cwd, const char *path);
/*
 * path as seen from dir when it lies inside (dir itself: ""), else NULL; a
 * pointer into path. By name only: realpath both first when links matter.
 */
const char *path_inside(const char *dir, const char *path);
int file_mkdtemp(const char *parent, const char *prefix, char **out, struct strbuf *err);
uint64_t disk_free(const char *path);	/* bytes available to us, 0 on error */

/*
 * XDG directories, relocatable: KPORT_CACHE_HOME, KPORT_STATE_HOME or the XDG
 * variables; else ~/.cache/kport, ~/.local/state/kport. Newly allocated.
 */
char *kport_cache_dir(void);
char *kport_state_dir(void);

/* Data files shipped with kport: KPORT_DATA_DIR, the source tree, or the installed place. */
char *kport_data_path(const char *rel);
/* Helper programs: KPORT_LIBEXEC_DIR, libexec/ of the build tree, or the installed place. */
char *kport_libexec_path(const char *name);

#endif
