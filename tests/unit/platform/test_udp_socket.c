#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/thread.h"
#include "collector/platform/udp.h"
#include "tests/support/platform/receiving.h"
#include "tests/support/platform/this_thread.h"
#include "tests/support/test.h"

#define LARGEST 65507 /* maximum payload of an IPv4 packet, in bytes */

static uint8_t pattern_at(size_t i)
{
    return (uint8_t)(i * 7 + (i >> 8) * 13 + 1);
}

static const uint8_t *pattern(void)
{
    static uint8_t bytes[LARGEST];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = pattern_at(i);
    return bytes;
}

static void assert_pattern(const struct datagram_slot *slot, size_t size)
{
    assert_int_equal(slot->size, size);
    size_t front = size < DATAGRAM_FRONT_SIZE ? size : DATAGRAM_FRONT_SIZE;
    assert_memory_equal(slot->front, pattern(), front);
    assert_memory_equal(slot->rest, pattern() + front, size - front);
}

/* --- the bytes of datagrams ------------------------------------------------------------------- */

TEST_WITH(every_size_arrives_whole_in_front_and_rest, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    static const size_t sizes[] = {0, 1, 2, 2046, 2047, 2048, 2049, 2050, 9000, LARGEST};
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    receiving_open(receiving, ADDRESS_IPV4, DATAGRAM_MAX_SIZE);
    for (size_t i = 0; i < COUNT; i++)
        udp_sender_send(receiving->sender, &receiving->to, pattern(), sizes[i]);
    for (size_t i = 0; i < COUNT; i++) {
        const struct datagram_slot *slot = receiving_next(receiving);
        assert_non_null(slot);
        assert_pattern(slot, sizes[i]);
        assert_int_equal(slot->sent_size, sizes[i]);
        assert_false(slot->truncated);
    }
    assert_null(receiving_next(receiving));
}

TEST_WITH(a_group_of_small_datagrams_keeps_their_order, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    receiving_open(receiving, ADDRESS_IPV4, DATAGRAM_MAX_SIZE);
    enum { COUNT = 3 * DATAGRAM_GROUP_SIZE + 5 };
    udp_sender_send_numbers(receiving->sender, &receiving->to, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct datagram_slot *slot = receiving_next(receiving);
        assert_non_null(slot);
        assert_int_equal(slot->size, sizeof i);
        assert_memory_equal(slot->front, &i, sizeof i);
    }
    assert_null(receiving_next(receiving));
}

TEST_WITH(one_receive_takes_what_a_group_holds, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    struct error error;
    receiving_open(receiving, ADDRESS_IPV4, DATAGRAM_MAX_SIZE);
    udp_sender_send_numbers(receiving->sender, &receiving->to, DATAGRAM_GROUP_SIZE + 5);
    assert_int_equal(udp_socket_receive(receiving->socket, receiving->group, &error), RECEIVE_OK);
    assert_int_equal(receiving->group->count, DATAGRAM_GROUP_SIZE);
    assert_int_equal(udp_socket_receive(receiving->socket, receiving->group, &error), RECEIVE_OK);
    assert_int_equal(receiving->group->count, 5);
}

/* Only some systems report that no datagram is left. */
TEST_WITH(that_nothing_is_left_is_reported_where_nothing_is, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    struct error error;
    receiving_open(receiving, ADDRESS_IPV4, DATAGRAM_MAX_SIZE);
    for (size_t left = 0; left < 3; left++) {
        udp_sender_send_numbers(receiving->sender, &receiving->to, DATAGRAM_GROUP_SIZE + left);
        bool told = false;
        size_t count = 0;
        while (!told &&
               udp_socket_receive(receiving->socket, receiving->group, &error) == RECEIVE_OK) {
            count += receiving->group->count;
            told = receiving->group->emptied;
        }
        assert_int_equal(count, DATAGRAM_GROUP_SIZE + left);
    }
}

