#include "collector/pipeline/pipeline_numbering.h"

#include "collector/pipeline/pipeline_parts.h"
#include "collector/queue/batch_queue.h"
#include "collector/record/mismatch_hint.h"
#include "collector/record/schema_list.h"
#include "collector/senders/sequence.h"

_Static_assert(BATCH_QUEUE_LISTENERS <= SEQUENCE_LISTENERS, "every listener can have senders");

static bool has_same_numbers(const struct schema_list *list, const struct schema_list *other,
                             size_t index, uint32_t *numbering)
{
    if (!schema_list_same_numbers(list, other, index))
        return false;
    *numbering = list->entries[index].numbering;
    return true;
}

/*
 * Returns the numbering of an existing schema that reads the same numbers, or a new numbering.
 * Listeners with equal schemas share a list of schemas, and so also share the numberings.
 */
static uint32_t numbering_for(struct pipeline *pipeline, struct schema_list *const *lists,
                              size_t done, size_t index)
{
    uint32_t numbering;
    for (size_t i = 0; i < pipeline->known_count; i++) {
        const struct schema_list *list = schema_slot_list(pipeline->known[i]->schemas);
        if (list != NULL && has_same_numbers(list, lists[done], index, &numbering))
            return numbering;
    }
    for (size_t i = 0; i < done; i++)
        if (has_same_numbers(lists[i], lists[done], index, &numbering))
            return numbering;
    return pipeline->next_numbering++ % SEQUENCE_NUMBERINGS;
}

void pipeline_number_schemas(struct pipeline *pipeline, struct schema_list *const *lists,
                             size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < lists[i]->count; k++)
            lists[i]->entries[k].numbering = numbering_for(pipeline, lists, i, k);
}

void pipeline_put_schemas(struct pipeline *pipeline, struct source *source,
                          struct schema_list *list)
{
    const struct schema_list *before = schema_slot_list(source->schemas);
    for (size_t i = 0; before != NULL && i < before->count; i++)
        if (list == NULL || !schema_list_has_numbering(list, before->entries[i].numbering))
            pipeline->windows_end = true;
    schema_slot_put(source->schemas, list);
    mismatch_hint_restart(source->hint);
}

void pipeline_count_lost(void *context, uint32_t listener, uint64_t lost)
{
    const struct pipeline *pipeline = context;
    counter_add(&pipeline->known[listener]->at_end->lost, lost);
}

static bool is_without(void *context, uint32_t listener, uint32_t numbering)
{
    const struct pipeline *pipeline = context;
    const struct schema_list *list = schema_slot_list(pipeline->known[listener]->schemas);
    return list == NULL || !schema_list_has_numbering(list, numbering);
}

void pipeline_close_windows(struct pipeline *pipeline)
{
    if (!pipeline->windows_end)
        return;
    pipeline->windows_end = false;
    const struct sequence_closing closing = {is_without, pipeline_count_lost, pipeline};
    sequence_close(pipeline->sequences, &closing);
}
