/*
 * Writes to a standard stream without waiting for its reader, and without changing the stream for
 * the other processes that have it. Only for this folder.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_STREAM_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

enum stream_manner {
    STREAM_PLAIN,     /* the file description does not block, or is a regular file */
    STREAM_SEND,      /* a socket whose file description is shared */
    STREAM_ASK_FIRST, /* a write would block: poll, then write as much as a pipe accepts at once */
};

struct stream {
    int fd;
    bool owned; /* closed at the end */
    enum stream_manner manner;
};

/*
 * Returns a stream that writes to the standard stream with that number and status. A regular file
 * is written through its present file description, which keeps its offset and O_APPEND; a pipe or
 * terminal through a new description of our own, if one can be opened.
 */
struct stream stream_borrow(int number, const struct stat *status);

/* Like write(2), repeated if interrupted; EAGAIN if it would wait. */
ssize_t stream_write(const struct stream *stream, const void *bytes, size_t size);

void stream_return(const struct stream *stream);

#endif
