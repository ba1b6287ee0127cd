/*
 * open(2) for root on behalf of another user (process.h, user_expect): that user may
 * own a folder on the way, and must not lead root by it to a file that only root may have.
 *
 * Main thread, while there is no other one, as far as it guards; else as open(2).
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_GUARDED_OPEN_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_GUARDED_OPEN_H

#include <stdbool.h>
#include <sys/types.h>

/* From now on, or no longer. */
void guarded_open_set(bool guards);

/*
 * As open(2), with O_CLOEXEC. While it guards, no symbolic link is followed that is not root's, in
 * any part of the path, and no file is opened that is a hard link, in a folder that others may
 * write to, to a file of another owner: -1 with errno EXDEV, which
 * open(2) has for nothing else.
 */
int guarded_open(const char *path, int flags, mode_t mode);

/* What errno says of a failed one: the system's text, or what was guarded against. */
const char *guarded_open_why(int number);

#endif
