/*
 * open(2) for root on behalf of another user (process.h, user_expect): that user may own a folder
 * on the path, and must not lead root through it to a file that only root may open. While it
 * guards, only from the main thread before there are others; otherwise like open(2).
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_GUARDED_OPEN_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_GUARDED_OPEN_H

#include <stdbool.h>
#include <sys/types.h>

/* Turns the guarding on or off. */
void guarded_open_set(bool guards);

/*
 * Like open(2) with O_CLOEXEC. While it guards, it refuses with errno EXDEV, which open(2) does not
 * use: a symbolic link in any part of the path that is not root's, and a hard link, in a folder
 * that others may write to, to a file of another owner.
 */
int guarded_open(const char *path, int flags, mode_t mode);

/* The text for the errno of a failed call: the system's, or what was guarded against. */
const char *guarded_open_why(int number);

#endif
