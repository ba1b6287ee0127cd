#include "sinks/destinations/record_division.h"

#include "collector/base/rule.h"

static void put(struct record_division *division, uint32_t first, uint32_t count)
{
    if (count == 0)
        return;
    RULE(division->count < RECORD_RANGES_MOST, "ranges are divided one after the other");
    division->waiting[division->count++] = (struct record_range){first, count};
}

void record_division_begin(struct record_division *division, const struct delivery_block *block)
{
    division->count = 0;
    put(division, 0, (uint32_t)block->count);
}

size_t record_range_size(const struct delivery_block *block, const struct record_range *range)
{
    const struct delivery_record *first = &block->records[range->first];
    const struct delivery_record *last = first + range->count - 1;
    return block->records[0].offset + ((size_t)last->offset + last->size - first->offset);
}

/* Those at the beginning of `all` that go together: a record that is done ends them. */
static uint32_t fitting(const struct delivery_block *block, const struct record_range *all,
                        size_t most)
{
    struct record_range range = {all->first, 1};
    while (range.count < all->count && !block->records[range.first + range.count].done) {
        range.count++;
        if (record_range_size(block, &range) > most)
            return range.count - 1;
    }
    return range.count;
}

bool record_division_next(struct record_division *division, const struct delivery_block *block,
                          size_t most, struct record_range *range)
{
    while (division->count != 0) {
        struct record_range all = division->waiting[--division->count];
        while (all.count != 0 && block->records[all.first].done) {
            all.first++;
            all.count--;
        }
        if (all.count == 0)
            continue;
        *range = (struct record_range){all.first, fitting(block, &all, most)};
        put(division, all.first + range->count, all.count - range->count);
        return true;
    }
    return false;
}

bool record_division_divide(struct record_division *division, const struct record_range *range)
{
    uint32_t half = range->count / 2;
    if (half == 0)
        return false;
    put(division, range->first + half, range->count - half);
    put(division, range->first, half);
    return true;
}

void record_division_return(struct record_division *division, const struct record_range *range)
{
    put(division, range->first, range->count);
}
