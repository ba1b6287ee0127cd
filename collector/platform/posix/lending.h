/*
 * System calls that open a descriptor. If no descriptor is free (EMFILE), they are repeated with a
 * descriptor from the reserve (collector/platform/process.h). Otherwise they behave like the
 * system's calls. Only for platform/. Any thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_LENDING_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_LENDING_H

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "collector/platform/process.h"

/*
 * To be called after a direct system call. If the call failed with errno EMFILE, returns the result
 * of descriptors_lend; otherwise returns false.
 */
static inline bool lending_begin(unsigned wanted, unsigned *times)
{
    return errno == EMFILE && descriptors_lend(DESCRIPTOR_OF_OWN, wanted, times);
}

static inline void lending_end(unsigned wanted)
{
    descriptors_take_back(DESCRIPTOR_OF_OWN, wanted);
}

/*
 * Returns true if a call is being repeated with a lent descriptor, which another call could take.
 */
bool lending_goes_on(void);

/*
 * lending_stop_for_program is called before another program is started. lending_go_on is called
 * afterwards with the program's process id, or 0 if it could not be started. The program gets the
 * limit that this one was started with, because some programs use select(2), which supports 1,024
 * descriptors. During the start, functions of this header that find no free descriptor wait.
 */
void lending_stop_for_program(void);
void lending_go_on(pid_t program);

/* These open descriptors for the program itself (DESCRIPTOR_OF_OWN). */
int lending_open(const char *path, int flags, mode_t mode);
int lending_openat(int folder, const char *path, int flags, mode_t mode);
int lending_pipe2(int ends[2], int flags);
int lending_socket(int domain, int type, int protocol);
int lending_duplicate(int fd); /* F_DUPFD_CLOEXEC */
DIR *lending_opendir(const char *path);

/* Calls accept4(2). The accepted connection is non-blocking. */
int lending_accept(enum descriptor_use use, int listener, struct sockaddr *name, socklen_t *size);

#endif