TEST_WITH(what_a_group_held_before_never_shows_again, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    receiving_open(receiving, ADDRESS_IPV4, 3000);
    udp_sender_send(receiving->sender, &receiving->to, pattern(), 5000);
    assert_true(receiving_next(receiving)->truncated);
    udp_sender_send(receiving->sender, &receiving->to, "", 0);
    const struct datagram_slot *slot = receiving_next(receiving);
    assert_int_equal(slot->size, 0);
    assert_int_equal(slot->sent_size, 0);
    assert_false(slot->truncated);
}

TEST_WITH(would_block_leaves_the_group_empty, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    struct error error;
    receiving_open(receiving, ADDRESS_IPV4, DATAGRAM_MAX_SIZE);
    udp_sender_send(receiving->sender, &receiving->to, "x", 1);
    assert_non_null(receiving_next(receiving));
    assert_int_equal(udp_socket_receive(receiving->socket, receiving->group, &error),
                     RECEIVE_WOULD_BLOCK);
    assert_int_equal(receiving->group->count, 0);
    assert_int_equal(udp_socket_errors(receiving->socket), 0);
}

struct rescue {
    struct receiving *receiving;
    atomic_bool unneeded;
    bool sent;
};

/* If the receive blocks for two seconds, sends enough datagrams to end it. */
static void send_when_it_takes_too_long(void *argument)
{
    struct rescue *rescue = argument;
    int64_t too_long = clock_monotonic_ns() + INT64_C(2000000000);
    while (!atomic_load(&rescue->unneeded) && clock_monotonic_ns() < too_long)
        this_thread_yield();
    rescue->sent = !atomic_load(&rescue->unneeded);
    if (rescue->sent)
        udp_sender_send_numbers(rescue->receiving->sender, &rescue->receiving->to,
                                DATAGRAM_GROUP_SIZE);
}

/* No notifier watches the socket here. Some notifiers would make it non-blocking. */
TEST_WITH(a_receive_from_an_empty_socket_does_not_block, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    struct rescue rescue = {.receiving = receiving};
    struct thread *thread;
    struct error error;
    receiving_open(receiving, ADDRESS_IPV4, DATAGRAM_MAX_SIZE);
    assert_int_equal(thread_start(&thread, "rescue", send_when_it_takes_too_long, &rescue, &error),
                     0);
    enum receive_result result = udp_socket_receive(receiving->socket, receiving->group, &error);
    atomic_store(&rescue.unneeded, true);
    thread_join(thread);
    assert_false(rescue.sent);
    assert_int_equal(result, RECEIVE_WOULD_BLOCK);
}

/* --- destinations ----------------------------------------------------------------------------- */

static void open_everywhere(struct receiving *receiving, enum address_family family, bool tell)
{
    struct udp_socket_options options = {.address = {.family = (uint8_t)family},
                                         .receive_buffer = RECEIVING_BUFFER,
                                         .max_datagram = DATAGRAM_MAX_SIZE,
                                         .wants_destination = tell};
    receiving_open_with(receiving, &options);
}

static void assert_reported(struct receiving *receiving, const char *sent_to, const char *told)
{
    struct address to, expected;
    assert_true(address_parse_host(sent_to, strlen(sent_to), &to));
    assert_true(address_parse_host(told, strlen(told), &expected));
    to.port = receiving->to.port;
    udp_sender_send(receiving->sender, &to, "x", 1);
    const struct datagram_slot *slot = receiving_next(receiving);
    assert_non_null(slot);
    assert_int_equal(slot->destination->family, expected.family);
    assert_memory_equal(slot->destination->bytes, expected.bytes, sizeof expected.bytes);
    assert_int_equal(slot->destination->port, receiving->to.port);
    /* The arrival time comes in another control message, and must be reported as well. */
    assert_true(slot->received_ns > INT64_C(1700000000000000000));
}

TEST_WITH(a_socket_on_every_address_reports_each_datagrams_destination_when_asked, receiving_set_up,
          receiving_tear_down)
{
    struct receiving *receiving = *state;
    open_everywhere(receiving, ADDRESS_IPV4, true);
    assert_reported(receiving, "127.0.0.1", "127.0.0.1");
    assert_reported(receiving, "127.0.0.2", "127.0.0.2");
    receiving_close_socket(receiving);
    open_everywhere(receiving, ADDRESS_IPV4, false);
    assert_reported(receiving, "127.0.0.2", "0.0.0.0");
    receiving_close_socket(receiving);
    if (loopback_has_ipv6()) {
        open_everywhere(receiving, ADDRESS_IPV6, true);
        assert_reported(receiving, "127.0.0.3",
                        "127.0.0.3"); /* an IPv4 destination on a socket of both families */
        udp_sender_close(receiving->sender);
        receiving->sender = udp_sender_open(ADDRESS_IPV6);
        assert_reported(receiving, "::1", "::1");
    }
}

