#include "collector/platform/posix/lending.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

int lending_open(const char *path, int flags, mode_t mode)
{
    unsigned times = 0;
    int fd = open(path, flags, mode);
    while (fd < 0 && lending_begin(1, &times)) {
        fd = open(path, flags, mode);
        lending_end(1);
    }
    return fd;
}

int lending_openat(int folder, const char *path, int flags, mode_t mode)
{
    unsigned times = 0;
    int fd = openat(folder, path, flags, mode);
    while (fd < 0 && lending_begin(1, &times)) {
        fd = openat(folder, path, flags, mode);
        lending_end(1);
    }
    return fd;
}

int lending_pipe2(int ends[2], int flags)
{
    unsigned times = 0;
    int result = pipe2(ends, flags);
    while (result != 0 && lending_begin(2, &times)) {
        result = pipe2(ends, flags);
        lending_end(2);
    }
    return result;
}

int lending_socket(int domain, int type, int protocol)
{
    unsigned times = 0;
    int fd = socket(domain, type, protocol);
    while (fd < 0 && lending_begin(1, &times)) {
        fd = socket(domain, type, protocol);
        lending_end(1);
    }
    return fd;
}

int lending_duplicate(int fd)
{
    unsigned times = 0;
    int made = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    while (made < 0 && lending_begin(1, &times)) {
        made = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        lending_end(1);
    }
    return made;
}

DIR *lending_opendir(const char *path)
{
    unsigned times = 0;
    DIR *folder = opendir(path);
    while (folder == NULL && lending_begin(1, &times)) {
        folder = opendir(path);
        lending_end(1);
    }
    return folder;
}

/*
 * While a descriptor is lent to another call, a sender's connection must not take it: such a
 * connection only uses a descriptor that is lent to it.
 */
int lending_accept(enum descriptor_use use, int listener, struct sockaddr *name, socklen_t *size)
{
    const int flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
    unsigned times = 0;
    int fd = -1;
    errno = EMFILE;
    if (use != DESCRIPTOR_OF_SENDER || !lending_goes_on())
        fd = accept4(listener, name, size, flags);
    while (fd < 0 && errno == EMFILE && descriptors_lend(use, 1, &times)) {
        fd = accept4(listener, name, size, flags);
        descriptors_take_back(use, 1);
    }
    return fd;
}
