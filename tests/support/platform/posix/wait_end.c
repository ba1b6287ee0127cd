/* Implements tests/support/platform/wait_end.h with pipes and local sockets. */
#include "tests/support/platform/wait_end.h"

#include "tests/support/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct wait_end {
    int ours;
    int other; /* the other end, or -1 if it is closed */
};

struct wait_end *wait_end_open(enum wait_end_kind kind)
{
    int ends[2];
    struct wait_end *made = malloc(sizeof *made);
    assert_non_null(made);
    assert_int_equal(kind == END_OF_PIPE ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends),
                     0);
    *made = (struct wait_end){.ours = ends[1], .other = ends[0]};
    return made;
}

void wait_end_close(struct wait_end *end)
{
    if (end == NULL)
        return;
    close(end->ours);
    if (end->other >= 0)
        close(end->other);
    free(end);
}

wait_handle wait_end_handle(const struct wait_end *end)
{
    return end->ours;
}

void wait_end_is_sent(struct wait_end *end)
{
    assert_int_equal(write(end->other, "x", 1), 1);
}

void wait_end_fill(struct wait_end *end)
{
    static const char chunk[4096];
    assert_int_equal(fcntl(end->ours, F_SETFL, O_NONBLOCK), 0);
    while (write(end->ours, chunk, sizeof chunk) > 0)
        continue;
}

void wait_end_is_read(struct wait_end *end)
{
    static char chunk[4096];
    assert_int_equal(fcntl(end->other, F_SETFL, O_NONBLOCK), 0);
    while (read(end->other, chunk, sizeof chunk) > 0)
        continue;
}

void wait_end_is_left(struct wait_end *end)
{
    close(end->other);
    end->other = -1;
}
