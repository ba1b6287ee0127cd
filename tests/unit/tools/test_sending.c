/* What the tools send: whole, in order, and as late as they wait. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collector/platform/thread.h"
#include "collector/platform/udp_socket.h"
#include "tools/sending/udp_sender.h"

#define MILLISECOND INT64_C(1000000)
#define PATIENCE    INT64_C(10000000000)

static struct fixture {
    struct udp_socket *socket;
    struct datagram_group *group;
    struct udp_sender *sender; /* to that socket */
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

static void payloads_of_all_sizes_arrive_in_their_order(void **state)
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

static void more_than_the_system_takes_at_once_arrive_too(void **state)
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

static void one_that_cannot_be_sent_is_told_and_those_behind_it_may_follow(void **state)
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

/* Not every system has a report for each; the tests of the tools know which. */
static void assert_nearly_all_are_refused(uint64_t sent)
{
    udp_sender_await_reports(fixture.sender, clock_monotonic_ns() + UDP_SENDER_REPORTS_NS);
    assert_in_range(udp_sender_refused(fixture.sender), sent * 9 / 10, sent);
    assert_int_equal(udp_sender_retries(fixture.sender), 0);
}

/* A report that comes with the next attempt is no reason to give that up, and no retry. */
static void to_a_port_that_nobody_has_all_are_sent_and_counted_as_refused(void **state)
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

static void a_group_to_a_port_that_nobody_has_is_no_single_refusal(void **state)
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

static void reports_are_not_waited_for_beyond_the_given_time(void **state)
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

static void where_nothing_was_sent_no_report_is_waited_for(void **state)
{
    (void)state;
    int64_t begun = clock_monotonic_ns();
    udp_sender_await_reports(fixture.sender, begun + PATIENCE);
    assert_true(clock_monotonic_ns() - begun < PATIENCE);
}

static void only_where_all_were_refused_nobody_was_reached(void **state)
{
    (void)state;
    const struct address to = {.family = ADDRESS_IPV4, .bytes = {127, 0, 0, 1}, .port = 9};
    struct error error = {.code = EXIT_CODE_OK};
    assert_int_equal(udp_sender_check_refused(&to, 0, 0, &error), 0);
    assert_int_equal(udp_sender_check_refused(&to, 3, 2, &error), 0);
    assert_int_equal(error.code, EXIT_CODE_OK);
    assert_int_equal(udp_sender_check_refused(&to, 3, 3, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_NOT_REACHED);
    assert_string_equal(error.text,
                        "all 3 datagrams were refused: nobody listens at udp://127.0.0.1:9");
}

static void a_moment_that_has_passed_is_not_waited_for(void **state)
{
    (void)state;
    int64_t begun = clock_monotonic_ns();
    for (int i = 0; i < 100; i++)
        wait_until(begun);
    assert_true(clock_monotonic_ns() - begun < 1000 * MILLISECOND);
}

/* As a sender does: again until it is so late. */
static void a_moment_to_come_is_waited_for_without_turning_round_in_vain(void **state)
{
    (void)state;
    int64_t moment = clock_monotonic_ns() + 60 * MILLISECOND;
    int waits = 0;
    for (; clock_monotonic_ns() < moment; waits++)
        wait_until(moment);
    assert_in_range(waits, 1, 10);
}

static void nobody_waits_for_long_without_looking_round(void **state)
{
    (void)state;
    int64_t begun = clock_monotonic_ns();
    wait_until(begun + 3600000 * MILLISECOND);
    int64_t waited = clock_monotonic_ns() - begun;
    assert_true(waited > 50 * MILLISECOND && waited < 5000 * MILLISECOND);
}

#define with_sender(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_sender(payloads_of_all_sizes_arrive_in_their_order),
        with_sender(more_than_the_system_takes_at_once_arrive_too),
        with_sender(one_that_cannot_be_sent_is_told_and_those_behind_it_may_follow),
        with_sender(to_a_port_that_nobody_has_all_are_sent_and_counted_as_refused),
        with_sender(a_group_to_a_port_that_nobody_has_is_no_single_refusal),
        with_sender(reports_are_not_waited_for_beyond_the_given_time),
        with_sender(where_nothing_was_sent_no_report_is_waited_for),
        cmocka_unit_test(only_where_all_were_refused_nobody_was_reached),
        cmocka_unit_test(a_moment_that_has_passed_is_not_waited_for),
        cmocka_unit_test(a_moment_to_come_is_waited_for_without_turning_round_in_vain),
        cmocka_unit_test(nobody_waits_for_long_without_looking_round),
    };
    return cmocka_run_group_tests_name("sending", tests, NULL, NULL);
}
