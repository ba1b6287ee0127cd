/* The functions of calls.h that have variable arguments, or several ways to fail. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/faults/plan.h"

#define FATE_OF(name) plan_fate(CALL_##name, __builtin_return_address(0))

/*
 * The size of a buffer on the stack, for a copy of the pieces of a readv or writev that is
 * shortened.
 */
#define PIECES_MAX 1024

int __real_fstat(int fd, struct stat *status);
int __real_close(int fd);
int __wrap_close(int fd);
void *__real_dlopen(const char *path, int flags);
void *__wrap_dlopen(const char *path, int flags);
int __real_fcntl(int fd, int order, ...);
int __wrap_fcntl(int fd, int order, ...);
int __real_ioctl(int fd, unsigned long order, ...);
int __wrap_ioctl(int fd, unsigned long order, ...);
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
ssize_t __real_pwritev(int fd, const struct iovec *pieces, int count, off_t at);
ssize_t __wrap_pwritev(int fd, const struct iovec *pieces, int count, off_t at);
ssize_t __real_readv(int fd, const struct iovec *pieces, int count);
ssize_t __wrap_readv(int fd, const struct iovec *pieces, int count);
int __real_waitpid(int process, int *status, int options);
int __wrap_waitpid(int process, int *status, int options);
ssize_t __real_write(int fd, const void *bytes, size_t size);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* Linux closes the descriptor even if close reports an error (close(2), NOTES). */
int __wrap_close(int fd)
{
    struct fate fate = FATE_OF(close);
    int result = __real_close(fd);
    if (fate.error == 0)
        return result;
    errno = fate.error;
    return -1;
}

/* Lets the real dlopen fail, so that dlerror() describes a missing library. */
void *__wrap_dlopen(const char *path, int flags)
{
    struct fate fate = FATE_OF(dlopen);
    return __real_dlopen(fate.error == 0 ? path : "/nowhere/a-library-that-is-not-there.so", flags);
}

int __wrap_fcntl(int fd, int order, ...)
{
    struct fate fate = FATE_OF(fcntl);
    va_list more;
    va_start(more, order);
    long argument = va_arg(more, long);
    va_end(more);
    if (fate.error == 0)
        return __real_fcntl(fd, order, argument);
    errno = fate.error;
    return -1;
}

int __wrap_ioctl(int fd, unsigned long order, ...)
{
    struct fate fate = FATE_OF(ioctl);
    va_list more;
    va_start(more, order);
    void *argument = va_arg(more, void *);
    va_end(more);
    if (fate.error == 0)
        return __real_ioctl(fd, order, argument);
    errno = fate.error;
    return -1;
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    struct fate fate = FATE_OF(mmap);
    if (fate.error == 0)
        return __real_mmap(at, size, protection, flags, fd, offset);
    errno = fate.error;
    return MAP_FAILED;
}

int __wrap_open(const char *path, int flags, ...)
{
    struct fate fate = FATE_OF(open);
    va_list more;
    va_start(more, flags);
    unsigned mode = (flags & O_CREAT) != 0 ? va_arg(more, unsigned) : 0;
    va_end(more);
    if (fate.error == 0)
        return __real_open(path, flags, mode);
    errno = fate.error;
    return -1;
}

int __wrap_openat(int folder, const char *path, int flags, ...)
{
    struct fate fate = FATE_OF(openat);
    va_list more;
    va_start(more, flags);
    unsigned mode = (flags & O_CREAT) != 0 ? va_arg(more, unsigned) : 0;
    va_end(more);
    if (fate.error == 0)
        return __real_openat(folder, path, flags, mode);
    errno = fate.error;
    return -1;
}

/*
 * Copies the first pieces, up to the permitted number of bytes, to `fewer`. Returns their number.
 */
static int cut(struct iovec *fewer, const struct iovec *pieces, int count, struct fate fate)
{
    uint64_t size = 0;
    int used = 0;
    for (int i = 0; i < count; i++)
        size += pieces[i].iov_len;
    uint64_t left = plan_less(fate, size);
    for (; used < count && used < PIECES_MAX && left > 0; used++) {
        fewer[used] = pieces[used];
        if (fewer[used].iov_len > left)
            fewer[used].iov_len = (size_t)left;
        left -= fewer[used].iov_len;
    }
    return used;
}

ssize_t __wrap_pwritev(int fd, const struct iovec *pieces, int count, off_t at)
{
    struct iovec fewer[PIECES_MAX];
    struct fate fate = FATE_OF(pwritev);
    if (fate.error != 0) {
        errno = fate.error;
        return -1;
    }
    return fate.less == 0 ? __real_pwritev(fd, pieces, count, at)
                          : __real_pwritev(fd, fewer, cut(fewer, pieces, count, fate), at);
}

ssize_t __wrap_readv(int fd, const struct iovec *pieces, int count)
{
    struct iovec fewer[PIECES_MAX];
    struct fate fate = FATE_OF(readv);
    if (fate.error != 0) {
        errno = fate.error;
        return -1;
    }
    return fate.less == 0 ? __real_readv(fd, pieces, count)
                          : __real_readv(fd, fewer, cut(fewer, pieces, count, fate));
}

/*
 * The program calls recvmmsg(2) through this function; its third argument is the maximum number of
 * datagrams. No call of the program has more than five arguments after its number.
 */
long __wrap_syscall(long number, ...)
{
    struct fate fate = FATE_OF(syscall);
    long arguments[5];
    va_list more;
    va_start(more, number);
    for (int i = 0; i < 5; i++)
        arguments[i] = va_arg(more, long);
    va_end(more);
    if (fate.error != 0) {
        errno = fate.error;
        return -1;
    }
    if (number == SYS_recvmmsg)
        arguments[2] = (long)plan_less(fate, (uint64_t)arguments[2]);
    return __real_syscall(number, arguments[0], arguments[1], arguments[2], arguments[3],
                          arguments[4]);
}

/* Signals cannot interrupt a call that does not wait. */
int __wrap_waitpid(int process, int *status, int options)
{
    if ((options & WNOHANG) != 0 && plan_interrupts())
        return __real_waitpid(process, status, options);
    struct fate fate = FATE_OF(waitpid);
    if (fate.error == 0)
        return __real_waitpid(process, status, options);
    errno = fate.error;
    return -1;
}

/*
 * Returns true for descriptors other than regular files if only writes to files fail, as with a
 * broken disk.
 */
static bool is_spared(int fd)
{
    struct stat status;
    return plan_spares_streams() && __real_fstat(fd, &status) == 0 && !S_ISREG(status.st_mode);
}

ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
    if (is_spared(fd))
        return __real_write(fd, bytes, size);
    struct fate fate = FATE_OF(write);
    if (fate.error != 0) {
        errno = fate.error;
        return -1;
    }
    return __real_write(fd, bytes, (size_t)plan_less(fate, size));
}
