#include "sinks/destinations/record_range.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"

size_t record_range_size(const struct delivery_block *block, const struct record_range *range)
{
    const struct delivery_record *first = &block->records[range->first];
    RULE(range->count != 0 && range->count <= block->count - range->first,
         "a range has records, all of them of the block");
    const struct delivery_record *last = first + range->count - 1;
    return block->records[0].offset + ((size_t)last->offset + last->size - first->offset);
}

uint8_t *record_range_copy(const struct delivery_block *block, const struct record_range *range)
{
    size_t head = block->records[0].offset;
    size_t size = record_range_size(block, range);
    uint8_t *copy = malloc(size);
    if (copy != NULL) {
        memcpy(copy, block->bytes, head);
        memcpy(copy + head, block->bytes + block->records[range->first].offset, size - head);
    }
    return copy;
}
