/*
 * Writing to a standard stream without waiting for its reader, and without changing the stream for
 * the other processes that hold it. Of this folder only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_STREAM_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

enum stream_manner {
    STREAM_PLAIN,     /* the description does not block, or there is nothing to wait for */
    STREAM_SEND,      /* a socket whose description is not ours alone */
    STREAM_ASK_FIRST, /* it would block: ask, then write what a pipe takes at once */
};

struct stream {
    int fd;
    bool owned; /* closed at the end */
    enum stream_manner manner;
};

/*
 * A way to write to the standard stream of that number, which has this status. A regular file is
 * written through the description itself, so that its offset and O_APPEND stay what its owners made
 * them; a pipe or terminal through one of our own, where it can be had.
 */
struct stream stream_borrow(int number, const struct stat *status);

/* write(2), also interrupted; EAGAIN where it would wait. */
ssize_t stream_write(const struct stream *stream, const void *bytes, size_t size);

void stream_return(const struct stream *stream);

#endif
