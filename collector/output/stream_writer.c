/*
 * Writes to a stream of bytes: a pipe, a terminal, or a file that is appended to. A write may
 * accept any number of bytes, also a part of a record. The encoder's head is written as soon as an
 * empty file is open, also after a reopening.
 *
 * Records count as written when their bytes are accepted. If the stream reports how far its reader
 * is, accepted records stay in flight until they are read, which may be after their block was
 * written.
 */
#include "collector/output/stream_writer.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/output/stream_writer_state.h"
#include "collector/platform/clock.h"
#include "collector/text/control_character.h"

/* --- collecting ------------------------------------------------------------------------------- */

static bool is_watched(const struct stream_writer *stream)
{
    const struct destination *destination = stream->base.destination;
    return destination->stream->is_watched != NULL && destination->stream->is_watched(destination);
}

/*
 * Replaces control characters if the destination is a terminal. Not needed if the encoder does so
 * itself (for_people).
 */
static void hide_controls(struct stream_writer *stream, size_t start)
{
    if (!stream->base.options.settings->encoder->for_people)
        control_characters_hide_in_lines(stream->out.data + start, stream->out.used - start);
}

static void begin_collecting(struct stream_writer *stream)
{
    const struct sink_writer *writer = &stream->base;
    if (stream->out.used == 0 && writer->options.settings->flush_interval != 0)
        stream->collected_until_ns = sink_writer_collected_until(writer, clock_monotonic_ns());
}

static bool is_full(const struct stream_writer *stream)
{
    return stream->out.used >= BLOCK_SIZE || stream->count == MAX_PENDING;
}

static bool stream_put(struct sink_writer *writer, const struct listener *listener,
                       const struct record *record)
{
    struct stream_writer *stream = stream_of(writer);
    RULE(!stream->writing && stream->count < MAX_PENDING, "a record is put between two blocks");
    struct encoded encoded;
    size_t start = stream->out.used;
    bool watched = is_watched(stream);
    begin_collecting(stream);
    if (!sink_writer_encode(writer, listener, record, &stream->out, &encoded))
        return true;
    if (watched)
        hide_controls(stream, start);
    *stream_pending_at(stream, stream->count++) = (struct pending){
        .end = stream->block_at + stream->out.used,
        .counts = encoded_counts_of(&encoded),
    };
    return is_full(stream) || watched ? stream_writer_flush(writer) : true;
}

static bool stream_has_work(const struct sink_writer *writer)
{
    const struct stream_writer *stream = (const struct stream_writer *)writer;
    if (stream->out.used != 0)
        return writer->options.settings->flush_interval == 0;
    return writer->state == SINK_WRITING && (!stream->begun || stream_owes_head(stream));
}

static int64_t stream_due(const struct sink_writer *writer)
{
    const struct stream_writer *stream = (const struct stream_writer *)writer;
    const struct stream_ops *ops = writer->destination->stream;
    int64_t next = writer->state == SINK_WRITING && ops->due != NULL ? ops->due(writer->destination)
                                                                     : INT64_MAX;
    bool collecting = stream->out.used != 0 && stream->collected_until_ns < next;
    return collecting ? stream->collected_until_ns : next;
}

static bool stream_serve(struct sink_writer *writer, int64_t now_ns)
{
    struct stream_writer *stream = stream_of(writer);
    const struct stream_ops *ops = writer->destination->stream;
    bool collected = stream->out.used != 0 && now_ns >= stream->collected_until_ns;
    if ((stream->writing || collected) && !stream_writer_flush(writer))
        return false;
    if (writer->state != SINK_WRITING || ops->due == NULL)
        return true;
    if (stream_follows_reader(stream))
        stream_writer_attend(stream);
    else if (now_ns >= ops->due(writer->destination))
        ops->tick(writer->destination);
    return true;
}

static void stream_reopen(struct sink_writer *writer)
{
    struct stream_writer *stream = stream_of(writer);
    if (!atomic_load(&writer->reopen_wanted))
        return;
    const struct stream_ops *ops = writer->destination->stream;
    if (writer->state == SINK_WRITING && ops->reopen != NULL) {
        stream_writer_open_anew(stream);
        return;
    }
    atomic_store(&writer->reopen_wanted, false);
    stream->restart_announced = false;
    if (writer->state == SINK_WRITING && ops->restart != NULL)
        ops->restart(writer->destination, false);
}

/*
 * Waits until the reader has read all accepted records, which are in flight until then, or until
 * the deadline has passed.
 */
static void stream_finish(struct sink_writer *writer)
{
    struct stream_writer *stream = stream_of(writer);
    struct destination *destination = writer->destination;
    const struct stream_ops *ops = destination->stream;
    while (ops->finish != NULL) {
        bool over = deadline_is_over(&writer->deadline);
        bool ended = ops->finish(destination, over);
        stream_writer_follow_reader(stream, over ? FAILED_STOP_TIMEOUT : FAILED_COMMAND_ENDED);
        if (ended)
            return;
        int most = milliseconds_until(ops->due(destination), clock_monotonic_ns());
        sink_writer_begin_io(writer);
        wakeup_wait(writer->wakeup, NO_HANDLE, false,
                    over ? most : deadline_wait_ms(&writer->deadline, most));
        sink_writer_end_io(writer);
    }
}

static wait_handle stream_handle(const struct sink_writer *writer)
{
    return writer->destination->stream->handle(writer->destination);
}

static void broken(struct sink_writer *writer)
{
    const struct stream_ops *ops = writer->destination->stream;
    if (!stream_follows_reader(stream_of(writer))) {
        sink_writer_end(writer);
        return;
    }
    ops->tick(writer->destination);
    stream_writer_follow_reader(stream_of(writer), FAILED_COMMAND_ENDED);
}

/* --- making a writer -------------------------------------------------------------------------- */

size_t stream_writer_memory(size_t record_size)
{
    return sizeof(struct stream_writer) + BLOCK_SIZE + record_size;
}

static void stream_destroy(struct sink_writer *writer)
{
    struct stream_writer *stream = stream_of(writer);
    free(stream->out.data);
    free(stream);
}

static const struct sink_writer_ops stream_writer_ops = {
    .put = stream_put,
    .put_on = stream_writer_flush,
    .has_work = stream_has_work,
    .flush = stream_writer_flush,
    .due = stream_due,
    .serve = stream_serve,
    .reopen = stream_reopen,
    .finish = stream_finish,
    .handle = stream_handle,
    .broken = broken,
    .destroy = stream_destroy,
};

struct sink_writer *stream_writer_create(size_t record_size)
{
    struct stream_writer *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->base.ops = &stream_writer_ops;
    stream->collected_until_ns = INT64_MAX;
    stream->out.capacity = BLOCK_SIZE + record_size;
    stream->out.data = malloc(stream->out.capacity);
    if (stream->out.data == NULL) {
        free(stream);
        return NULL;
    }
    return &stream->base;
}
