/*
 * Writes to a standard stream without waiting for its reader, and without changing the stream for
 * the other processes that have it. Only for platform/posix/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_STREAM_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

enum stream_manner {
    STREAM_PLAIN,     /* the file description is non-blocking, or is that of a regular file */
    STREAM_SEND,      /* a socket, whose file description other processes share */
    STREAM_ASK_FIRST, /* a write could block: poll first, then write at most PIPE_BUF bytes */
};

struct stream {
    int fd;
    bool owned; /* stream_return closes `fd` */
    enum stream_manner manner;
};

/*
 * Returns a stream that writes to the standard stream with that number and status. A regular file
 * is written through its present file description, which keeps its offset and O_APPEND; a pipe or
 * terminal through a new, non-blocking description, if one can be opened.
 */
struct stream stream_borrow(int number, const struct stat *status);

/* Like write(2), but repeated if interrupted. Fails with EAGAIN if it would wait. */
ssize_t stream_write(const struct stream *stream, const void *bytes, size_t size);

void stream_return(const struct stream *stream);

#endif
