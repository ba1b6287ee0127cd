/*
 * A few large blocks of memory for frames that have not come in whole, shared by the connections of
 * a listener. All memory is taken at creation; any thread.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_BLOCKS_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

struct stream_blocks;

/* `count` (≥ 1) blocks of `size` bytes. Returns NULL where memory is short. */
struct stream_blocks *stream_blocks_create(size_t count, size_t size);
void stream_blocks_destroy(struct stream_blocks *blocks); /* NULL is allowed */

/* A block, or NULL: all are in use. */
uint8_t *stream_blocks_take(struct stream_blocks *blocks);
void stream_blocks_give(struct stream_blocks *blocks, uint8_t *block); /* NULL is allowed */

/* Bytes that stream_blocks_create allocates. */
size_t stream_blocks_memory(size_t count, size_t size);

#endif
