/* Tests that busy_poll reaches the kernel, in microseconds. */

#include <string.h>
#include <sys/socket.h>

#include "tests/support/platform/receiving.h"
#include "tests/support/test.h"

static int asked_for(const struct receiving *receiving)
{
    int found = -1;
    socklen_t size = sizeof found;
    assert_int_equal(getsockopt((int)udp_socket_handle(receiving->socket), SOL_SOCKET, SO_BUSY_POLL,
                                &found, &size),
                     0);
    return found;
}

TEST_WITH(the_kernel_polls_as_long_as_it_was_asked_to, receiving_set_up, receiving_tear_down)
{
    struct receiving *receiving = *state;
    struct udp_socket *probe = NULL;
    struct error error;
    struct udp_socket_options options = {
        .address = {.family = ADDRESS_IPV4, .bytes = {127, 0, 0, 1}},
        .receive_buffer = RECEIVING_BUFFER,
        .max_datagram = DATAGRAM_MAX_SIZE};
    receiving_open_with(receiving, &options);
    int before = asked_for(receiving);
    receiving_close_socket(receiving);
    options.busy_poll_us = (unsigned)before + 50;
    if (udp_socket_open(&probe, &options, &error) != 0) { /* without CAP_NET_ADMIN */
        assert_non_null(strstr(error.text, "busy_poll: more than net.core.busy_read"));
        skip();
    }
    udp_socket_close(probe);
    receiving_open_with(receiving, &options);
    assert_int_equal(asked_for(receiving), before + 50);
    udp_sender_send(receiving->sender, &receiving->to, "x", 1);
    assert_non_null(receiving_next(receiving));
    assert_null(receiving_next(receiving));
}
