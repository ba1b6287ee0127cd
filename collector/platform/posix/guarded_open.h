/*
 * open(2) for root on behalf of another user (process.h, user_expect). That user may own a folder
 * on the path, and must not lead root through it to a file that only root may open. While the guard
 * is on, only the main thread may open, before other threads exist; otherwise this is like open(2).
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_GUARDED_OPEN_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_GUARDED_OPEN_H

#include <stdbool.h>
#include <sys/types.h>

/* Turns the guard on or off. */
void guarded_open_set(bool guards);

/*
 * Like open(2) with O_CLOEXEC. While the guard is on, two cases fail with errno EXDEV, which
 * open(2) does not use: a symbolic link that root does not own, in any part of the path; and, in a
 * folder that others may write to, a hard link to a file of another owner.
 */
int guarded_open(const char *path, int flags, mode_t mode);

/* Returns the text for the errno of a failed call: the system's text, or the guard's reason. */
const char *guarded_open_why(int number);

#endif
