/*
 * The calls that open a descriptor, each with those that are kept back for its use
 * (collector/platform/process.h): where there is none (EMFILE) it is made again with these.
 * The rest is as the system's call has it. Of platform/ only. Any thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_LENDING_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_LENDING_H

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "collector/platform/process.h"

/* As descriptors_lend, after a system call of the program's own that failed as errno says. */
static inline bool lending_begin(unsigned wanted, unsigned *times)
{
    return errno == EMFILE && descriptors_lend(DESCRIPTOR_OF_OWN, wanted, times);
}

static inline void lending_end(unsigned wanted)
{
    descriptors_take_back(DESCRIPTOR_OF_OWN, wanted);
}

/* Whether a call is being made again: another one could get what is lent for it. */
bool lending_goes_on(void);

/*
 * Around the start of another program, which has the limit that this one was started with: some use
 * select(2), which knows 1,024 descriptors. A call above that finds no descriptor in between waits
 * for the end of it. `program`: its process, or 0 where it could not be started.
 */
void lending_stop_for_program(void);
void lending_go_on(pid_t program);

/* For what the program opens itself. */
int lending_open(const char *path, int flags, mode_t mode);
int lending_openat(int folder, const char *path, int flags, mode_t mode);
int lending_pipe2(int ends[2], int flags);
int lending_socket(int domain, int type, int protocol);
int lending_duplicate(int fd); /* F_DUPFD_CLOEXEC */
DIR *lending_opendir(const char *path);

/* accept4(2), not blocking. */
int lending_accept(enum descriptor_use use, int listener, struct sockaddr *name, socklen_t *size);

#endif
