#include "tests/support/platform/receiving.h"

#include "tests/support/test.h"

#include <stdlib.h>

int receiving_set_up(void **state)
{
    struct receiving *receiving = calloc(1, sizeof *receiving);
    assert_non_null(receiving);
    receiving->sender = udp_sender_open(ADDRESS_IPV4);
    receiving->group = datagram_group_create();
    assert_non_null(receiving->group);
    *state = receiving;
    return 0;
}

int receiving_tear_down(void **state)
{
    struct receiving *receiving = *state;
    udp_socket_close(receiving->socket);
    datagram_group_destroy(receiving->group);
    udp_sender_close(receiving->sender);
    free(receiving);
    return 0;
}

void receiving_open_with(struct receiving *receiving, const struct udp_socket_options *options)
{
    struct error error;
    assert_null(receiving->socket);
    if (udp_socket_open(&receiving->socket, options, &error) != 0)
        fail_msg("%s", error.text);
    if (udp_socket_bind(receiving->socket, &error) != 0)
        fail_msg("%s", error.text);
    receiving->to = udp_socket_address(receiving->socket);
    receiving->count = 0;
    receiving->next = 0;
}

void receiving_open(struct receiving *receiving, enum address_family family, size_t max_datagram)
{
    struct udp_socket_options options = {
        .address = loopback(family),
        .receive_buffer = RECEIVING_BUFFER,
        .max_datagram = max_datagram,
    };
    receiving_open_with(receiving, &options);
}

void receiving_close_socket(struct receiving *receiving)
{
    udp_socket_close(receiving->socket);
    receiving->socket = NULL;
}

const struct datagram_slot *receiving_next(struct receiving *receiving)
{
    if (receiving->next == receiving->count) {
        struct error error;
        enum receive_result result =
            udp_socket_receive(receiving->socket, receiving->group, &error);
        receiving->next = 0;
        receiving->count = receiving->group->count;
        if (result == RECEIVE_WOULD_BLOCK)
            return NULL;
        if (result != RECEIVE_OK)
            fail_msg("receive: %s", result == RECEIVE_FATAL ? error.text : "later");
        assert_in_range(receiving->group->count, 1, DATAGRAM_GROUP_SIZE);
    }
    return &receiving->group->slots[receiving->next++];
}

bool loopback_has_ipv6(void)
{
    struct udp_socket *socket = NULL;
    struct udp_socket_options options = {
        .address = loopback(ADDRESS_IPV6), .receive_buffer = 65536, .max_datagram = 2048};
    bool has = udp_socket_open(&socket, &options, NULL) == 0 && udp_socket_bind(socket, NULL) == 0;
    udp_socket_close(socket);
    return has;
}
