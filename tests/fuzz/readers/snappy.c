#include "tests/fuzz/readers/snappy.h"

#include <stdbool.h>
#include <string.h>

struct block {
    const uint8_t *at, *end;
    uint8_t *to;
    size_t used, size; /* bytes written so far, and the capacity */
};

static bool read_number(struct block *block, size_t count, size_t *number)
{
    *number = 0;
    if ((size_t)(block->end - block->at) < count)
        return false;
    for (size_t i = 0; i < count; i++)
        *number |= (size_t)*block->at++ << (8 * i);
    return true;
}

static bool read_length(struct block *block)
{
    block->size = 0;
    for (unsigned shift = 0; shift < 32 && block->at != block->end; shift += 7) {
        block->size |= (size_t)(*block->at & 0x7f) << shift;
        if ((*block->at++ & 0x80) == 0)
            return block->size <= UINT32_MAX;
    }
    return false;
}

static const char *read_literal(struct block *block, size_t tag)
{
    size_t length = tag >> 2;
    if (length >= 60 && !read_number(block, length - 59, &length))
        return "a literal without its length";
    if (++length > (size_t)(block->end - block->at) || length > block->size - block->used)
        return "a literal that is too long";
    memcpy(block->to + block->used, block->at, length);
    block->at += length;
    block->used += length;
    return NULL;
}

static const char *read_copy(struct block *block, size_t tag)
{
    size_t length = (tag >> 2) + 1, offset = 0;
    bool is_there;
    if ((tag & 3) == 1) {
        length = (tag >> 2 & 7) + 4;
        is_there = read_number(block, 1, &offset);
        offset |= tag >> 5 << 8;
    } else {
        is_there = read_number(block, (tag & 3) == 2 ? 2 : 4, &offset);
    }
    if (!is_there || offset == 0 || offset > block->used || length > block->size - block->used)
        return "a copy of what is not there";
    for (; length != 0; length--, block->used++)
        block->to[block->used] = block->to[block->used - offset];
    return NULL;
}

const char *snappy_wrong(const uint8_t *bytes, size_t size, uint8_t *to, size_t capacity,
                         size_t *used)
{
    struct block block = {.at = bytes, .end = bytes + size, .to = to};
    size_t tag;
    const char *wrong = NULL;
    if (!read_length(&block))
        return "no length";
    if (block.size > capacity)
        return "more data than there is room for";
    while (wrong == NULL && read_number(&block, 1, &tag))
        wrong = (tag & 3) == 0 ? read_literal(&block, tag) : read_copy(&block, tag);
    *used = block.used;
    return wrong == NULL && block.used != block.size ? "less data than it says" : wrong;
}
