/*
 * Stores the records that a file set collects for each of its files: a block for each file, until
 * the block is written.
 *
 * All blocks share chunks of memory, so that few files have large blocks, and many files small
 * ones. A block is a chain of chunks; all but its last chunk are full. The blocks with records are
 * in a list, in the order of their first records, which is the order in which they are due.
 *
 * All memory is allocated when the blocks are created. Used by the sink's thread.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_FILE_BLOCKS_H
#define SLUICE_COLLECTOR_OUTPUT_FILE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/encoder.h"
#include "collector/text/output.h"

#define NO_FILE_BLOCK SIZE_MAX

struct destination_shape;
struct file_blocks;

struct file_block {
    size_t records;
    size_t size;        /* bytes in its chunks */
    struct encoded sum; /* sum of the counts of its records */
    int64_t due_ns;     /* when the block must be written (monotonic), while it has records */

    /* Only for file_blocks.c. */
    uint32_t first_chunk, last_chunk;
    size_t earlier, later; /* neighbours in the list of blocks with records, or NO_FILE_BLOCK */
};

/*
 * Creates shape->blocks empty blocks with shape->chunks chunks. Returns NULL if memory is short.
 */
struct file_blocks *file_blocks_create(const struct destination_shape *shape);
void file_blocks_destroy(struct file_blocks *blocks);

/* Returns the number of bytes that file_blocks_create allocates. */
size_t file_blocks_memory(const struct destination_shape *shape);

const struct file_block *file_blocks_get(const struct file_blocks *blocks, size_t index);

/*
 * Returns the index of the block that has had records for the longest time, or NO_FILE_BLOCK if no
 * block has records.
 */
size_t file_blocks_first(const struct file_blocks *blocks);

/* Returns the index of the block with the most bytes, or NO_FILE_BLOCK if no block has records. */
size_t file_blocks_largest(const struct file_blocks *blocks);

/* Returns true if the block can get `size` more bytes with the chunks that are free now. */
bool file_blocks_have_chunks(const struct file_blocks *blocks, size_t index, size_t size);

/* Appends bytes to the block. There must be chunks for them (file_blocks_have_chunks). */
void file_blocks_append(struct file_blocks *blocks, size_t index, const char *bytes, size_t size);

/* Counts a record of the block. If it is the first one, the block is due at `due_ns`. */
void file_blocks_count(struct file_blocks *blocks, size_t index, const struct encoded *encoded,
                       int64_t due_ns);

/* Returns the bytes of the block in one piece. They are valid until the next call with `blocks`. */
const struct output *file_blocks_bytes(struct file_blocks *blocks, size_t index);

/* Frees the block's chunks and removes the block from the list. */
void file_blocks_empty(struct file_blocks *blocks, size_t index);

#endif
