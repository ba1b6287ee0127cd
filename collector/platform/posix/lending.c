/* The calls of collector/platform/posix/lending.h. */
#include "collector/platform/posix/lending.h"

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

int lending_open(const char *path, int flags, mode_t mode)
{
    int fd = open(path, flags, mode);
    if (fd < 0 && lending_begin(DESCRIPTOR_OF_OWN)) {
        fd = open(path, flags, mode);
        lending_end(DESCRIPTOR_OF_OWN);
    }
    return fd;
}

int lending_openat(int folder, const char *path, int flags, mode_t mode)
{
    int fd = openat(folder, path, flags, mode);
    if (fd < 0 && lending_begin(DESCRIPTOR_OF_OWN)) {
        fd = openat(folder, path, flags, mode);
        lending_end(DESCRIPTOR_OF_OWN);
    }
    return fd;
}

int lending_pipe2(int ends[2], int flags)
{
    int result = pipe2(ends, flags);
    if (result != 0 && lending_begin(DESCRIPTOR_OF_OWN)) {
        result = pipe2(ends, flags);
        lending_end(DESCRIPTOR_OF_OWN);
    }
    return result;
}

int lending_socket(int domain, int type, int protocol)
{
    int fd = socket(domain, type, protocol);
    if (fd < 0 && lending_begin(DESCRIPTOR_OF_OWN)) {
        fd = socket(domain, type, protocol);
        lending_end(DESCRIPTOR_OF_OWN);
    }
    return fd;
}

int lending_duplicate(int fd)
{
    int made = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (made < 0 && lending_begin(DESCRIPTOR_OF_OWN)) {
        made = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        lending_end(DESCRIPTOR_OF_OWN);
    }
    return made;
}

DIR *lending_opendir(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL && lending_begin(DESCRIPTOR_OF_OWN)) {
        folder = opendir(path);
        lending_end(DESCRIPTOR_OF_OWN);
    }
    return folder;
}

int lending_accept(enum descriptor_use use, int listener, struct sockaddr *name, socklen_t *size)
{
    int fd = accept4(listener, name, size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && lending_begin(use)) {
        fd = accept4(listener, name, size, SOCK_CLOEXEC | SOCK_NONBLOCK);
        lending_end(use);
    }
    return fd;
}
