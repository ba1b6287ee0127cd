/* Tests that each use of descriptors has a reserve when all other descriptors are in use. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/platform/child.h"
#include "collector/platform/file_system.h"
#include "collector/platform/process.h"
#include "collector/platform/tcp.h"
#include "tests/support/platform/tcp_client.h"
#include "tests/support/test.h"

int __wrap_accept4(int fd, struct sockaddr *name, socklen_t *size, int flags);
int __real_accept4(int fd, struct sockaddr *name, socklen_t *size, int flags);

#define BEFORE  40 /* soft limit when the process starts */
#define MOST    64 /* hard limit */
#define KEPT    4  /* reserve for each use */
#define CLIENTS 20

static struct {
    wait_handle listener;
    wait_handle clients[CLIENTS];
    wait_handle accepted[CLIENTS];
    size_t accepted_count;
    int others[MOST];
    size_t other_count;
    void (*meanwhile)(unsigned call); /* acts as another thread just before the call; may be NULL */
    unsigned calls;
} crowd;

int __wrap_accept4(int fd, struct sockaddr *name, socklen_t *size, int flags)
{
    void (*meanwhile)(unsigned call) = crowd.meanwhile;
    crowd.meanwhile = NULL; /* the callback may accept a connection, which must not call it again */
    if (meanwhile != NULL)
        meanwhile(++crowd.calls);
    crowd.meanwhile = meanwhile;
    return __real_accept4(fd, name, size, flags);
}

static rlim_t soft_limit(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    return limit.rlim_cur;
}

