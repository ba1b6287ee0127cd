/*
 * The calls that open a descriptor, each with those that are kept back for its use
 * (collector/platform/descriptors.h): where there is none (EMFILE) it is made once more with these.
 * The rest is as the system's call has it. Of platform/ only. Any thread.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_LENDING_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_LENDING_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "collector/platform/descriptors.h"

/*
 * After a call that failed, as errno says: whether it is to be made once more. Then lending_end
 * follows it, which leaves errno as it is.
 */
bool lending_begin(enum descriptor_use use);
void lending_end(enum descriptor_use use);

/*
 * Around the start of another program, which has the limit that this one was started with: some use
 * select(2), which knows 1,024 descriptors. What is opened meanwhile may find none, and is then made
 * again after it.
 */
void lending_stop_for_program(void);
void lending_go_on(void);

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
