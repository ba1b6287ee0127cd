/* Tests sockets that share a port: each of them may get any datagram. */
#include <string.h>

#include "tests/support/platform/receiving.h"
#include "tests/support/test.h"

#define SOCKETS 3
#define SENT    300

struct sharing {
    struct receiving sockets[SOCKETS];
    struct address to;
};

static void open_sockets(struct sharing *sharing, struct receiving *one, unsigned spread_over)
{
    struct udp_socket_options options = {
        .address = {.family = ADDRESS_IPV4, .bytes = {127, 0, 0, 1}},
        .share_port = true,
        .spread_over = spread_over,
        .receive_buffer = RECEIVING_BUFFER,
        .max_datagram = DATAGRAM_MAX_SIZE};
    for (size_t i = 0; i < SOCKETS; i++) {
        sharing->sockets[i] = (struct receiving){.sender = one->sender, .group = one->group};
        receiving_open_with(&sharing->sockets[i], &options);
        sharing->to = sharing->sockets[i].to;
        options.address.port = sharing->to.port;
        options.spread_over = 0;
    }
}

static void close_sockets(struct sharing *sharing)
{
    for (size_t i = 0; i < SOCKETS; i++)
        if (sharing->sockets[i].socket != NULL)
            receiving_close_socket(&sharing->sockets[i]);
}

static void send_all(struct sharing *sharing, struct receiving *one)
{
    for (size_t i = 0; i < SENT; i++)
        udp_sender_send(one->sender, &sharing->to, "datagram", 8);
}

static size_t receive_all(struct sharing *sharing, size_t *counts)
{
    size_t sum = 0;
    for (size_t i = 0; i < SOCKETS; i++) {
        counts[i] = 0;
        while (sharing->sockets[i].socket != NULL && receiving_next(&sharing->sockets[i]) != NULL)
            counts[i]++;
        sum += counts[i];
    }
    return sum;
}

TEST_WITH(each_datagram_of_a_sender_goes_to_any_socket, receiving_set_up, receiving_tear_down)
{
    struct sharing sharing = {0};
    size_t counts[SOCKETS];
    open_sockets(&sharing, *state, SOCKETS);
    send_all(&sharing, *state);
    assert_int_equal(receive_all(&sharing, counts), SENT);
    /* About 100 datagrams are expected at each socket. Fewer than 50 have a probability of 1e-9. */
    for (size_t i = 0; i < SOCKETS; i++)
        assert_in_range(counts[i], SENT / SOCKETS / 2, SENT);
    close_sockets(&sharing);
}

TEST_WITH(without_it_a_sender_has_one_socket, receiving_set_up, receiving_tear_down)
{
    struct sharing sharing = {0};
    size_t counts[SOCKETS];
    open_sockets(&sharing, *state, 0);
    send_all(&sharing, *state);
    assert_int_equal(receive_all(&sharing, counts), SENT);
    assert_true(counts[0] == SENT || counts[1] == SENT || counts[2] == SENT);
    close_sockets(&sharing);
}

TEST_WITH(what_is_for_a_socket_that_is_gone_goes_to_another, receiving_set_up, receiving_tear_down)
{
    struct sharing sharing = {0};
    size_t counts[SOCKETS];
    open_sockets(&sharing, *state, SOCKETS);
    receiving_close_socket(&sharing.sockets[0]);
    send_all(&sharing, *state);
    assert_int_equal(receive_all(&sharing, counts), SENT);
    assert_true(counts[1] != 0 && counts[2] != 0);
    receiving_close_socket(&sharing.sockets[1]);
    send_all(&sharing, *state);
    assert_int_equal(receive_all(&sharing, counts), SENT);
    close_sockets(&sharing);
}

TEST_WITH(what_comes_before_all_are_bound_is_received, receiving_set_up, receiving_tear_down)
{
    struct sharing sharing = {0};
    size_t counts[SOCKETS];
    struct receiving *one = *state;
    struct udp_socket_options options = {
        .address = {.family = ADDRESS_IPV4, .bytes = {127, 0, 0, 1}},
        .share_port = true,
        .spread_over = SOCKETS,
        .receive_buffer = RECEIVING_BUFFER,
        .max_datagram = DATAGRAM_MAX_SIZE};
    sharing.sockets[0] = (struct receiving){.sender = one->sender, .group = one->group};
    receiving_open_with(&sharing.sockets[0], &options);
    sharing.to = sharing.sockets[0].to;
    send_all(&sharing, one);
    assert_int_equal(receive_all(&sharing, counts), SENT);
    close_sockets(&sharing);
}

TEST(the_system_says_that_it_can)
{
    struct error error;
    assert_int_equal(udp_socket_check_spread(&error), 0);
}

TEST(a_buffer_holds_no_more_than_is_said)
{
    struct sharing sharing = {0};
    struct receiving *one;
    size_t counts[SOCKETS];
    assert_int_equal(receiving_set_up((void **)&one), 0);
    struct udp_socket_options options = {
        .address = {.family = ADDRESS_IPV4, .bytes = {127, 0, 0, 1}},
        .receive_buffer = 64 * 1024,
        .max_datagram = DATAGRAM_MAX_SIZE};
    sharing.sockets[0] = (struct receiving){.sender = one->sender, .group = one->group};
    receiving_open_with(&sharing.sockets[0], &options);
    sharing.to = sharing.sockets[0].to;
    for (size_t i = 0; i < 10; i++)
        send_all(&sharing, one);
    size_t held = receive_all(&sharing, counts);
    assert_in_range(held, 64, udp_socket_most_held(options.receive_buffer, false));
    assert_int_equal(udp_socket_drops(sharing.sockets[0].socket), 10 * SENT - held);
    close_sockets(&sharing);
    receiving_tear_down((void **)&one);
}
