/*
 * The head of each block in a segment: 64 bytes, numbers in little endian. The label and then the
 * image follow.
 *
 *   0  magic "SLB2"; "SLB1" for a block without a label (all blocks of earlier versions)
 *   4  bytes of the image (u32)
 *   8  the random number of its spill (u64)
 *  16  the epoch of the run that wrote it (u64)
 *  24  position of its first record (u64)
 *  32  number of its first record (u64)
 *  40  records (u32)
 *  44  layout of the image (u32)
 *  48  CRC-32C of the image (u32)
 *  52  bytes of the label (u32)
 *  56  CRC-32C of the label (u32)
 *  60  CRC-32C of the preceding 60 bytes (u32)
 *
 * An image may contain bytes of a sender that look like a head, but senders do not know the random
 * number. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_SPILL_BLOCK_HEAD_H
#define SLUICE_COLLECTOR_SPILL_BLOCK_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/spill/spill.h"

struct block_head {
    uint64_t spill;
    uint64_t epoch;
    uint64_t position;
    uint64_t number;
    uint32_t size;
    uint32_t count;
    uint32_t layout;
    uint32_t checksum; /* CRC-32C of the image */
    uint32_t label_size;
    uint32_t label_checksum;
};

/* Positions are below this limit, so that the sum of a position and a count cannot overflow. */
#define BLOCK_POSITION_END ((uint64_t)1 << 63)

void block_head_write(const struct block_head *head, uint8_t bytes[SPILL_HEAD_SIZE]);

/* Returns false if the bytes are not a block's head as this program writes it. */
bool block_head_read(const uint8_t bytes[SPILL_HEAD_SIZE], struct block_head *head);

/* Returns the number of bytes that are skipped before the first possible begin of a head. */
size_t block_head_skip(const uint8_t *bytes, size_t size);

/* Returns the offset of the image from the beginning of the head, in bytes. */
static inline uint64_t block_head_image(const struct block_head *head)
{
    return SPILL_HEAD_SIZE + (uint64_t)head->label_size;
}

/* Returns the number of bytes of the block in its segment: head, label and image. */
static inline uint64_t block_head_whole(const struct block_head *head)
{
    return block_head_image(head) + head->size;
}

/* Returns the position after the block's last record. */
static inline uint64_t block_head_end(const struct block_head *head)
{
    return head->position + head->count;
}

#endif
