#include "collector/spill/block_head.h"

#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/base/rule.h"
#include "collector/platform/machine.h"

/* A digit for the version follows: '2', or '1' for a block without a label. */
static const uint8_t magic[3] = "SLB";

#define CHECKED (SPILL_HEAD_SIZE - 4)

void block_head_write(const struct block_head *head, uint8_t bytes[SPILL_HEAD_SIZE])
{
    RULE(head->size != 0 && head->size <= SPILL_IMAGE_MAX && head->count != 0 &&
             head->label_size < SPILL_LABEL_SIZE,
         "a head is written as it can be read");
    memset(bytes, 0, SPILL_HEAD_SIZE);
    memcpy(bytes, magic, sizeof magic);
    bytes[sizeof magic] = head->label_size == 0 ? '1' : '2';
    put_little_u32(bytes + 4, head->size);
    put_little_u64(bytes + 8, head->spill);
    put_little_u64(bytes + 16, head->epoch);
    put_little_u64(bytes + 24, head->position);
    put_little_u64(bytes + 32, head->number);
    put_little_u32(bytes + 40, head->count);
    put_little_u32(bytes + 44, head->layout);
    put_little_u32(bytes + 48, head->checksum);
    put_little_u32(bytes + 52, head->label_size);
    put_little_u32(bytes + 56, head->label_checksum);
    put_little_u32(bytes + CHECKED, crc32c(0, bytes, CHECKED));
}

static uint32_t u32_at(const uint8_t *bytes)
{
    return ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, bytes);
}

bool block_head_read(const uint8_t bytes[SPILL_HEAD_SIZE], struct block_head *head)
{
    if (memcmp(bytes, magic, sizeof magic) != 0 ||
        u32_at(bytes + CHECKED) != crc32c(0, bytes, CHECKED))
        return false;
    *head = (struct block_head){
        .size = u32_at(bytes + 4),
        .spill = little_u64(bytes + 8),
        .epoch = little_u64(bytes + 16),
        .position = little_u64(bytes + 24),
        .number = little_u64(bytes + 32),
        .count = u32_at(bytes + 40),
        .layout = u32_at(bytes + 44),
        .checksum = u32_at(bytes + 48),
        .label_size = u32_at(bytes + 52),
        .label_checksum = u32_at(bytes + 56),
    };
    return bytes[sizeof magic] == (head->label_size == 0 ? '1' : '2') &&
           head->label_size < SPILL_LABEL_SIZE && head->size != 0 &&
           head->size <= SPILL_IMAGE_MAX && head->count != 0 && head->position < BLOCK_POSITION_END;
}

size_t block_head_skip(const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at++) {
        const uint8_t *found = memchr(bytes + at, magic[0], size - at);
        if (found == NULL)
            return size;
        at = (size_t)(found - bytes);
        size_t left = size - at;
        if (memcmp(found, magic, left < sizeof magic ? left : sizeof magic) == 0)
            return at;
    }
    return size;
}
