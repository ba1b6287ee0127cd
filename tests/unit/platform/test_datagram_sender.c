#include <string.h>

#include "collector/platform/udp.h"
#include "tests/support/platform/patience.h"
#include "tests/support/test.h"

static struct address loopback(enum address_family family)
{
    struct address address;
    const char *text = family == ADDRESS_IPV6 ? "::1" : "127.0.0.1";
    assert_true(address_parse_host(text, strlen(text), &address));
    return address;
}

struct receiver {
    struct udp_socket *socket;
    struct datagram_group *group;
    size_t at;
};

static struct receiver receiver_open(enum address_family family, struct address *at)
{
    struct receiver receiver = {.group = datagram_group_create()};
    const struct udp_socket_options options = {
        .address = loopback(family), .receive_buffer = 1 << 20, .max_datagram = DATAGRAM_MAX_SIZE};
    assert_non_null(receiver.group);
    receiver.group->count = 0;
    assert_int_equal(udp_socket_open(&receiver.socket, &options, NULL), 0);
    assert_int_equal(udp_socket_bind(receiver.socket, NULL), 0);
    *at = udp_socket_address(receiver.socket);
    return receiver;
}

static void receiver_close(struct receiver *receiver)
{
    udp_socket_close(receiver->socket);
    datagram_group_destroy(receiver->group);
}

static void assert_next(struct receiver *receiver, const void *data, size_t size)
{
    int64_t until = patience_until();
    while (receiver->at == receiver->group->count) {
        struct error error;
        receiver->at = 0;
        receiver->group->count = 0;
        if (udp_socket_receive(receiver->socket, receiver->group, &error) != RECEIVE_OK) {
            receiver->group->count = 0;
            assert_true(patience(until));
        }
    }
    const struct datagram_slot *slot = &receiver->group->slots[receiver->at++];
    assert_int_equal(slot->size, size);
    assert_memory_equal(slot->front, data, datagram_front_size(slot));
}

static struct datagram_sender *sender_open(const struct address *targets, size_t count)
{
    struct datagram_sender *sender;
    const struct datagram_sender_options options = {.targets = targets, .target_count = count};
    assert_int_equal(datagram_sender_open(&sender, &options, NULL), 0);
    return sender;
}

static size_t send_all(struct datagram_sender *sender, const struct outgoing *datagrams,
                       size_t count)
{
    size_t calls = 0;
    for (size_t done = 0, sent; done < count; done += sent, calls++) {
        struct error error;
        assert_int_equal(
            datagram_sender_send(sender, datagrams + done, count - done, &sent, &error), SEND_OK);
        assert_in_range(sent, 1, count - done);
    }
    return calls;
}

TEST(datagrams_of_any_size_arrive_in_their_order_at_their_target)
{
    struct address targets[3];
    struct receiver receivers[3];
    uint8_t bytes[9000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 31 + 7);
    for (size_t i = 0; i < 3; i++)
        receivers[i] = receiver_open(i == 1 ? ADDRESS_IPV6 : ADDRESS_IPV4, &targets[i]);
    struct datagram_sender *sender = sender_open(targets, 3);
    const struct outgoing datagrams[] = {
        {0, bytes, 5}, {0, bytes, 0}, {2, bytes, 1}, {1, bytes + 1, 9000 - 1},
        {1, bytes, 2}, {0, bytes, 3}, {2, bytes, 9},
    };
    size_t count = sizeof datagrams / sizeof datagrams[0];
    assert_in_range(send_all(sender, datagrams, count), 1, count);
    for (size_t i = 0; i < count; i++)
        assert_next(&receivers[datagrams[i].target], datagrams[i].data, datagrams[i].size);
    datagram_sender_close(sender);
    for (size_t i = 0; i < 3; i++)
        receiver_close(&receivers[i]);
}

TEST(one_that_is_too_long_is_not_sent_and_the_next_one_is)
{
    static const uint8_t bytes[70000];
    struct address target;
    struct receiver receiver = receiver_open(ADDRESS_IPV4, &target);
    struct datagram_sender *sender = sender_open(&target, 1);
    const struct outgoing datagrams[] = {{0, bytes, sizeof bytes}, {0, bytes, 7}};
    size_t sent = 99;
    struct error error;
    assert_int_equal(datagram_sender_send(sender, datagrams, 2, &sent, &error), SEND_TOO_LARGE);
    assert_int_equal(datagram_sender_send(sender, datagrams + 1, 1, &sent, &error), SEND_OK);
    assert_int_equal(sent, 1);
    assert_next(&receiver, bytes, 7);
    datagram_sender_close(sender);
    receiver_close(&receiver);
}

/*
 * The port of the target is closed. The system does not report that to an unconnected UDP socket.
 */
TEST(nobody_at_the_target_is_no_error)
{
    struct address target;
    struct receiver receiver = receiver_open(ADDRESS_IPV4, &target);
    receiver_close(&receiver);
    struct datagram_sender *sender = sender_open(&target, 1);
    for (size_t i = 0; i < 100; i++) {
        const struct outgoing datagram = {0, "x", 1};
        assert_int_equal(send_all(sender, &datagram, 1), 1);
    }
    datagram_sender_close(sender);
}

TEST(addresses_of_this_machine_are_known_from_others)
{
    struct address address = loopback(ADDRESS_IPV4);
    assert_true(datagram_sender_is_local(&address));
    address.bytes[3] = 77;
    assert_true(datagram_sender_is_local(&address)); /* 127.0.0.0/8 is the host's */
    /* The address is reserved for documentation (RFC 5737), so this host does not have it. */
    assert_true(address_parse_host("192.0.2.1", 9, &address));
    assert_false(datagram_sender_is_local(&address));
}
