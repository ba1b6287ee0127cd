/*
 * Large blocks of memory for incomplete frames, which the connections of a listener share. All
 * memory is allocated at creation. Any thread.
 *
 * Blocks are shared by host, not by connection. A host is identified by the name that TLS has
 * proved, otherwise by its network (stream_hosts.h). A host that has blocks gets another only while
 * more blocks are free than it has. One host therefore leaves about half of the blocks to other
 * hosts, a second host leaves half of the rest, and so on. A host without a block gets any free
 * block, ahead of hosts that have blocks. If no block is free, connections of a host with several
 * blocks must release theirs after STREAM_PRESSURE_NS. With N blocks (8, and one more for each
 * thread), a host without a block therefore gets one:
 * - at once, while three other hosts have all blocks that they can get;
 * - within STREAM_PRESSURE_NS and the time between two scans of the connections (stream_loop.c),
 *   while fewer than N hosts have blocks, because one of these hosts has several;
 * - otherwise, when a connection of any host has been slow for longer than the size of its frame
 *   allows (STREAM_PRESSURE_SIZE).
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_BLOCKS_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream_blocks;

/*
 * A host's share of the listener's blocks and of its memory for handshakes. Zero at first. Only
 * stream_blocks.c changes the blocks, only tls_handshake.c the bytes.
 */
struct stream_share {
    size_t blocks;                  /* number of blocks of the host's connections */
    size_t waiting;                 /* number of the host's connections that wait for a block */
    _Atomic size_t handshake_bytes; /* bytes reserved by TLS handshakes of the host's connections */
};

/* Creates `count` blocks, at least 1, of `size` bytes each. Returns NULL if out of memory. */
struct stream_blocks *stream_blocks_create(size_t count, size_t size);
void stream_blocks_destroy(struct stream_blocks *blocks); /* NULL is allowed */

/*
 * Returns a block, or NULL if none is free, if the host has its share, or if other connections come
 * first. After NULL the connection waits: sets *waits (false at first), and the caller tries again
 * later. Waiting connections come before other connections of the same host.
 */
uint8_t *stream_blocks_acquire(struct stream_blocks *blocks, struct stream_share *share,
                               bool *waits);

/* Ends the wait of a connection. No effect if it does not wait. */
void stream_blocks_stop_waiting(struct stream_blocks *blocks, struct stream_share *share,
                                bool *waits);

/*
 * Like stream_blocks_acquire, but for a connection that can continue without a block: it never
 * waits.
 */
uint8_t *stream_blocks_try(struct stream_blocks *blocks, struct stream_share *share);

/*
 * Acquires a block for a connection that has a block of another struct stream_blocks. Returns NULL
 * only if no block is free.
 */
uint8_t *stream_blocks_move(struct stream_blocks *blocks, struct stream_share *share);

/*
 * Moves a connection from one host's share to another's. The connection has a block (`holds`),
 * waits for one (`waits`), or neither.
 */
void stream_blocks_transfer(struct stream_blocks *blocks, struct stream_share *from,
                            struct stream_share *to, bool holds, bool waits);

/* Releases the block. NULL is allowed. */
void stream_blocks_release(struct stream_blocks *blocks, struct stream_share *share,
                           uint8_t *block);

/* Returns true if any connection should release its block. */
bool stream_blocks_are_short(struct stream_blocks *blocks);

/* Which of a host's connections should release their blocks. */
enum stream_blocks_demand {
    STREAM_BLOCKS_ENOUGH,
    STREAM_BLOCKS_WANTED,       /* those that are slow for the size of their frames */
    STREAM_BLOCKS_WANTED_FIRST, /* all: the host has several blocks, and another host waits for its
                                   first */
};
enum stream_blocks_demand stream_blocks_demand(struct stream_blocks *blocks,
                                               const struct stream_share *share);

/* Returns the bytes that stream_blocks_create allocates. */
size_t stream_blocks_memory(size_t count, size_t size);

#endif
