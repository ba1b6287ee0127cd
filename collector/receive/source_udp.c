/* Implements udp://ADDR:PORT. This process binds all sockets of a listener to the same port. */
#include <string.h>

#include "collector/receive/bound_sockets.h"
#include "collector/receive/bound_source.h"
#include "collector/receive/socket_source.h"
#include "collector/receive/sources.h"
#include "collector/senders/sequence.h"

/*
 * Returns by how many datagrams a sequence number may be late if a sender's datagrams arrive at
 * several sockets. While datagrams wait in one socket, each other socket may receive and deliver as
 * many as the waiting socket can hold.
 */
static uint64_t udp_apart(const struct listener_config *listener)
{
    if (!listener->spread)
        return 0;
    return listener->receivers * udp_socket_most_held(listener->receive_buffer, listener->gro);
}

#define ID_MOST 64

/*
 * Returns true if the text is allowed as an id. The id becomes a part of names in logs, metrics and
 * files.
 */
static bool is_id(const char *id)
{
    size_t length = strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    return id[length] == '\0' && length != 0 && length <= ID_MOST;
}

/*
 * Listeners of one multicast group do not conflict if they have different ids: each gets a copy of
 * the group's datagrams.
 */
static bool udp_conflict(const struct listener_config *a, const struct listener_config *b)
{
    bool told_apart = a->id != NULL && b->id != NULL && strcmp(a->id, b->id) != 0;
    return bound_source_conflict(a, b) && !told_apart;
}

static const char *udp_config_fault(const struct listener_config *listener)
{
    bool group = address_is_multicast(&listener->address);
    if (group && listener->address.port == 0)
        return "a multicast group needs a port, which its senders must know";
    if (!group && listener->id != NULL)
        return "id= needs a multicast group: another address has one listener";
    if (listener->id != NULL && !is_id(listener->id))
        return "id= has 1 to 64 letters, digits, dots, hyphens and underscores";
    if (!group && listener->group_source.family != ADDRESS_NONE)
        return "source= needs a multicast group; for other addresses use allow=";
    if (group && listener->group_source.family != ADDRESS_NONE &&
        listener->group_source.family != listener->address.family)
        return "source= needs the address family of the group";
    if (listener->ipv6_only && listener->address.family != ADDRESS_IPV6)
        return "ipv6_only needs an IPv6 address";
    if (udp_apart(listener) > SEQUENCE_SPREAD_MOST)
        return "spread=datagram: the receive buffers of all receivers= can hold more datagrams "
               "than "
               "the numbers remembered for a sender (1,048,576); lower receive_buffer=";
    return NULL;
}

/*
 * If several sockets joined a multicast group, the kernel would give each of them a copy of every
 * datagram.
 */
static const char *udp_sockets_fault(const struct listener_config *listener)
{
    bool group = address_is_multicast(&listener->address);
    if (group && listener->spread)
        return "spread=datagram is for other addresses: each socket that joins a multicast group "
               "gets all of its datagrams";
    if (group && listener->receivers > 1)
        return "receivers= must be 1: each socket that joins a multicast group gets all of its "
               "datagrams";
    if (listener->spread && listener->receivers == 1)
        return "spread=datagram needs receivers=2 or more";
    if (listener->spread && listener_has_segments(listener))
        return "spread=datagram would separate the segments of a message (framing=udp-notif)";
    return NULL;
}

static int udp_check(const struct listener_config *listener, struct error *error)
{
    const char *why = udp_sockets_fault(listener);
    if (why == NULL)
        return socket_source_check(listener, error);
    error_set(error, EXIT_CODE_CONFIG, "%s: %s", listener->name, why);
    return -1;
}

const struct source_ops source_udp = {
    .scheme = "udp",
    .syntax = "udp://ADDR:PORT",
    .kind = "udp",
    .place = PLACE_ADDRESS,
    .no_place = "\"//\" is missing; write udp://ADDR:PORT",
    .keys = SOURCE_KEYS_SOCKET,
    .refuse = udp_config_fault,
    .conflict = udp_conflict,
    .check = udp_check,
    .sockets = bound_sockets_count,
    .apart = udp_apart,
    .open = bound_sockets_open,
    .announce = bound_sockets_announce,
    .fixed_key = socket_source_fixed_key,
    .change = socket_source_change,
    .undo = socket_source_undo,
    .remove = socket_source_remove,
};
