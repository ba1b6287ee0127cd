/*
 * How many connections each host has: a table with a place for as many hosts as there may be
 * connections. Finding one takes the same time however many there are.
 *
 * Places are found by a hash with a secret. Only stream_hosts_grow allocates memory. One thread at
 * a time: the caller has a lock.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_HOSTS_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_HOSTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/receive/stream_blocks.h"
#include "collector/receive/stream_channel.h"

struct stream_host {
    struct address address;    /* its port is of no meaning */
    size_t connections;        /* at least 1 */
    struct stream_share share; /* of large blocks; stream_blocks.c's */
    struct stream_host *next;  /* in its bucket, or the next one that is free */
};

/* Hosts that were made together. */
struct stream_host_group;

struct stream_hosts {
    uint8_t secret[16];
    struct stream_host **buckets;
    size_t bucket_count; /* a power of two, or 0 */
    struct stream_host_group *groups;
    struct stream_host *free;
    size_t count;
};

/* Bytes that a table for `count` connections takes. */
size_t stream_hosts_memory(size_t count);

/* Of zeroed memory, without places. Returns 0, or -1 with `error` filled: there is no secret. */
int stream_hosts_init(struct stream_hosts *hosts, struct error *error);

/* Also of what was only zeroed, or whose init failed. */
void stream_hosts_destroy(struct stream_hosts *hosts);

/*
 * There are places for `count` connections at least; hosts that are in the table stay where they
 * are. Returns false, nothing changed, where memory is short.
 */
bool stream_hosts_grow(struct stream_hosts *hosts, size_t count);

/* One more connection of the host. NULL: it has `most` of them; or the table is full. */
struct stream_host *stream_hosts_enter(struct stream_hosts *hosts, const struct address *address,
                                       size_t most);

/* One fewer. NULL is allowed. */
void stream_hosts_leave(struct stream_hosts *hosts, struct stream_host *host);

/* An address for a name that a connection has shown (stream_channel.h): no other is equal to it. */
struct address stream_hosts_named(const uint8_t name[CHANNEL_NAME_SIZE]);

#endif
