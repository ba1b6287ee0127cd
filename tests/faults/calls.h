/*
 * The calls that can be made to fail: one row for each C library function that the program calls.
 * The linker replaces them by the shim (ld(1), --wrap). The Python scripts read the names from this
 * file.
 *
 * The name of a row's macro says how the function reports a failure:
 * CALL(type, name, (parameters), (arguments))     -1 and errno
 * BYTES(name, (parameters), (arguments), size)    as CALL; may also process a part of the bytes;
 *                                                 `size` is the parameter with their number
 * POINTER(type, name, (parameters), (arguments))  NULL and errno
 * CODE(name, (parameters), (arguments))           returns the error number
 * BY_HAND(name)                                   implemented in calls_by_hand.c
 */
CALL(int, accept, (int fd, void *name, void *size), (fd, name, size))
CALL(int, accept4, (int fd, void *name, void *size, int flags), (fd, name, size, flags))
POINTER(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size))
CALL(int, bind, (int fd, const void *name, unsigned size), (fd, name, size))
POINTER(void *, calloc, (size_t count, size_t size), (count, size))
BY_HAND(close)
CALL(int, chmod, (const char *path, unsigned mode), (path, mode))
CALL(int, connect, (int fd, const void *name, unsigned size), (fd, name, size))
BY_HAND(dlopen)
CALL(int, epoll_create1, (int flags), (flags))
CALL(int, epoll_ctl, (int fd, int order, int other, void *event), (fd, order, other, event))
CALL(int, epoll_wait, (int fd, void *events, int most, int timeout), (fd, events, most, timeout))
CALL(int, eventfd, (unsigned value, int flags), (value, flags))
CALL(int, faccessat, (int fd, const char *path, int mode, int flags), (fd, path, mode, flags))
BY_HAND(fcntl)
CALL(int, fdatasync, (int fd), (fd))
CALL(int, fchmod, (int fd, unsigned mode), (fd, mode))
CALL(int, fchownat, (int fd, const char *path, unsigned user, unsigned group, int flags),
     (fd, path, user, group, flags))
CALL(int, flock, (int fd, int order), (fd, order))
POINTER(void *, fopen, (const char *path, const char *mode), (path, mode))
CALL(int, fstat, (int fd, void *status), (fd, status))
CALL(int, fstatat, (int fd, const char *path, void *status, int flags), (fd, path, status, flags))
CALL(int, fsync, (int fd), (fd))
CALL(int, ftruncate, (int fd, off_t size), (fd, size))
CALL(int, gethostname, (char *name, size_t size), (name, size))
BYTES(getrandom, (void *bytes, size_t size, unsigned flags), (bytes, size, flags), size)
CALL(int, getsockname, (int fd, void *name, void *size), (fd, name, size))
CALL(int, getsockopt, (int fd, int level, int option, void *value, void *size),
     (fd, level, option, value, size))
BY_HAND(ioctl)
CALL(int, kill, (int process, int number), (process, number))
CALL(int, listen, (int fd, int backlog), (fd, backlog))
CALL(int, lstat, (const char *path, void *status), (path, status))
CALL(int, madvise, (void *memory, size_t size, int advice), (memory, size, advice))
POINTER(void *, malloc, (size_t size), (size))
CALL(int, mkdir, (const char *path, unsigned mode), (path, mode))
BY_HAND(mmap)
BY_HAND(open)
BY_HAND(openat)
POINTER(void *, opendir, (const char *path), (path))
CALL(int, pipe2, (int *ends, int flags), (ends, flags))
CALL(int, poll, (void *watched, unsigned long count, int timeout), (watched, count, timeout))
CODE(posix_spawn_file_actions_adddup2, (void *actions, int fd, int as), (actions, fd, as))
CODE(posix_spawn_file_actions_addopen,
     (void *actions, int fd, const char *path, int flags, unsigned mode),
     (actions, fd, path, flags, mode))
CODE(posix_spawnp,
     (int *process, const char *file, const void *actions, const void *attributes,
      char *const *arguments, char *const *variables),
     (process, file, actions, attributes, arguments, variables))
BYTES(pread, (int fd, void *bytes, size_t size, off_t at), (fd, bytes, size, at), size)
CODE(pthread_create, (void *thread, const void *attributes, void *(*run)(void *), void *context),
     (thread, attributes, run, context))
BY_HAND(pwritev)
BYTES(read, (int fd, void *bytes, size_t size), (fd, bytes, size), size)
BY_HAND(readv)
POINTER(void *, realloc, (void *memory, size_t size), (memory, size))
BYTES(recv, (int fd, void *bytes, size_t size, int flags), (fd, bytes, size, flags), size)
CALL(int, rename, (const char *from, const char *to), (from, to))
CALL(int, renameat2, (int from_fd, const char *from, int to_fd, const char *to, unsigned flags),
     (from_fd, from, to_fd, to, flags))
CALL(int, sched_setaffinity, (int process, size_t size, const void *mask), (process, size, mask))
BYTES(send, (int fd, const void *bytes, size_t size, int flags), (fd, bytes, size, flags), size)
BYTES(sendmmsg, (int fd, void *messages, unsigned size, int flags), (fd, messages, size, flags),
      size)
BYTES(sendto,
      (int fd, const void *bytes, size_t size, int flags, const void *name, unsigned name_size),
      (fd, bytes, size, flags, name, name_size), size)
CALL(int, setsockopt, (int fd, int level, int option, const void *value, unsigned size),
     (fd, level, option, value, size))
CALL(int, shutdown, (int fd, int how), (fd, how))
CALL(int, signalfd, (int fd, const void *signals, int flags), (fd, signals, flags))
CALL(int, socket, (int domain, int type, int protocol), (domain, type, protocol))
CALL(int, stat, (const char *path, void *status), (path, status))
POINTER(char *, strdup, (const char *text), (text))
BY_HAND(syscall)
CALL(int, unlink, (const char *path), (path))
BY_HAND(waitpid)
BY_HAND(write)
