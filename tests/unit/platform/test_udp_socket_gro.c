/* Tests sockets with GRO: the kernel joins the datagrams of a sender that uses segmentation. */

#include <arpa/inet.h>
#include <linux/udp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/support/platform/receiving.h"
#include "tests/support/test.h"

#define SEGMENT 117
#define MOST    60 /* most segments of one send; the kernel's limit is higher */

static int segmenting = -1; /* a socket that sends many datagrams in one call */

static void open_gro(struct receiving *receiving, size_t max_datagram)
{
    struct udp_socket_options options = {
        .address = {.family = ADDRESS_IPV4, .bytes = {127, 0, 0, 1}},
        .receive_buffer = RECEIVING_BUFFER,
        .max_datagram = max_datagram,
        .gro = true};
    receiving_open_with(receiving, &options);
}

static int set_up(void **state)
{
    const int segment = SEGMENT;
    segmenting = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (segmenting < 0 ||
        setsockopt(segmenting, IPPROTO_UDP, UDP_SEGMENT, &segment, sizeof segment) != 0)
        return -1;
    return receiving_set_up(state);
}

static int tear_down(void **state)
{
    close(segmenting);
    return receiving_tear_down(state);
}

static uint8_t byte_at(size_t at)
{
    return (uint8_t)(at * 7 + at / 251);
}

/*
 * Sends `size` bytes of the test's data, from offset `from`, in one call. The kernel makes
 * datagrams of SEGMENT bytes of them; the last one may be shorter.
 */