/* --- truncation ------------------------------------------------------------------------------- */

static void assert_truncated_at(struct receiving *receiving, size_t limit, size_t sent)
{
    udp_sender_send(receiving->sender, &receiving->to, pattern(), sent);
    const struct datagram_slot *slot = receiving_next(receiving);
    assert_non_null(slot);
    assert_int_equal(slot->truncated, sent > limit);
    assert_int_equal(slot->sent_size, sent);
    assert_pattern(slot, sent < limit ? sent : limit);
}

TEST_WITH(what_is_longer_than_max_datagram_is_truncated_and_its_size_known, receiving_set_up,
          receiving_tear_down)
{
    struct receiving *receiving = *state;
    static const size_t limits[] = {1, 100, 2047, 2048, 2049, 9000, LARGEST - 1, LARGEST};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        size_t limit = limits[i];
        receiving_open(receiving, ADDRESS_IPV4, limit);
        assert_truncated_at(receiving, limit, limit - 1);
        assert_truncated_at(receiving, limit, limit);
        if (limit < LARGEST) {
            assert_truncated_at(receiving, limit, limit + 1);
            assert_truncated_at(receiving, limit, LARGEST);
        }
        assert_null(receiving_next(receiving));
        receiving_close_socket(receiving);
    }
}

TEST_WITH(a_bound_socket_follows_other_options, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    receiving_open(receiving, ADDRESS_IPV4, 100);
    assert_truncated_at(receiving, 100, 200);
    const struct udp_socket_options other = {
        .address = receiving->to, .receive_buffer = 65536, .max_datagram = 150};
    struct error error;
    assert_int_equal(udp_socket_change(receiving->socket, &other, &error), 0);
    assert_truncated_at(receiving, 150, 200);
    assert_in_range(udp_socket_receive_buffer(receiving->socket), 65536, 2 * 65536);
    assert_int_equal(udp_socket_address(receiving->socket).port, receiving->to.port);
}

TEST_WITH(one_group_serves_sockets_of_different_limits, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    struct receiving other = {.group = receiving->group, .sender = receiving->sender};
    receiving_open(receiving, ADDRESS_IPV4, 10);
    receiving_open(&other, ADDRESS_IPV4, DATAGRAM_MAX_SIZE);
    for (int i = 0; i < 3; i++) {
        assert_truncated_at(receiving, 10, 3000);
        assert_truncated_at(&other, DATAGRAM_MAX_SIZE, 3000);
    }
    receiving_close_socket(&other);
}

/*
 * A group has room for DATAGRAM_MAX_SIZE bytes of each datagram, so a higher limit has no effect.
 */
TEST_WITH(a_limit_beyond_the_largest_datagram_is_the_largest_datagram, receiving_set_up,
          receiving_tear_down)
{
    struct receiving *receiving = *state;
    receiving_open(receiving, ADDRESS_IPV4, (size_t)16 * 1024 * 1024);
    udp_sender_send(receiving->sender, &receiving->to, pattern(), LARGEST);
    assert_pattern(receiving_next(receiving), LARGEST);
}

/* --- sources and arrival times ---------------------------------------------------------------- */

static void assert_same_address(const struct address *a, const struct address *b)
{
    char first[ADDRESS_TEXT_SIZE];
    char second[ADDRESS_TEXT_SIZE];
    address_format(a, first);
    address_format(b, second);
    assert_string_equal(first, second);
    assert_int_equal(a->family, b->family);
}

static void assert_source_seen(struct receiving *receiving, enum address_family from)
{
    struct udp_sender *sender = udp_sender_open(from);
    struct address to = loopback(from);
    to.port = receiving->to.port;
    udp_sender_send(sender, &to, "x", 1);
    const struct datagram_slot *slot = receiving_next(receiving);
    assert_non_null(slot);
    struct address expected = udp_sender_address(sender);
    assert_same_address(&slot->source, &expected);
    udp_sender_close(sender);
}

