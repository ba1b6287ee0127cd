/* udp://ADDR:PORT. Sockets that are bound by this process, all to the same port. */
#include <string.h>

#include "collector/log/log.h"
#include "collector/receive/bound_source.h"
#include "collector/receive/socket_source.h"
#include "collector/receive/sources.h"
#include "collector/senders/sequence.h"

/*
 * Returns by how many datagrams a sequence number may be read late: while datagrams wait in one
 * socket, each other socket may receive and be read for as many datagrams as the waiting socket can
 * hold.
 */
static uint64_t udp_apart(const struct listener_config *listener)
{
    if (!listener->spread)
        return 0;
    return listener->receivers * udp_socket_most_held(listener->receive_buffer, listener->gro);
}

#define ID_MOST 64

/* The id is a part of a name in logs, metrics and file names. */
static bool is_id(const char *id)
{
    size_t length = strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    return id[length] == '\0' && length != 0 && length <= ID_MOST;
}

/* Each listener of a group gets a copy of its datagrams, if the listeners are told apart by ids. */
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
 * Checks the number of sockets. If several sockets joined a group, the kernel would give each
 * socket a copy of every datagram.
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

static size_t udp_sockets(const struct listener_config *listener)
{
    return udp_socket_can_share_port ? listener->receivers : 1;
}

/*
 * Checks that the port is free, with an exclusive socket. A port that can be shared could also be
 * shared with another process of the same user, and each process would get a part of the datagrams.
 */
static int probe_port(const struct udp_socket_options *shared, struct error *error)
{
    struct udp_socket_options options = *shared;
    struct udp_socket *probe;
    options.share_port = false;
    if (udp_socket_open(&probe, &options, error) != 0)
        return -1;
    int result = udp_socket_bind(probe, error);
    udp_socket_close(probe);
    return result;
}

/*
 * Opens the sockets. All sockets share one port, even if the system chose the port for the first
 * socket.
 */
static int udp_open_sockets(struct source *source, const struct source_host *host,
                            struct error *error)
{
    const struct listener_config *config = source->config;
    struct receiver_socket socket = socket_source_describe(source);
    if (socket.options.share_port && config->address.port != 0 &&
        probe_port(&socket.options, error) != 0)
        return -1;
    for (size_t i = 0; i < udp_sockets(config); i++) {
        if (socket_source_add(source, host, i, &socket, error) != 0)
            return -1;
        socket.options.address.port = source->address.port;
        socket.options.spread_over = 0; /* the first socket's setting applies to all */
    }
    if (config->address.port != 0 || bound_source_name_by_port(source, host->ledger) == 0)
        return 0;
    return error_no_memory(error);
}

static void udp_announce(const struct source *source, const struct source_host *host)
{
    const struct listener_config *config = source->config;
    socket_source_announce(source, host);
    if (config->receivers > udp_sockets(config))
        log_about(LOG_INFO, LOG_OF_LISTENER, source->listener.name,
                  "receivers=%llu: on this system a port has one socket, which one thread serves "
                  "at a time; more threads help only with several listeners",
                  (unsigned long long)config->receivers);
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
    .sockets = udp_sockets,
    .apart = udp_apart,
    .open = udp_open_sockets,
    .announce = udp_announce,
    .fixed_key = socket_source_fixed_key,
    .change = socket_source_change,
    .remove = socket_source_remove,
};
