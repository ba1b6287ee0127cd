/*
 * Opens files like open(2), but other users cannot redirect the open to another file.
 *
 * Files to write: in a folder that all users may write to, such as /tmp, a symbolic link or a file
 * is used only if this user, root or the folder's owner has put it there. The kernel's
 * fs.protected_symlinks and fs.protected_regular (proc(5)) do the same, but they may be off, and
 * need the sticky bit. Any thread.
 *
 * Any file that root opens on behalf of another user (process.h, user_expect): that user may own a
 * folder on the path, and must not lead root to a file that only root may open. guarded_open_set
 * turns on this guard. While it is on, only the main thread may open files, before other threads
 * exist.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_GUARDED_OPEN_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_GUARDED_OPEN_H

#include <stdbool.h>
#include <sys/types.h>

/* Turns the guard for files opened on behalf of another user on or off. */
void guarded_open_set(bool guards);

/*
 * Opens a file like open(2); the flags include O_CLOEXEC. Fails with errno EXDEV, which open(2)
 * does not use, in these cases:
 *
 * - To write, or with O_PATH: a symbolic link in any part of the path, or the file, is not trusted.
 * - While the guard is on: a symbolic link in any part of the path is not root's or, in a folder
 *   that others may write to, the file is a hard link to a file of another owner.
 */
int guarded_open(const char *path, int flags, mode_t mode);

/*
 * Returns the text for the errno of a failed guarded_open: the system's text, or the guard's
 * reason.
 */
const char *guarded_open_why(int number);

#endif