TEST_WITH(an_ipv4_source_is_given, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    receiving_open(receiving, ADDRESS_IPV4, DATAGRAM_MAX_SIZE);
    assert_source_seen(receiving, ADDRESS_IPV4);
    assert_source_seen(receiving, ADDRESS_IPV4);
}

TEST_WITH(an_ipv6_source_is_given, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    if (!loopback_has_ipv6())
        skip();
    receiving_open(receiving, ADDRESS_IPV6, DATAGRAM_MAX_SIZE);
    assert_source_seen(receiving, ADDRESS_IPV6);
}

TEST_WITH(a_dual_stack_socket_shows_ipv4_sources_as_ipv4, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    if (!loopback_has_ipv6())
        skip();
    struct udp_socket_options options = {
        .address = {.family = ADDRESS_IPV6},
        .receive_buffer = RECEIVING_BUFFER,
        .max_datagram = DATAGRAM_MAX_SIZE,
    };
    receiving_open_with(receiving, &options);
    assert_source_seen(receiving, ADDRESS_IPV4);
    assert_source_seen(receiving, ADDRESS_IPV6);
    assert_source_seen(receiving, ADDRESS_IPV4);
}

TEST_WITH(an_ipv6_only_socket_leaves_the_port_to_ipv4, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    if (!loopback_has_ipv6())
        skip();
    struct udp_socket_options options = {
        .address = {.family = ADDRESS_IPV6},
        .ipv6_only = true,
        .receive_buffer = RECEIVING_BUFFER,
        .max_datagram = DATAGRAM_MAX_SIZE,
    };
    receiving_open_with(receiving, &options);
    assert_source_seen(receiving, ADDRESS_IPV6);

    struct receiving other = {.group = receiving->group, .sender = receiving->sender};
    options.address = loopback(ADDRESS_IPV4);
    options.address.port = receiving->to.port;
    receiving_open_with(&other, &options);
    assert_source_seen(&other, ADDRESS_IPV4);
    receiving_close_socket(&other);
}

TEST_WITH(the_arrival_time_lies_between_sending_and_receiving, receiving_set_up,
          receiving_tear_down)
{
    struct receiving *receiving = *state;
    receiving_open(receiving, ADDRESS_IPV4, DATAGRAM_MAX_SIZE);
    /* The clock of the kernel and clock_wall_ns may differ by this time. */
    int64_t slack = 100 * INT64_C(1000000);
    int64_t before = clock_wall_ns();
    udp_sender_send_numbers(receiving->sender, &receiving->to, 100);
    int64_t earliest = before - slack;
    for (int i = 0; i < 100; i++) {
        const struct datagram_slot *slot = receiving_next(receiving);
        assert_non_null(slot);
        assert_true(slot->received_ns >= earliest);
        assert_true(slot->received_ns <= clock_wall_ns() + slack);
        earliest = slot->received_ns; /* arrival times do not decrease */
    }
}

static bool is_stamped_before_it_is_asked_for(struct receiving *receiving)
{
    udp_sender_send(receiving->sender, &receiving->to, "x", 1);
    int64_t sent = clock_wall_ns();
    int64_t later = clock_monotonic_ns() + 30 * INT64_C(1000000);
    while (clock_monotonic_ns() < later)
        ;
    return receiving_next(receiving)->received_ns <= sent + 10 * INT64_C(1000000);
}

/*
 * The kernel stamps a datagram when it arrives, not when it is received. On a busy machine the
 * stamp may be late, but not for each of 100 datagrams.
 */
TEST_WITH(the_arrival_time_is_not_that_of_the_receive, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    if (!udp_socket_reports_arrival)
        skip();
    receiving_open(receiving, ADDRESS_IPV4, DATAGRAM_MAX_SIZE);
    for (int i = 0; i < 100; i++)
        if (is_stamped_before_it_is_asked_for(receiving))
            return;
    fail_msg("of a hundred datagrams none");
}

