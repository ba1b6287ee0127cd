/*
 * Counts the connections of each host, in a table that is large enough for one host per connection.
 * The time of a lookup does not depend on the number of hosts. A kept host stays without a
 * connection.
 *
 * Hosts are found by a hash with a secret. Only stream_hosts_grow allocates memory. One thread at a
 * time: the connections of streams hold a lock, a DTLS socket has one thread.
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
    struct address address;    /* the port is ignored */
    size_t connections;        /* the number of its connections; at least 1, unless it is kept */
    struct stream_share share; /* the host's use of large blocks and of memory for TLS handshakes */
    size_t handshakes;         /* for a DTLS socket: the number of the host's clients that have a
                                  handshake; only dtls_peers.c changes this */
    int64_t spent_ns, spent_since_ns; /* for a DTLS socket: the host's account of the time for
                                         handshakes; only dtls_time.c uses these */
    bool is_kept;                     /* the host stays in the table without a connection */
    struct stream_host *next;         /* next host in its bucket or in the free list */
};

/* Hosts that were allocated together. */
struct stream_host_group;

struct stream_hosts {
    uint8_t secret[16];
    struct stream_host **buckets;
    size_t bucket_count; /* the number of buckets: a power of two, or 0 */
    struct stream_host_group *groups;
    struct stream_host *free;
    size_t count;
};

/* Returns the size in bytes of a table for `count` connections. */
size_t stream_hosts_memory(size_t count);

/* Initialises a zeroed table, which has no room yet. Returns 0, or -1 with `error` filled. */
int stream_hosts_init(struct stream_hosts *hosts, struct error *error);

/* Frees the table. The table may be only zeroed, or its init may have failed. */
void stream_hosts_destroy(struct stream_hosts *hosts);

/*
 * Makes room for at least `count` connections; hosts in the table do not move. Returns false, with
 * nothing changed, if out of memory.
 */
bool stream_hosts_grow(struct stream_hosts *hosts, size_t count);

/*
 * Counts one more connection of the host. Returns NULL if the host already has `most` connections,
 * or if the table is full.
 */
struct stream_host *stream_hosts_enter(struct stream_hosts *hosts, const struct address *address,
                                       size_t most);

/* Counts one connection fewer. NULL is allowed. */
void stream_hosts_leave(struct stream_hosts *hosts, struct stream_host *host);

/* Returns NULL if the host is not in the table. */
struct stream_host *stream_hosts_find(const struct stream_hosts *hosts,
                                      const struct address *address);

/*
 * Keeps the host in the table, in the place of a connection, when it has no connection any more.
 * stream_hosts_release ends this, once.
 */
void stream_hosts_keep(struct stream_host *host);
void stream_hosts_release(struct stream_hosts *hosts, struct stream_host *host);

/*
 * Returns the table's key for a name that a peer has proved (stream_channel.h): an address that no
 * host has.
 */
struct address stream_hosts_named(const uint8_t name[CHANNEL_NAME_SIZE]);

#endif
