/* Tests that the tools send all datagrams in order and on time. */
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/udp.h"
#include "tests/support/test.h"
#include "tools/sending/udp_sender.h"

#define MILLISECOND INT64_C(1000000)
#define PATIENCE    INT64_C(10000000000)

static struct fixture {
    struct udp_socket *socket;
    struct datagram_group *group;
    struct udp_sender *sender;
} fixture;

static int set_up(void **state)
{
    (void)state;
    struct error error;
    struct udp_socket_options options = {
        .address = {.family = ADDRESS_IPV4, .bytes = {127, 0, 0, 1}},
        .receive_buffer = (size_t)4 * 1024 * 1024,
        .max_datagram = DATAGRAM_MAX_SIZE,
    };
    assert_int_equal(udp_socket_open(&fixture.socket, &options, &error), 0);
    assert_int_equal(udp_socket_bind(fixture.socket, &error), 0);
    fixture.group = datagram_group_create();
    assert_non_null(fixture.group);
    struct address to = udp_socket_address(fixture.socket);
    assert_int_equal(udp_sender_open(&fixture.sender, &to, &error), 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    udp_sender_close(fixture.sender);
    datagram_group_destroy(fixture.group);
    udp_socket_close(fixture.socket);
    return 0;
}

static const uint8_t bytes[UDP_PAYLOAD_MAX + 1];

TEST_WITH(payloads_of_all_sizes_arrive_in_their_order, set_up, tear_down)
{
    (void)state;
    static const size_t sizes[] = {1, 0, 100, UDP_PAYLOAD_MAX, 0, 2000};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    struct udp_payload payloads[COUNT];
    struct error error;
    for (size_t i = 0; i < COUNT; i++)
        payloads[i] = (struct udp_payload){bytes, sizes[i]};
    assert_int_equal(udp_sender_send(fixture.sender, payloads, COUNT, &error), COUNT);
    assert_int_equal(udp_socket_receive(fixture.socket, fixture.group, &error), RECEIVE_OK);
    assert_int_equal(fixture.group->count, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(fixture.group->slots[i].size, sizes[i]);
    assert_int_equal(udp_sender_retries(fixture.sender), 0);
}

TEST_WITH(more_than_the_system_takes_at_once_arrive_too, set_up, tear_down)
{
    (void)state;
    enum { COUNT = 150 };
    struct udp_payload payloads[COUNT];
    struct error error;
    size_t received = 0;
    for (size_t i = 0; i < COUNT; i++)
        payloads[i] = (struct udp_payload){bytes, i};
    assert_int_equal(udp_sender_send(fixture.sender, payloads, COUNT, &error), COUNT);
    while (udp_socket_receive(fixture.socket, fixture.group, &error) == RECEIVE_OK)
        for (size_t i = 0; i < fixture.group->count; i++, received++)
            assert_int_equal(fixture.group->slots[i].size, received);
    assert_int_equal(received, COUNT);
}

TEST_WITH(one_that_cannot_be_sent_is_reported_and_those_after_it_may_follow, set_up, tear_down)
{
    (void)state;
    const struct udp_payload payloads[] = {
        {bytes, 1}, {bytes, UDP_PAYLOAD_MAX + 1}, {bytes, 2}, {bytes, 3}};
    struct error error = {.code = EXIT_CODE_OK};
    assert_int_equal(udp_sender_send(fixture.sender, payloads, 4, &error), 1);
    assert_int_equal(error.code, EXIT_CODE_IO);
    assert_non_null(strstr(error.text, "65508 bytes"));
    assert_int_equal(udp_sender_send(fixture.sender, payloads + 2, 2, &error), 2);
    assert_int_equal(udp_socket_receive(fixture.socket, fixture.group, &error), RECEIVE_OK);
    assert_int_equal(fixture.group->count, 3);
}

/*
 * Asserts that the system reported at least nine tenths of the datagrams as refused, because not
 * every system reports each of them.
 */
static void assert_nearly_all_are_refused(uint64_t sent)
{
    udp_sender_await_reports(fixture.sender, clock_monotonic_ns() + UDP_SENDER_REPORTS_NS);
    assert_in_range(udp_sender_refused(fixture.sender), sent * 9 / 10, sent);
    assert_int_equal(udp_sender_retries(fixture.sender), 0);
}

/*
 * A report about an earlier datagram must not make a later send fail, and must not count as a
 * retry.
 */
TEST_WITH(to_a_port_that_nobody_has_all_are_sent_and_counted_as_refused, set_up, tear_down)
{
    (void)state;
    const struct udp_payload payload = {bytes, 10};
    struct error error;
    udp_socket_close(fixture.socket);
    fixture.socket = NULL;
    for (int i = 0; i < 200; i++)
        assert_int_equal(udp_sender_send(fixture.sender, &payload, 1, &error), 1);
    assert_nearly_all_are_refused(200);
}

TEST_WITH(a_group_to_a_port_that_nobody_has_is_no_single_refusal, set_up, tear_down)
{
    (void)state;
    enum { COUNT = 150 };
    struct udp_payload payloads[COUNT];
    struct error error;
    for (size_t i = 0; i < COUNT; i++)
        payloads[i] = (struct udp_payload){bytes, i};
    udp_socket_close(fixture.socket);
    fixture.socket = NULL;
    assert_int_equal(udp_sender_send(fixture.sender, payloads, COUNT, &error), COUNT);
    assert_nearly_all_are_refused(COUNT);
}

TEST_WITH(reports_are_not_waited_for_beyond_the_given_time, set_up, tear_down)
{
    (void)state;
    const struct udp_payload payload = {bytes, 10};
    struct error error;
    assert_int_equal(udp_sender_send(fixture.sender, &payload, 1, &error), 1);
    int64_t begun = clock_monotonic_ns();
    udp_sender_await_reports(fixture.sender, begun + 5 * MILLISECOND);
    assert_in_range(clock_monotonic_ns() - begun, 5 * MILLISECOND, PATIENCE);
    assert_int_equal(udp_sender_refused(fixture.sender), 0);
}

TEST_WITH(where_nothing_was_sent_no_report_is_waited_for, set_up, tear_down)
{
    (void)state;
    int64_t begun = clock_monotonic_ns();
    udp_sender_await_reports(fixture.sender, begun + PATIENCE);
    assert_true(clock_monotonic_ns() - begun < PATIENCE);
}

TEST(only_where_all_were_refused_nobody_was_reached)
{
    const struct address to = {.family = ADDRESS_IPV4, .bytes = {127, 0, 0, 1}, .port = 9};
    struct error error = {.code = EXIT_CODE_OK};
    assert_int_equal(udp_sender_check_refused(&to, 0, 0, &error), 0);
    assert_int_equal(udp_sender_check_refused(&to, 3, 2, &error), 0);
    assert_int_equal(error.code, EXIT_CODE_OK);
    assert_int_equal(udp_sender_check_refused(&to, 3, 3, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_NOT_REACHED);
    assert_string_equal(error.text,
                        "all 3 datagrams were refused: no program listens at udp://127.0.0.1:9");
}

TEST(a_moment_that_has_passed_is_not_waited_for)
{
    int64_t begun = clock_monotonic_ns();
    for (int i = 0; i < 100; i++)
        wait_until(begun);
    assert_true(clock_monotonic_ns() - begun < 1000 * MILLISECOND);
}

/* Waits again and again until the time has come, as a sender does. */
TEST(a_moment_to_come_is_waited_for_without_turning_round_in_vain)
{
    int64_t moment = clock_monotonic_ns() + 60 * MILLISECOND;
    int waits = 0;
    for (; clock_monotonic_ns() < moment; waits++)
        wait_until(moment);
    assert_in_range(waits, 1, 10);
}

TEST(nobody_waits_for_long_without_looking_round)
{
    int64_t begun = clock_monotonic_ns();
    wait_until(begun + 3600000 * MILLISECOND);
    int64_t waited = clock_monotonic_ns() - begun;
    assert_true(waited > 50 * MILLISECOND && waited < 5000 * MILLISECOND);
}
