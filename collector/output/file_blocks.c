#include "collector/output/file_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/contract/destination.h"

#define NO_CHUNK UINT32_MAX

struct file_blocks {
    size_t count;
    size_t chunk_size;
    size_t free_chunks;
    uint32_t next_free; /* the first free chunk, or NO_CHUNK */
    uint32_t *next;     /* for each chunk, the next chunk in its block or in the list of free
                           chunks */
    char *memory;       /* the chunks */
    size_t first, last; /* first and last block in the list of blocks with records */
    char *whole;        /* buffer in which the chunks of a block are joined */
    struct output view; /* the bytes that file_blocks_bytes returned last */
    struct file_block blocks[];
};

/* Returns the size of the buffer for joining chunks; 0 if no block has several chunks. */
static size_t whole_room(const struct destination_shape *shape)
{
    return shape->chunk_size < shape->block_size && shape->chunks != 0 ? shape->block_size : 0;
}

size_t file_blocks_memory(const struct destination_shape *shape)
{
    return sizeof(struct file_blocks) + shape->blocks * sizeof(struct file_block) +
           shape->chunks * (sizeof(uint32_t) + shape->chunk_size) + whole_room(shape);
}

/* Like malloc, but returns NULL only if memory is short, even for 0 bytes. */
static void *room_for(size_t size)
{
    return malloc(size == 0 ? 1 : size);
}

static void free_all_chunks(struct file_blocks *blocks, size_t chunks)
{
    for (size_t i = 0; i < chunks; i++)
        blocks->next[i] = i + 1 < chunks ? (uint32_t)i + 1 : NO_CHUNK;
    blocks->next_free = chunks == 0 ? NO_CHUNK : 0;
    blocks->free_chunks = chunks;
}

struct file_blocks *file_blocks_create(const struct destination_shape *shape)
{
    RULE(shape->chunks < NO_CHUNK, "a chunk's number has 32 bits");
    struct file_blocks *blocks =
        calloc(1, sizeof *blocks + shape->blocks * sizeof(struct file_block));
    if (blocks == NULL)
        return NULL;
    blocks->count = shape->blocks;
    blocks->chunk_size = shape->chunk_size;
    blocks->first = blocks->last = NO_FILE_BLOCK;
    blocks->next = room_for(shape->chunks * sizeof(uint32_t));
    blocks->memory = room_for(shape->chunks * shape->chunk_size);
    blocks->whole = room_for(whole_room(shape));
    if (blocks->next == NULL || blocks->memory == NULL || blocks->whole == NULL) {
        file_blocks_destroy(blocks);
        return NULL;
    }
    free_all_chunks(blocks, shape->chunks);
    return blocks;
}

void file_blocks_destroy(struct file_blocks *blocks)
{
    if (blocks == NULL)
        return;
    free(blocks->next);
    free(blocks->memory);
    free(blocks->whole);
    free(blocks);
}

const struct file_block *file_blocks_get(const struct file_blocks *blocks, size_t index)
{
    RULE(index < blocks->count, "each file has a block");
    return &blocks->blocks[index];
}

size_t file_blocks_first(const struct file_blocks *blocks)
{
    return blocks->first;
}

size_t file_blocks_largest(const struct file_blocks *blocks)
{
    size_t largest = blocks->first;
    for (size_t i = blocks->first; i != NO_FILE_BLOCK; i = blocks->blocks[i].later)
        if (blocks->blocks[i].size > blocks->blocks[largest].size)
            largest = i;
    return largest;
}

/* --- chunks ----------------------------------------------------------------------------------- */

static char *chunk(const struct file_blocks *blocks, uint32_t number)
{
    return blocks->memory + number * blocks->chunk_size;
}

static size_t used_of_last(const struct file_blocks *blocks, const struct file_block *block)
{
    return block->size == 0 ? 0 : (block->size - 1) % blocks->chunk_size + 1;
}

static size_t room_of_last(const struct file_blocks *blocks, const struct file_block *block)
{
    return block->size == 0 ? 0 : blocks->chunk_size - used_of_last(blocks, block);
}

bool file_blocks_have_chunks(const struct file_blocks *blocks, size_t index, size_t size)
{
    size_t room = room_of_last(blocks, file_blocks_get(blocks, index));
    return size <= room || size - room <= blocks->free_chunks * blocks->chunk_size;
}

