/*
 * Tests that datagrams that the kernel drops, and datagrams that it refuses on request, are counted
 * exactly.
 */
#include <string.h>

#include "collector/platform/udp.h"
#include "tests/support/platform/receiving.h"
#include "tests/support/test.h"

static void open_with_buffer(struct receiving *receiving, size_t receive_buffer)
{
    struct udp_socket_options options = {
        .address = loopback(ADDRESS_IPV4),
        .receive_buffer = receive_buffer,
        .max_datagram = 2048,
    };
    receiving_open_with(receiving, &options);
}

static size_t drain(struct receiving *receiving)
{
    size_t received = 0;
    while (receiving_next(receiving) != NULL)
        received++;
    return received;
}

TEST_WITH(nothing_is_dropped_where_the_buffer_suffices, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    open_with_buffer(receiving, RECEIVING_BUFFER);
    udp_sender_send_numbers(receiving->sender, &receiving->to, 200);
    assert_int_equal(udp_socket_drops(receiving->socket), 0);
    assert_int_equal(drain(receiving), 200);
    assert_int_equal(udp_socket_drops(receiving->socket), 0);
}

/*
 * The drops must be counted without a later datagram. Otherwise those at the end of a burst would
 * be missed.
 */
TEST_WITH(what_is_sent_is_received_or_counted_as_dropped, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    if (!udp_socket_counts_drops())
        skip();
    open_with_buffer(receiving, 16384);
    uint64_t sent = 0;
    uint64_t received = 0;
    for (int burst = 0; burst < 5; burst++) {
        udp_sender_send_numbers(receiving->sender, &receiving->to, 1000);
        sent += 1000;
        /* The count must already be exact while the queue is full. */
        uint64_t drops = udp_socket_drops(receiving->socket);
        assert_in_range(drops, 1, sent);
        received += drain(receiving);
        assert_int_equal(udp_socket_drops(receiving->socket), drops);
        assert_int_equal(received + drops, sent);
    }
    assert_in_range(received, 5, sent - 1);
}

TEST_WITH(drops_of_one_socket_are_not_counted_for_another, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    struct receiving other = {.group = receiving->group, .sender = receiving->sender};
    if (!udp_socket_counts_drops())
        skip();
    open_with_buffer(receiving, 16384);
    open_with_buffer(&other, RECEIVING_BUFFER);
    udp_sender_send_numbers(receiving->sender, &receiving->to, 1000);
    udp_sender_send_numbers(receiving->sender, &other.to, 1000);
    assert_int_equal(udp_socket_drops(other.socket), 0);
    assert_int_not_equal(udp_socket_drops(receiving->socket), 0);
    assert_int_equal(drain(&other), 1000);
    receiving_close_socket(&other);
}

TEST_WITH(where_drops_cannot_be_counted_none_is_reported, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    if (udp_socket_counts_drops())
        skip();
    open_with_buffer(receiving, 16384);
    udp_sender_send_numbers(receiving->sender, &receiving->to, 1000);
    assert_int_equal(udp_socket_drops(receiving->socket), 0);
    assert_in_range(drain(receiving), 1, 1000);
    assert_int_equal(udp_socket_drops(receiving->socket), 0);
}

TEST_WITH(a_buffer_is_half_full_until_it_is_drained, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    if (!udp_socket_counts_drops())
        skip();
    open_with_buffer(receiving, 16384);
    assert_false(udp_socket_is_half_full(receiving->socket));
    udp_sender_send_numbers(receiving->sender, &receiving->to, 2);
    assert_false(udp_socket_is_half_full(receiving->socket));
    udp_sender_send_numbers(receiving->sender, &receiving->to, 1000);
    assert_true(udp_socket_is_half_full(receiving->socket));
    drain(receiving);
    assert_false(udp_socket_is_half_full(receiving->socket));
}

TEST_WITH(where_it_is_not_known_every_buffer_is_half_full, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    if (udp_socket_counts_drops())
        skip();
    open_with_buffer(receiving, RECEIVING_BUFFER);
    assert_true(udp_socket_is_half_full(receiving->socket));
}

TEST_WITH(refusing_all_keeps_what_is_queued_and_counts_the_rest, receiving_set_up,
          receiving_tear_down)
{
    struct receiving *receiving = *state;
    open_with_buffer(receiving, RECEIVING_BUFFER);
    udp_sender_send_numbers(receiving->sender, &receiving->to, 100);
    if (!udp_socket_refuse_all(receiving->socket))
        skip();
    assert_int_equal(udp_socket_drops(receiving->socket), 0);
    udp_sender_send_numbers(receiving->sender, &receiving->to, 37);
    udp_sender_send(receiving->sender, &receiving->to, "", 0);
    for (uint32_t i = 0; i < 100; i++) {
        const struct datagram_slot *slot = receiving_next(receiving);
        assert_non_null(slot);
        assert_memory_equal(slot->front, &i, sizeof i);
    }
    assert_null(receiving_next(receiving));
    assert_int_equal(udp_socket_drops(receiving->socket), 38);
    assert_true(udp_socket_refuse_all(receiving->socket)); /* a second call is allowed */
}

TEST_WITH(the_buffer_granted_is_reported_and_large_enough_for_what_is_asked, receiving_set_up,
          receiving_tear_down)
{
    struct receiving *receiving = *state;
    open_with_buffer(receiving, RECEIVING_BUFFER);
    size_t granted = udp_socket_receive_buffer(receiving->socket);
    assert_int_not_equal(granted, 0);
    if (granted < RECEIVING_BUFFER)
        skip(); /* without privileges, net.core.rmem_max is the limit */
    /* The kernel counts a small datagram in the queue as less than 1 KiB of the buffer. */
    udp_sender_send_numbers(receiving->sender, &receiving->to, RECEIVING_BUFFER / 1024);
    assert_int_equal(drain(receiving), RECEIVING_BUFFER / 1024);
    assert_int_equal(udp_socket_drops(receiving->socket), 0);
}

TEST_WITH(a_buffer_beyond_all_limits_is_granted_in_part, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    open_with_buffer(receiving, SIZE_MAX);
    assert_int_not_equal(udp_socket_receive_buffer(receiving->socket), 0);
    udp_sender_send(receiving->sender, &receiving->to, "x", 1);
    assert_int_equal(drain(receiving), 1);
}

TEST(there_is_advice_where_less_was_granted)
{
    assert_true(strlen(udp_socket_buffer_advice) != 0);
    assert_true(datagram_group_memory() > (size_t)DATAGRAM_GROUP_SIZE * DATAGRAM_MAX_SIZE);
}