static void send_segments(struct receiving *receiving, size_t from, size_t size)
{
    uint8_t bytes[MOST * SEGMENT];
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(receiving->to.port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(size <= sizeof bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = byte_at(from + i);
    assert_int_equal(sendto(segmenting, bytes, size, 0, (struct sockaddr *)&to, sizeof to),
                     (ssize_t)size);
}

static void assert_next(struct receiving *receiving, size_t from, size_t size)
{
    const struct datagram_slot *slot = receiving_next(receiving);
    assert_non_null(slot);
    assert_int_equal(slot->size, size);
    assert_int_equal(slot->sent_size, size);
    assert_false(slot->truncated);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(slot->front[i], byte_at(from + i));
}

TEST_WITH(a_buffer_is_cut_into_the_datagrams_that_were_sent, set_up, tear_down)
{
    struct receiving *receiving = *state;
    open_gro(receiving, DATAGRAM_MAX_SIZE);
    send_segments(receiving, 0, 10 * SEGMENT);
    for (size_t i = 0; i < 10; i++)
        assert_next(receiving, i * SEGMENT, SEGMENT);
    assert_null(receiving_next(receiving));
}

TEST_WITH(the_last_datagram_of_a_buffer_may_be_shorter, set_up, tear_down)
{
    struct receiving *receiving = *state;
    open_gro(receiving, DATAGRAM_MAX_SIZE);
    send_segments(receiving, 0, 3 * SEGMENT + 1);
    send_segments(receiving, 1000, SEGMENT);
    for (size_t i = 0; i < 3; i++)
        assert_next(receiving, i * SEGMENT, SEGMENT);
    assert_next(receiving, 3 * SEGMENT, 1);
    assert_next(receiving, 1000, SEGMENT);
    assert_null(receiving_next(receiving));
}

/*
 * There are more datagrams than a group has slots, and the kernel returns them in several buffers.
 */
TEST_WITH(all_datagrams_of_many_buffers_come_in_order, set_up, tear_down)
{
    struct receiving *receiving = *state;
    enum { BUFFERS = 40 };
    open_gro(receiving, DATAGRAM_MAX_SIZE);
    for (size_t i = 0; i < BUFFERS; i++)
        send_segments(receiving, i * MOST * SEGMENT, (size_t)MOST * SEGMENT);
    for (size_t i = 0; i < (size_t)BUFFERS * MOST; i++)
        assert_next(receiving, i * SEGMENT, SEGMENT);
    assert_null(receiving_next(receiving));
}

TEST_WITH(what_a_group_has_more_of_comes_without_the_kernel, set_up, tear_down)
{
    struct receiving *receiving = *state;
    struct error error;
    open_gro(receiving, DATAGRAM_MAX_SIZE);
    for (size_t i = 0; i < 2; i++)
        send_segments(receiving, 0, (size_t)MOST * SEGMENT);
    assert_int_equal(udp_socket_receive(receiving->socket, receiving->group, &error), RECEIVE_OK);
    assert_int_equal(receiving->group->count, DATAGRAM_GROUP_SIZE);
    assert_true(receiving->group->more);
    assert_false(receiving->group->emptied);
    assert_int_equal(udp_socket_receive(receiving->socket, receiving->group, &error), RECEIVE_OK);
    assert_int_equal(receiving->group->count, 2 * MOST - DATAGRAM_GROUP_SIZE);
    assert_false(receiving->group->more);
    assert_int_equal(udp_socket_receive(receiving->socket, receiving->group, &error),
                     RECEIVE_WOULD_BLOCK);
}

TEST_WITH(datagrams_alone_and_empty_ones_come_as_they_are, set_up, tear_down)
{
    struct receiving *receiving = *state;
    open_gro(receiving, DATAGRAM_MAX_SIZE);
    udp_sender_send(receiving->sender, &receiving->to, "", 0);
    send_segments(receiving, 0, 2 * SEGMENT);
    udp_sender_send(receiving->sender, &receiving->to, "", 0);
    udp_sender_send(receiving->sender, &receiving->to, "x", 1);
    assert_next(receiving, 0, 0);
    assert_next(receiving, 0, SEGMENT);
    assert_next(receiving, SEGMENT, SEGMENT);
    assert_next(receiving, 0, 0);
    assert_int_equal(receiving_next(receiving)->front[0], 'x');
    assert_null(receiving_next(receiving));
}

TEST_WITH(a_datagram_of_the_largest_size_comes_whole, set_up, tear_down)
{
    static uint8_t bytes[65507];
    struct receiving *receiving = *state;
    open_gro(receiving, DATAGRAM_MAX_SIZE);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = byte_at(i);
    udp_sender_send(receiving->sender, &receiving->to, bytes, sizeof bytes);
    const struct datagram_slot *slot = receiving_next(receiving);
    assert_int_equal(slot->size, sizeof bytes);
    assert_memory_equal(slot->front, bytes, DATAGRAM_FRONT_SIZE);
    assert_memory_equal(slot->rest, bytes + DATAGRAM_FRONT_SIZE,
                        sizeof bytes - DATAGRAM_FRONT_SIZE);
}

TEST_WITH(each_of_them_is_cut_at_max_datagram, set_up, tear_down)
{
    struct receiving *receiving = *state;
    open_gro(receiving, SEGMENT - 1);
    send_segments(receiving, 0, 2 * SEGMENT + 5);
    for (size_t i = 0; i < 2; i++) {
        const struct datagram_slot *slot = receiving_next(receiving);
        assert_true(slot->truncated);
        assert_int_equal(slot->size, SEGMENT - 1);
        assert_int_equal(slot->sent_size, SEGMENT);
        assert_int_equal(slot->front[0], byte_at(i * SEGMENT));
    }
    assert_next(receiving, 2 * SEGMENT, 5);
}

TEST_WITH(each_of_them_says_who_sent_it_to_whom_and_when, set_up, tear_down)
{
    struct receiving *receiving = *state;
    struct udp_socket_options options = {.address = {.family = ADDRESS_IPV4},
                                         .receive_buffer = RECEIVING_BUFFER,
                                         .max_datagram = DATAGRAM_MAX_SIZE,
                                         .wants_destination = true,
                                         .gro = true};
    const uint8_t local[4] = {127, 0, 0, 1};
    struct sockaddr_in from = {.sin_family = AF_INET};
    socklen_t from_size = sizeof from;
    receiving_open_with(receiving, &options);
    send_segments(receiving, 0, 2 * SEGMENT);
    assert_int_equal(getsockname(segmenting, (struct sockaddr *)&from, &from_size), 0);
    for (size_t i = 0; i < 2; i++) {
        const struct datagram_slot *slot = receiving_next(receiving);
        assert_memory_equal(slot->source.bytes, local, sizeof local);
        assert_int_equal(slot->source.port, ntohs(from.sin_port));
        assert_memory_equal(slot->destination->bytes, local, sizeof local);
        assert_int_equal(slot->destination->port, receiving->to.port);
        assert_true(slot->received_ns > INT64_C(1700000000000000000));
    }
}

/* The same group receives from a socket with GRO, and then from one without it. */
TEST_WITH(a_group_goes_from_one_kind_of_socket_to_the_other, set_up, tear_down)
{
    struct receiving *receiving = *state;
    for (int i = 0; i < 2; i++) {
        open_gro(receiving, DATAGRAM_MAX_SIZE);
        send_segments(receiving, 0, 3 * SEGMENT);
        for (size_t k = 0; k < 3; k++)
            assert_next(receiving, k * SEGMENT, SEGMENT);
        assert_null(receiving_next(receiving));
        receiving_close_socket(receiving);

        receiving_open(receiving, ADDRESS_IPV4, DATAGRAM_MAX_SIZE);
        /* This socket has no GRO, so the kernel splits the buffer into datagrams. */
        send_segments(receiving, 0, 3 * SEGMENT);
        for (size_t k = 0; k < 3; k++)
            assert_next(receiving, k * SEGMENT, SEGMENT);
        assert_null(receiving_next(receiving));
        receiving_close_socket(receiving);
    }
}
