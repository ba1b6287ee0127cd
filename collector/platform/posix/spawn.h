/*
 * Starting a program with its three standard streams, and with nothing else of ours. Of this folder
 * only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_SPAWN_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_SPAWN_H

#include <sys/types.h>

/* Descriptors that become 0, 1 and 2 of the program; each stays the caller's. */
struct spawn_streams {
    int input; /* -1: empty */
    int output;
    int errors;
};

/*
 * Starts `arguments[0]`, looked up in PATH, with the arguments up to a NULL, and gives its id. It
 * starts with no signal blocked and none of those ignored that this program ignores, with the limit
 * of open files that this program was started with, and in a process group of its own: what a
 * terminal sends to us does not reach it, and it can be ended with all that it started. Returns 0 or
 * an errno.
 */
int spawn(const char *const *arguments, const struct spawn_streams *streams, pid_t *pid);

#endif
