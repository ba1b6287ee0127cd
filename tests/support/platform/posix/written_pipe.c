#include "tests/support/platform/written_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"

struct written_pipe {
    int fd; /* the writing end, or -1 if it is closed */
    char path[600];
};

struct written_pipe *written_pipe_make(void)
{
    struct written_pipe *made = malloc(sizeof *made);
    if (made == NULL)
        return NULL;
    made->fd = -1;
    snprintf(made->path, sizeof made->path, "%s", scratch_path("fifo"));
    if (mkfifo(made->path, 0600) == 0)
        return made;
    free(made);
    return NULL;
}

void written_pipe_remove(struct written_pipe *pipe)
{
    if (pipe == NULL)
        return;
    written_pipe_end(pipe);
    unlink(pipe->path);
    free(pipe);
}

const char *written_pipe_path(const struct written_pipe *pipe)
{
    return pipe->path;
}

bool written_pipe_begin(struct written_pipe *pipe)
{
    int64_t until = patience_until();
    do
        pipe->fd = open(pipe->path, O_WRONLY | O_NONBLOCK);
    while (pipe->fd < 0 && errno == ENXIO && patience(until));
    return pipe->fd >= 0;
}

bool written_pipe_write(struct written_pipe *pipe, const void *bytes, size_t size)
{
    const char *next = bytes;
    while (size != 0) {
        struct pollfd watched = {.fd = pipe->fd, .events = POLLOUT};
        ssize_t written = write(pipe->fd, next, size);
        if (written < 0 && (errno != EAGAIN || poll(&watched, 1, PATIENCE_NS / 1000000) <= 0))
            return false;
        if (written > 0) {
            next += written;
            size -= (size_t)written;
        }
    }
    return true;
}

void written_pipe_end(struct written_pipe *pipe)
{
    if (pipe->fd >= 0)
        close(pipe->fd);
    pipe->fd = -1;
}
