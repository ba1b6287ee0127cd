#include "collector/output/taken_batch.h"

#include "collector/base/compiler.h"

void taken_batch_begin(struct taken_batch *taken, struct batch *batch,
                       const struct encoded_batch *encoded)
{
    *taken = (struct taken_batch){
        .batch = batch,
        .encoded = encoded,
        .next = encoded == NULL ? batch->first : encoded->rest,
        .raw = batch->raw,
    };
}

/* Returns false where it stopped half-way. */
static bool write_encoded(struct taken_batch *taken, struct sink_writer *writer)
{
    const struct encoded_batch *encoded = taken->encoded;
    bool done = true;
    while (done && writer->state == SINK_WRITING && taken->next_encoded < encoded->count)
        done = writer->ops->put_encoded(writer, encoded, &taken->next_encoded);
    if (done) {
        sink_writer_count_failed(writer, encoded->count - taken->next_encoded);
        taken->next_encoded = encoded->count;
    }
    if (taken->next_encoded == encoded->count) {
        encoding_group_release(writer->shared, encoded);
        taken->encoded = NULL;
    }
    return done;
}

/*
 * What could not be decoded and came before that record; NULL: all that is left. A batch gives out
 * its memory upwards, so that addresses say what came first. Returns false where it stopped
 * half-way.
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

/* Returns false where it stopped half-way. */
static bool write_records(struct taken_batch *taken, struct sink_writer *writer)
{
    const bool takes_raw = writer->options.relay.raw;
    for (const struct record *record = taken->next; record != NULL; record = record->next) {
        if (record->next != NULL) /* of many listeners each one's name has left the cache */
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
    bool all =
        (taken->encoded == NULL || write_encoded(taken, writer)) && write_records(taken, writer);
    taken->half_way = !all;
    if (taken->half_way)
        return false;
    sink_writer_publish(writer);
    batch_release(taken->batch);
    *taken = (struct taken_batch){0};
    return true;
}
