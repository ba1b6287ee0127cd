#include "collector/output/taken_batch.h"

#include "collector/base/rule.h"
#include "collector/text/compiler.h"

void taken_batch_begin(struct taken_batch *taken, struct batch *batch)
{
    RULE(taken->batch == NULL, "a sink finishes a batch before it takes the next");
    *taken = (struct taken_batch){.batch = batch, .next = batch->first, .raw = batch->raw};
}

/*
 * Writes the undecoded datagrams that arrived before the record `end`, or all remaining datagrams
 * if `end` is NULL. A batch allocates its memory upwards, so addresses give the order of arrival.
 * Returns false if it stopped half-way.
 */
static bool put_raw_before(struct taken_batch *taken, struct sink_writer *writer,
                           const struct record *end)
{
    while (taken->raw != NULL && (end == NULL || (uintptr_t)taken->raw < (uintptr_t)end)) {
        const struct record *record = taken->raw;
        taken->raw = record->next;
        if (writer->state != SINK_WRITING)
            sink_writer_count_raw_refused(writer, 1);
        else if (!writer->ops->put_raw(writer, record))
            return false;
    }
    return true;
}

static bool write_records(struct taken_batch *taken, struct sink_writer *writer)
{
    const bool takes_raw = writer->options.settings->relay.raw;
    for (const struct record *record = taken->next; record != NULL; record = record->next) {
        if (record->next != NULL) /* reads the next record's listener: with many listeners its name
                                   * is not in the cache */
            PREFETCH(record->next->listener->name);
        if (takes_raw && !put_raw_before(taken, writer, record)) {
            taken->next = record;
            return false;
        }
        if (writer->state != SINK_WRITING) {
            sink_writer_count_failed(writer, 1);
        } else if (!writer->ops->put(writer, record->listener, record)) {
            taken->next = record->next;
            return false;
        }
    }
    taken->next = NULL;
    return !takes_raw || put_raw_before(taken, writer, NULL);
}

bool taken_batch_write(struct taken_batch *taken, struct sink_writer *writer)
{
    if (taken->half_way && !writer->ops->put_on(writer))
        return false;
    RULE(taken->batch != NULL, "there is a batch to write");
    taken->half_way = !write_records(taken, writer);
    if (taken->half_way)
        return false;
    sink_writer_publish(writer);
    batch_release(taken->batch);
    *taken = (struct taken_batch){0};
    return true;
}
