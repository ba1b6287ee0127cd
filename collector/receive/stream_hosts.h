/*
 * Counts the connections of each host, in a table with room for one host per connection. The time
 * of a lookup does not depend on the number of hosts. A kept host stays without a connection.
 *
 * The hash of the hosts is keyed with a secret. Only stream_hosts_grow allocates memory. One thread
 * at a time: streams use a lock, and a DTLS socket has one thread.
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
    size_t connections;        /* number of its connections; 0 only if it is kept */
    struct stream_share share; /* its use of large blocks and of memory for TLS handshakes */
    size_t handshakes; /* DTLS: number of the host's clients with a handshake; only dtls_peers.c
                          changes it */
    int64_t spent_ns, spent_since_ns; /* DTLS: account of handshake time (dtls_time.h) */
    bool is_kept;                     /* stays in the table without a connection */
    struct stream_host *next;         /* next host in its bucket, or in the free list */
};

/* Hosts that were allocated together. */
struct stream_host_group;

struct stream_hosts {
    uint8_t secret[16];
    struct stream_host **buckets;
    size_t bucket_count; /* a power of two, or 0 */
    struct stream_host_group *groups;
    struct stream_host *free;
    size_t count;
};

/* Returns the bytes of a table for `count` connections. */
size_t stream_hosts_memory(size_t count);

/* Initialises a zeroed table. It has no room yet. Returns 0, or -1 with `error` filled. */
int stream_hosts_init(struct stream_hosts *hosts, struct error *error);

/*
 * Frees the table. stream_hosts_init may have failed, or not have been called for a zeroed table.
 */
void stream_hosts_destroy(struct stream_hosts *hosts);

/*
 * Makes room for at least `count` connections. Hosts in the table do not move. Returns false, and
 * changes nothing, if out of memory.
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
 * Keeps a host in the table after its last connection has left; it then occupies the room of a
 * connection. stream_hosts_release ends this.
 */
void stream_hosts_keep(struct stream_host *host);
void stream_hosts_release(struct stream_hosts *hosts, struct stream_host *host);

/*
 * Returns the table's key for a name that a peer has proved (stream_channel.h). It differs from the
 * address of any host.
 */
struct address stream_hosts_named(const uint8_t name[CHANNEL_NAME_SIZE]);

#endif