static void set_limit(rlim_t soft)
{
    const struct rlimit limit = {soft, MOST};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/*
 * Keeps KEPT descriptors for each use. Only the first call sets the limit, because a hard limit
 * cannot be raised again.
 */
static void keep(void)
{
    const uint64_t wanted[DESCRIPTOR_USES] = {KEPT, KEPT, KEPT};
    if (descriptors_most() != MOST)
        set_limit(BEFORE);
    descriptors_keep(wanted);
}

static void use_up(void)
{
    int fd;
    while ((fd = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        crowd.others[crowd.other_count++] = fd;
}

static enum accept_result accept_one(enum descriptor_use use)
{
    struct address peer;
    struct error error;
    enum accept_result result = tcp_connection_accept(
        crowd.listener, use, &crowd.accepted[crowd.accepted_count], &peer, &error);
    crowd.accepted_count += result == ACCEPT_OK;
    return result;
}

static int begin(void **state)
{
    (void)state;
    struct address bound;
    struct error error;
    const struct address any = {.family = ADDRESS_IPV4, .bytes = {127, 0, 0, 1}};
    keep();
    crowd.accepted_count = crowd.other_count = 0;
    crowd.meanwhile = NULL;
    crowd.calls = 0;
    crowd.listener = tcp_listener_open(&any, false, &bound, &error);
    assert_true(crowd.listener != NO_HANDLE);
    for (size_t i = 0; i < CLIENTS; i++)
        crowd.clients[i] = tcp_client_connect(&bound);
    use_up();
    return 0;
}

static int end(void **state)
{
    (void)state;
    while (crowd.accepted_count != 0)
        tcp_connection_close(crowd.accepted[--crowd.accepted_count]);
    while (crowd.other_count != 0)
        close(crowd.others[--crowd.other_count]);
    for (size_t i = 0; i < CLIENTS; i++)
        tcp_connection_close(crowd.clients[i]);
    tcp_listener_close(crowd.listener);
    return 0;
}

TEST_WITH(senders_leave_the_program_and_its_operator_what_is_kept_for_them, begin, end)
{
    (void)state;
    struct folder *folders[KEPT];
    for (size_t i = 0; i < KEPT; i++)
        assert_int_equal(accept_one(DESCRIPTOR_OF_SENDER), ACCEPT_OK);
    assert_int_equal(accept_one(DESCRIPTOR_OF_SENDER), ACCEPT_NO_MEANS);
    for (size_t i = 0; i < KEPT; i++)
        assert_non_null(folders[i] = folder_open("/"));
    assert_null(folder_open("/"));
    for (size_t i = 0; i < KEPT; i++)
        assert_int_equal(accept_one(DESCRIPTOR_OF_CLIENT), ACCEPT_OK);
    assert_int_equal(accept_one(DESCRIPTOR_OF_CLIENT), ACCEPT_NO_MEANS);
    for (size_t i = 0; i < KEPT; i++)
        folder_close(folders[i]);
}

TEST_WITH(what_was_lent_is_lent_again_and_to_nobody_else, begin, end)
{
    (void)state;
    for (size_t i = 0; i < 3 * KEPT; i++) {
        assert_int_equal(accept_one(DESCRIPTOR_OF_SENDER), ACCEPT_OK);
        tcp_connection_close(crowd.accepted[--crowd.accepted_count]);
        assert_int_equal(open("/dev/null", O_RDONLY | O_CLOEXEC), -1);
    }
}

static void fail_to_make_a_pipe(unsigned call)
{
    (void)call;
    int ends[2];
    assert_int_equal(pipe(ends), -1);
}

TEST_WITH(a_library_gets_no_pipe_while_a_connection_is_accepted, begin, end)
{
    (void)state;
    crowd.meanwhile = fail_to_make_a_pipe;
    for (size_t i = 0; i < KEPT; i++)
        assert_int_equal(accept_one(DESCRIPTOR_OF_SENDER), ACCEPT_OK);
}

static void fail_to_accept_a_sender(unsigned call)
{
    (void)call;
    assert_int_equal(accept_one(DESCRIPTOR_OF_SENDER), ACCEPT_NO_MEANS);
}

TEST_WITH(senders_get_nothing_that_is_lent_to_the_operator, begin, end)
{
    (void)state;
    for (size_t i = 0; i < KEPT; i++)
        assert_int_equal(accept_one(DESCRIPTOR_OF_SENDER), ACCEPT_OK);
    crowd.meanwhile = fail_to_accept_a_sender;
    for (size_t i = 0; i < 2 * KEPT; i++)
        assert_int_equal(accept_one(DESCRIPTOR_OF_CLIENT), ACCEPT_OK);
}

/*
 * Takes all free descriptors before the second call, as another thread could. The first call
 * failed, so a descriptor of the reserve was freed for the second one.
 */
static void take_what_is_lent(unsigned call)
{
    if (call == 2)
        use_up();
}

TEST_WITH(what_another_one_has_taken_is_lent_once_more, begin, end)
{
    (void)state;
    crowd.meanwhile = take_what_is_lent;
    assert_int_equal(accept_one(DESCRIPTOR_OF_CLIENT), ACCEPT_OK);
    assert_int_equal(crowd.calls, 3);
}

TEST_WITH(a_limit_that_is_changed_from_outside_holds, begin, end)
{
    (void)state;
    rlim_t own = soft_limit();
    assert_int_equal(own, MOST - 3 * KEPT);
    set_limit(own - 1);
    assert_int_equal(accept_one(DESCRIPTOR_OF_CLIENT), ACCEPT_NO_MEANS);
    assert_int_equal(soft_limit(), own - 1);
    set_limit(own);
    assert_int_equal(accept_one(DESCRIPTOR_OF_CLIENT), ACCEPT_OK);
}

TEST_WITH(a_program_has_the_limit_from_before, begin, end)
{
    (void)state;
    const char *const arguments[] = {"sh", "-c", "ulimit -n", NULL};
    const struct process_limits limits = {.bytes = 100, .time_ns = INT64_C(30000000000)};
    struct process_output output;
    struct error error;
    while (crowd.other_count != 0)
        close(crowd.others[--crowd.other_count]);
    assert_int_equal(process_run(arguments, &limits, &output, &error), PROCESS_DONE);
    assert_int_equal(output.size, 3);
    assert_memory_equal(output.data, "40\n", 3);
    free(output.data);
    assert_int_equal(soft_limit(), MOST - 3 * KEPT);
}

TEST(the_most_is_what_the_system_allows)
{
    assert_int_equal(descriptors_most(), MOST);
}
