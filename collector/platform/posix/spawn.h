/*
 * Starts a program with its three standard streams and without any other open descriptor of this
 * process. Only for this folder.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_SPAWN_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_SPAWN_H

#include <sys/types.h>

/* Descriptors that become 0, 1 and 2 of the program; the caller still owns them. */
struct spawn_streams {
    int input; /* -1: no input */
    int output;
    int errors;
};

/*
 * Starts `arguments[0]`, found by PATH, with the arguments up to a NULL, and stores its process id.
 * The program starts with no blocked signal, without the ignored signals of this process, and with
 * the limit of open files that this process was started with. It has a process group of its own: a
 * terminal's signals to us do not reach it, and it can be killed with all processes that it
 * started. Returns 0 or an errno.
 */
int spawn(const char *const *arguments, const struct spawn_streams *streams, pid_t *pid);

#endif
