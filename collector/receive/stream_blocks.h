/*
 * A few large blocks of memory for incomplete frames, shared by the connections of a listener. All
 * memory is allocated at creation. Any thread.
 *
 * Blocks are shared by host, not by connection. A host is identified by the name that TLS provides,
 * or otherwise by its network (stream_hosts.h). A host that has blocks gets another block only
 * while more blocks are free than it has. So one host leaves about half of the blocks to other
 * hosts, a second host leaves half of that half, and so on. A host without a block gets any free
 * block, before hosts that have blocks. If no block is free, connections of a host that has several
 * blocks must release theirs after STREAM_PRESSURE_NS. With N blocks (8, and one more for each
 * thread) a host without a block therefore gets a block:
 *
 *   - at once, while three other hosts have all that they can get;
 *   - within STREAM_PRESSURE_NS and the time between two scans of the connections (stream_loop.c),
 *     while fewer than N hosts have blocks, because one of these hosts has several;
 *   - otherwise, when a connection of some host has been slow for longer than the size of its
 *     frame allows (STREAM_PRESSURE_SIZE).
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_BLOCKS_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream_blocks;

/*
 * One host's share of a listener's blocks and of its memory for handshakes. All zero at first;
 * stream_blocks.c changes the blocks, tls_handshake.c the bytes.
 */
struct stream_share {
    size_t blocks;                  /* blocks that the host's connections have */
    size_t waiting;                 /* the host's connections that wait for a block */
    _Atomic size_t handshake_bytes; /* bytes reserved by the TLS handshakes of the host's
                                       connections */
};

/* Creates `count` (≥ 1) blocks of `size` bytes each. Returns NULL if out of memory. */
struct stream_blocks *stream_blocks_create(size_t count, size_t size);
void stream_blocks_destroy(struct stream_blocks *blocks); /* NULL is allowed */

/*
 * Returns a block. Returns NULL if no block is free, if the host has its share, or if other
 * connections come first. After NULL the connection waits: *waits, false at first, is set, and the
 * caller tries again later. Connections that wait come before other connections of the same host.
 */
uint8_t *stream_blocks_acquire(struct stream_blocks *blocks, struct stream_share *share,
                               bool *waits);

/* Ends the wait of a connection; does nothing if the connection does not wait. */
void stream_blocks_stop_waiting(struct stream_blocks *blocks, struct stream_share *share,
                                bool *waits);

/*
 * Returns a block as stream_blocks_acquire does, but for a connection that can do without a block:
 * it never waits.
 */
uint8_t *stream_blocks_try(struct stream_blocks *blocks, struct stream_share *share);

/*
 * Acquires a block for a connection that has a block of another stream_blocks. Returns NULL only if
 * no block is free.
 */
uint8_t *stream_blocks_move(struct stream_blocks *blocks, struct stream_share *share);

/*
 * Moves a connection from one host's share to another's. The connection has a block (`holds`) or
 * waits for a block.
 */
void stream_blocks_transfer(struct stream_blocks *blocks, struct stream_share *from,
                            struct stream_share *to, bool holds, bool waits);

/* Takes the block back; NULL is allowed. */
void stream_blocks_release(struct stream_blocks *blocks, struct stream_share *share,
                           uint8_t *block);

/* Returns whether any connection should release its block. */
bool stream_blocks_are_short(struct stream_blocks *blocks);

/* The answer to whether a host's connections should release their blocks. */
enum stream_blocks_demand {
    STREAM_BLOCKS_ENOUGH,
    STREAM_BLOCKS_WANTED,       /* only connections that are slow for the size of their frames */
    STREAM_BLOCKS_WANTED_FIRST, /* all connections of the host: it has several blocks, and another
                                   host waits for its first block */
};
enum stream_blocks_demand stream_blocks_demand(struct stream_blocks *blocks,
                                               const struct stream_share *share);

/* Bytes that stream_blocks_create allocates. */
size_t stream_blocks_memory(size_t count, size_t size);

#endif