/* --- opening and binding ---------------------------------------------------------------------- */

TEST_WITH(the_port_that_the_system_chose_is_reported, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    receiving_open(receiving, ADDRESS_IPV4, DATAGRAM_MAX_SIZE);
    struct address bound = udp_socket_address(receiving->socket);
    assert_int_not_equal(bound.port, 0);
    bound.port = 0;
    struct address asked = loopback(ADDRESS_IPV4);
    assert_same_address(&bound, &asked);
}

TEST_WITH(a_port_in_use_is_one_clear_line, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    receiving_open(receiving, ADDRESS_IPV4, DATAGRAM_MAX_SIZE);
    struct udp_socket_options options = {
        .address = receiving->to, .receive_buffer = 65536, .max_datagram = 2048};
    struct udp_socket *second = NULL;
    struct error error = {.code = EXIT_CODE_OK};
    assert_int_equal(udp_socket_open(&second, &options, &error), 0);
    assert_int_equal(udp_socket_bind(second, &error), -1);
    udp_socket_close(second);

    char address[ADDRESS_TEXT_SIZE];
    address_format(&receiving->to, address);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_BIND);
    assert_non_null(strstr(error.text, address));
    assert_non_null(strstr(error.text, "in use"));
    assert_null(strchr(error.text, '\n'));
}

TEST_WITH(an_address_that_is_not_ours_cannot_be_bound, receiving_set_up, receiving_tear_down)
{
    (void)state;
    if (!loopback_has_ipv6())
        skip();
    struct udp_socket_options options = {
        /*
         * The address is reserved for documentation (RFC 3849), so no host has it. An IPv4 address
         * would not do, because Wine binds any.
         */
        .address = {.family = ADDRESS_IPV6, .bytes = {0x20, 0x01, 0x0d, 0xb8, [15] = 0x77}},
        .receive_buffer = 65536,
        .max_datagram = 2048,
    };
    struct udp_socket *made = NULL;
    struct error error = {.code = EXIT_CODE_OK};
    assert_int_equal(udp_socket_open(&made, &options, &error), 0);
    assert_int_equal(udp_socket_bind(made, &error), -1);
    udp_socket_close(made);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_BIND);
    assert_non_null(strstr(error.text, "[2001:db8::77]:0"));
}

TEST_WITH(sockets_that_share_a_port_all_bind, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    if (!udp_socket_can_share_port)
        skip();
    struct udp_socket_options options = {
        .address = loopback(ADDRESS_IPV4),
        .share_port = true,
        .receive_buffer = RECEIVING_BUFFER,
        .max_datagram = DATAGRAM_MAX_SIZE,
    };
    receiving_open_with(receiving, &options);
    struct receiving other = {.group = receiving->group, .sender = receiving->sender};
    options.address.port = receiving->to.port;
    receiving_open_with(&other, &options);

    /* Each datagram must arrive at exactly one of the two sockets. */
    enum { SOURCES = 16 };
    for (int i = 0; i < SOURCES; i++) {
        struct udp_sender *sender = udp_sender_open(ADDRESS_IPV4);
        udp_sender_send(sender, &receiving->to, "x", 1);
        udp_sender_close(sender);
    }
    size_t received = 0;
    while (receiving_next(receiving) != NULL)
        received++;
    while (receiving_next(&other) != NULL)
        received++;
    assert_int_equal(received, SOURCES);
    receiving_close_socket(&other);
}

TEST(sharing_a_port_is_refused_where_the_system_cannot)
{
    if (udp_socket_can_share_port)
        skip();
    struct udp_socket_options options = {
        .address = loopback(ADDRESS_IPV4),
        .share_port = true,
        .receive_buffer = RECEIVING_BUFFER,
        .max_datagram = DATAGRAM_MAX_SIZE,
    };
    struct udp_socket *made = NULL;
    struct error error = {.code = EXIT_CODE_OK};
    assert_int_equal(udp_socket_open(&made, &options, &error), -1);
    assert_null(made);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_BIND);
    assert_non_null(strstr(error.text, "share"));
}

TEST(closing_nothing_is_allowed)
{
    udp_socket_close(NULL);
    datagram_group_destroy(NULL);
}
