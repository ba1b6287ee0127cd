/*
 * Implements tcp://ADDR:PORT. Threads of the listener serve its connections. Senders wait if the
 * queues are full.
 */
#include "collector/receive/bound_source.h"
#include "collector/receive/inherited_source.h"
#include "collector/receive/sources.h"
#include "collector/receive/stream_source.h"

static const char *tcp_refuse(const struct listener_config *listener)
{
    if (address_is_multicast(&listener->address))
        return "a multicast address cannot take connections";
    if (listener->tls && (listener->cert == NULL || listener->key == NULL))
        return "tls=on needs cert=FILE and key=FILE";
    if (!listener->tls &&
        (listener->cert != NULL || listener->key != NULL || listener->client_ca != NULL))
        return "cert=, key= and client_ca= need tls=on";
    if (listener->ipv6_only && listener->address.family != ADDRESS_IPV6)
        return "ipv6_only needs an IPv6 address";
    return stream_source_refuse(listener);
}

/* For connections, on bound or inherited sockets. */
#define TCP_SOURCE                                                                                 \
    .kind = "tcp", .keys = SOURCE_KEYS_STREAM | SOURCE_KEYS_TCP, .check = stream_source_check,     \
    .probe = stream_source_probe, STREAM_SOURCE

const struct source_ops source_tcp = {
    .scheme = "tcp",
    .syntax = "tcp://ADDR:PORT",
    .place = PLACE_ADDRESS,
    .no_place = "\"//\" is missing; write tcp://ADDR:PORT",
    .refuse = tcp_refuse,
    .conflict = bound_source_conflict,
    TCP_SOURCE,
};

static const char *inherited_tcp_refuse(const struct listener_config *listener)
{
    const char *why = inherited_source_refuse(listener);
    return why != NULL ? why : tcp_refuse(listener);
}

const struct source_ops source_inherited_streams = {
    .scheme = "fd",
    .syntax = "fd:NAME",
    .place = PLACE_NAME,
    .refuse = inherited_tcp_refuse,
    .conflict = inherited_source_conflict,
    TCP_SOURCE,
};