static void add_chunk(struct file_blocks *blocks, struct file_block *block)
{
    uint32_t added = blocks->next_free;
    RULE(added != NO_CHUNK, "there are chunks for the bytes that are appended");
    blocks->next_free = blocks->next[added];
    blocks->free_chunks--;
    blocks->next[added] = NO_CHUNK;
    if (block->size == 0)
        block->first_chunk = added;
    else
        blocks->next[block->last_chunk] = added;
    block->last_chunk = added;
}

void file_blocks_append(struct file_blocks *blocks, size_t index, const char *bytes, size_t size)
{
    struct file_block *block = &blocks->blocks[index];
    RULE(index < blocks->count, "each file has a block");
    while (size != 0) {
        size_t room = room_of_last(blocks, block);
        if (room == 0) {
            add_chunk(blocks, block);
            room = blocks->chunk_size;
        }
        size_t part = size < room ? size : room;
        memcpy(chunk(blocks, block->last_chunk) + blocks->chunk_size - room, bytes, part);
        block->size += part;
        bytes += part;
        size -= part;
    }
}

static void join_chunks(struct file_blocks *blocks, const struct file_block *block)
{
    char *to = blocks->whole;
    for (uint32_t i = block->first_chunk; i != block->last_chunk; i = blocks->next[i]) {
        memcpy(to, chunk(blocks, i), blocks->chunk_size);
        to += blocks->chunk_size;
    }
    memcpy(to, chunk(blocks, block->last_chunk), used_of_last(blocks, block));
}

const struct output *file_blocks_bytes(struct file_blocks *blocks, size_t index)
{
    const struct file_block *block = file_blocks_get(blocks, index);
    RULE(block->size != 0, "only a block with bytes is written");
    bool one = block->first_chunk == block->last_chunk;
    if (!one)
        join_chunks(blocks, block);
    char *data = one ? chunk(blocks, block->first_chunk) : blocks->whole;
    blocks->view = (struct output){.data = data, .used = block->size, .capacity = block->size};
    return &blocks->view;
}

static void free_chunks(struct file_blocks *blocks, struct file_block *block)
{
    if (block->size == 0)
        return;
    blocks->next[block->last_chunk] = blocks->next_free;
    blocks->next_free = block->first_chunk;
    blocks->free_chunks += (block->size - 1) / blocks->chunk_size + 1;
    block->size = 0;
}

/* --- records ---------------------------------------------------------------------------------- */

static void add_to_list(struct file_blocks *blocks, size_t index)
{
    struct file_block *block = &blocks->blocks[index];
    block->earlier = blocks->last;
    block->later = NO_FILE_BLOCK;
    if (blocks->last == NO_FILE_BLOCK)
        blocks->first = index;
    else
        blocks->blocks[blocks->last].later = index;
    blocks->last = index;
}

static void remove_from_list(struct file_blocks *blocks, const struct file_block *block)
{
    if (block->earlier == NO_FILE_BLOCK)
        blocks->first = block->later;
    else
        blocks->blocks[block->earlier].later = block->later;
    if (block->later == NO_FILE_BLOCK)
        blocks->last = block->earlier;
    else
        blocks->blocks[block->later].earlier = block->earlier;
}

void file_blocks_count(struct file_blocks *blocks, size_t index, const struct encoded *encoded,
                       int64_t due_ns)
{
    struct file_block *block = &blocks->blocks[index];
    RULE(index < blocks->count, "each file has a block");
    if (block->records == 0) {
        RULE(blocks->last == NO_FILE_BLOCK || blocks->blocks[blocks->last].due_ns <= due_ns,
             "blocks are due in the order of their first records");
        add_to_list(blocks, index);
        block->due_ns = due_ns;
    }
    block->records++;
    encoded_add(&block->sum, encoded);
}

void file_blocks_empty(struct file_blocks *blocks, size_t index)
{
    struct file_block *block = &blocks->blocks[index];
    RULE(file_blocks_get(blocks, index)->records != 0, "a block in the list has records");
    remove_from_list(blocks, block);
    free_chunks(blocks, block);
    block->records = 0;
    block->sum = (struct encoded){0};
}
