/*
 * Implements checked calls such as __read_chk, for programs in which a test replaces read() with
 * the linker's --wrap. Code that is built with _FORTIFY_SOURCE of glibc calls __read_chk instead of
 * read(), so the functions below call the plain forms. Like those of the C library, they end the
 * program if the buffer is too small.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

/* The names are the C library's, which has no header for them. */
ssize_t __read_chk(int file, void *buffer, size_t size, size_t room);
ssize_t __pread_chk(int file, void *buffer, size_t size, off_t at, size_t room);
ssize_t __recv_chk(int socket, void *buffer, size_t size, size_t room, int flags);
int __poll_chk(struct pollfd *waited, nfds_t count, int timeout, size_t room);
int __gethostname_chk(char *name, size_t size, size_t room);
int __open_2(const char *path, int flags);

static void check(size_t size, size_t room)
{
    if (size > room)
        abort();
}

ssize_t __read_chk(int file, void *buffer, size_t size, size_t room)
{
    check(size, room);
    return read(file, buffer, size);
}

ssize_t __pread_chk(int file, void *buffer, size_t size, off_t at, size_t room)
{
    check(size, room);
    return pread(file, buffer, size, at);
}

ssize_t __recv_chk(int socket, void *buffer, size_t size, size_t room, int flags)
{
    check(size, room);
    return recv(socket, buffer, size, flags);
}

int __poll_chk(struct pollfd *waited, nfds_t count, int timeout, size_t room)
{
    check(count * sizeof *waited, room);
    return poll(waited, count, timeout);
}

int __gethostname_chk(char *name, size_t size, size_t room)
{
    check(size, room);
    return gethostname(name, size);
}

int __open_2(const char *path, int flags)
{
    if ((flags & O_CREAT) != 0) /* O_CREAT needs a mode, which this form lacks */
        abort();
    return open(path, flags);
}
