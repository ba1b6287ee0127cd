/* tools/bench/tail.h by read(2). */
#include "tools/bench/tail.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/platform/clock.h"
#include "tools/bench/probe.h"

#define PART_SIZE 16384
#define ROOM      (PART_SIZE + 65536) /* a part, after the beginning of a line that is not whole */

struct tail {
    int fd;
    size_t kept; /* bytes of the line that is not whole yet */
    char text[ROOM];
};

struct tail *tail_open(const char *path)
{
    struct tail *made = malloc(sizeof *made);
    if (made == NULL)
        return NULL;
    made->kept = 0;
    made->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (made->fd < 0) {
        free(made);
        return NULL;
    }
    lseek(made->fd, 0, SEEK_END);
    return made;
}

/* Bytes up to the end of the last whole line. */
static size_t whole_lines(const char *text, size_t size)
{
    while (size != 0 && text[size - 1] != '\n')
        size--;
    return size;
}

size_t tail_look(struct tail *tail, double *latencies, size_t most, bool *more)
{
    ssize_t got = read(tail->fd, tail->text + tail->kept, PART_SIZE);
    *more = got == PART_SIZE;
    if (got <= 0)
        return 0;
    size_t size = tail->kept + (size_t)got;
    size_t whole = whole_lines(tail->text, size);
    size_t found = probe_find(tail->text, whole, clock_wall_ns(), latencies, most);
    tail->kept = size - whole;
    /* A line that is too long for this is not one of ours. */
    if (tail->kept > ROOM - PART_SIZE)
        tail->kept = 0;
    memmove(tail->text, tail->text + whole, tail->kept);
    return found;
}

void tail_close(struct tail *tail)
{
    if (tail == NULL)
        return;
    close(tail->fd);
    free(tail);
}
