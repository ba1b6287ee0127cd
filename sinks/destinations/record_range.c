#include "sinks/destinations/record_range.h"

size_t record_range_size(const struct delivery_block *block, const struct record_range *range)
{
    const struct delivery_record *first = &block->records[range->first];
    const struct delivery_record *last = first + range->count - 1;
    return block->records[0].offset + ((size_t)last->offset + last->size - first->offset);
}
