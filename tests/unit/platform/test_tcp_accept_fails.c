#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "collector/platform/tcp.h"
#include "tests/support/test.h"

int __wrap_accept4(int fd, struct sockaddr *name, socklen_t *size, int flags);

static int number; /* errno of each accept */
static unsigned calls;

int __wrap_accept4(int fd, struct sockaddr *name, socklen_t *size, int flags)
{
    (void)fd;
    (void)name;
    (void)size;
    (void)flags;
    calls++;
    errno = number;
    return -1;
}

static enum accept_result fail_with(int error_number, struct error *error)
{
    wait_handle connection;
    struct address peer;
    number = error_number;
    calls = 0;
    return tcp_connection_accept(0, DESCRIPTOR_OF_SENDER, &connection, &peer, error);
}

TEST(what_fails_again_and_again_is_tried_later)
{
    static const int failures[] = {EINTR, ECONNABORTED, EPERM, EPROTO};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        struct error error;
        assert_int_equal(fail_with(failures[i], &error), ACCEPT_NO_MEANS);
        assert_non_null(strstr(error.text, strerror(failures[i])));
        assert_in_range(calls, 2, 200);
    }
}

TEST(short_means_are_waited_for_at_once)
{
    struct error error;
    assert_int_equal(fail_with(EMFILE, &error), ACCEPT_NO_MEANS);
    assert_int_equal(calls, 1);
}

TEST(nobody_who_wants_to_connect_is_no_failure)
{
    struct error error;
    assert_int_equal(fail_with(EAGAIN, &error), ACCEPT_WOULD_BLOCK);
    assert_int_equal(calls, 1);
}
