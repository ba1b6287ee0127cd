#include "collector/output/spill_blocks.h"

#include <string.h>

#include "collector/output/delivery_blocks.h"
#include "collector/output/delivery_image.h"
#include "collector/spill/walk.h"

struct visit {
    struct spill_blocks *blocks;
    struct buffered_block buffered;
    bool is_made;
    size_t room; /* the largest size in bytes of an image that `buffered` has room for */
};

static bool make_block_room(struct visit *visit, size_t size)
{
    if (visit->is_made && size <= visit->room)
        return true;
    if (visit->is_made)
        buffered_block_free(&visit->buffered);
    visit->is_made = true;
    visit->room = size;
    return buffered_block_make(&visit->buffered, size);
}

/* Moves the bytes of the records without an outcome together. Returns the number of these bytes. */
static size_t gather(struct buffered_block *buffered, uint64_t *records)
{
    struct delivery_block *block = &buffered->block;
    size_t used = block->records[0].offset;
    size_t first = used;
    *records = 0;
    for (size_t i = 0; i < block->count; i++) {
        const struct delivery_record *record = &block->records[i];
        if (record->done)
            continue;
        memmove(buffered->out.data + used, buffered->out.data + record->offset, record->size);
        used += record->size;
        ++*records;
    }
    return used - first;
}

static bool visit_block(void *context, const struct walked_block *walked, struct error *error)
{
    struct visit *visit = context;
    struct buffered_block *buffered = &visit->buffered;
    if (!make_block_room(visit, walked->size)) {
        error_no_memory(error);
        return false;
    }
    if (walked->layout != DELIVERY_IMAGE_LAYOUT ||
        !delivery_image_get(walked->image, walked->size, buffered)) {
        visit->blocks->missing += walked->count;
        return true;
    }
    struct spilled_block block = {
        .label = walked->label,
        .sealed_ns = buffered->sealed_ns,
        .head = buffered->out.data,
        .head_size = buffered->block.records[0].offset,
        .bytes = buffered->out.data + buffered->block.records[0].offset,
    };
    block.size = gather(buffered, &block.records);
    return visit->blocks->visit(visit->blocks->context, &block, error);
}

int spill_blocks_visit(const char *folder, struct spill_blocks *blocks, struct error *error)
{
    struct visit visit = {.blocks = blocks};
    struct spill_walk walk = {.visit = visit_block, .context = &visit};
    blocks->missing = 0;
    int result = spill_walk(folder, &walk, error);
    blocks->missing += walk.missing;
    blocks->strange = walk.strange;
    if (visit.is_made)
        buffered_block_free(&visit.buffered);
    return result;
}
