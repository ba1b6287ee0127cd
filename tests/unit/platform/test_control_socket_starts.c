/*
 * Tests programs that start at the same time with one control socket: one gets it, and the others
 * fail. The test replaces listen(2), to start a second program between the first one's bind and
 * listen.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/platform/clock.h"
#include "collector/platform/control.h"
#include "collector/platform/thread.h"
#include "tests/support/platform/control_peer.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/platform/this_thread.h"
#include "tests/support/test.h"

/*
 * How long the first start waits for the second one to end, in nanoseconds. It must be shorter than
 * the time for which a second start waits for the lock.
 */
#define WINDOW_NS INT64_C(300000000)

struct start {
    const char *address;
    struct thread *thread;
    struct control_socket *socket;
    struct error error;
    int result;
    atomic_bool over;
};

static struct start *second; /* started by the next listen() */

static void run(void *argument)
{
    struct start *start = argument;
    start->result = control_socket_open(&start->socket, start->address, &start->error);
    atomic_store(&start->over, true);
}

static void begin(struct start *start)
{
    struct error error;
    assert_int_equal(thread_start(&start->thread, "second", run, start, &error), 0);
}

int __real_listen(int fd, int backlog);
int __wrap_listen(int fd, int backlog);

int __wrap_listen(int fd, int backlog)
{
    struct start *start = second;
    second = NULL;
    if (start != NULL) {
        int64_t give_up = clock_monotonic_ns() + WINDOW_NS;
        begin(start);
        while (!atomic_load(&start->over) && clock_monotonic_ns() < give_up)
            this_thread_yield();
    }
    return __real_listen(fd, backlog);
}

static void leave_dead_socket(const char *address)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path, sizeof at.sun_path, "%s", strchr(address, ':') + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at, sizeof at), 0);
    close(fd);
}

static void assert_first_has_it(const char *address)
{
    struct control_socket *first = NULL;
    struct error error = {0};
    struct start start = {.address = address};
    second = &start;
    int result = control_socket_open(&first, address, &error);
    thread_join(start.thread);
    assert_int_equal(result, 0);
    assert_int_equal(start.result, -1);
    assert_int_equal(start.error.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(start.error.text, "another program listens there"));
    assert_false(scratch_has("control.lock"));
    struct control_connection *connection;
    struct control_peer *peer = control_peer_connect(address);
    assert_int_equal(control_socket_accept(first, &connection), CONTROL_DONE);
    control_connection_close(connection);
    control_peer_close(peer);
    control_socket_close(first);
    assert_false(scratch_has("control"));
}

TEST_WITH(one_that_starts_before_the_other_listens_does_not_take_its_place, control_peer_set_up,
          control_peer_tear_down)
{
    (void)state;
    assert_first_has_it(control_peer_address());
}

TEST_WITH(nor_does_it_where_the_other_replaces_what_a_dead_one_left, control_peer_set_up,
          control_peer_tear_down)
{
    (void)state;
    leave_dead_socket(control_peer_address());
    assert_first_has_it(control_peer_address());
}

TEST_WITH(starts_in_different_folders_do_not_wait_for_each_other, control_peer_set_up,
          control_peer_tear_down)
{
    (void)state;
    char address[256];
    struct control_socket *first = NULL;
    struct error error = {0};
    scratch_make_folder("other");
    snprintf(address, sizeof address, "unix:%s", scratch_path("other/control"));
    struct start start = {.address = address};
    second = &start;
    assert_int_equal(control_socket_open(&first, control_peer_address(), &error), 0);
    thread_join(start.thread);
    assert_int_equal(start.result, 0);
    control_socket_close(start.socket);
    control_socket_close(first);
}

TEST_WITH(a_start_that_failed_holds_nobody_up, control_peer_set_up, control_peer_tear_down)
{
    (void)state;
    const char *address = control_peer_address();
    struct control_socket *first = NULL;
    struct control_socket *other = NULL;
    struct error error = {0};
    assert_int_equal(control_socket_open(&first, address, &error), 0);
    assert_int_equal(control_socket_open(&other, address, &error), -1);
    control_socket_close(first);
    assert_int_equal(control_socket_open(&first, address, &error), 0);
    control_socket_close(first);
}

/* Any user can lock the folder, for example with `flock /tmp`. */
TEST_WITH(a_lock_of_the_folder_holds_nobody_up, control_peer_set_up, control_peer_tear_down)
{
    (void)state;
    struct control_socket *first = NULL;
    struct error error = {0};
    int folder = open(scratch_path("."), O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(folder, LOCK_EX), 0);
    leave_dead_socket(control_peer_address());
    assert_int_equal(control_socket_open(&first, control_peer_address(), &error), 0);
    assert_false(scratch_has("control.lock"));
    control_socket_close(first);
    close(folder);
}

/* The lock file must belong to another user, and only root can create such a file. */
TEST_WITH(another_users_lock_file_is_not_waited_for, control_peer_set_up, control_peer_tear_down)
{
    (void)state;
    struct control_socket *first = NULL;
    struct error error = {0};
    if (geteuid() != 0)
        skip();
    int theirs = open(scratch_path("control.lock"), O_RDWR | O_CREAT, 0666);
    assert_int_equal(fchown(theirs, 65534, 65534), 0);
    assert_int_equal(flock(theirs, LOCK_EX), 0);
    assert_int_equal(control_socket_open(&first, control_peer_address(), &error), 0);
    control_socket_close(first);
    leave_dead_socket(control_peer_address());
    assert_int_equal(control_socket_open(&first, control_peer_address(), &error), -1);
    assert_non_null(strstr(error.text, "lock file for replacing it cannot be created"));
    close(theirs);
    unlink(scratch_path("control.lock"));
    unlink(scratch_path("control"));
}

TEST_WITH(what_is_at_the_name_of_the_lock_and_is_no_file_is_not_followed, control_peer_set_up,
          control_peer_tear_down)
{
    (void)state;
    struct control_socket *first = NULL;
    struct error error = {0};
    assert_int_equal(symlink("victim", scratch_path("control.lock")), 0);
    assert_int_equal(control_socket_open(&first, control_peer_address(), &error), 0);
    assert_false(scratch_has("victim"));
    control_socket_close(first);
    unlink(scratch_path("control.lock"));
    assert_int_equal(mkfifo(scratch_path("control.lock"), 0600), 0);
    assert_int_equal(control_socket_open(&first, control_peer_address(), &error), 0);
    control_socket_close(first);
    unlink(scratch_path("control.lock"));
}
