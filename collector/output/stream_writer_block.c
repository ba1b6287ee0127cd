/*
 * Writes a block to the destination. When the destination blocks or fails, the operation stops
 * half-way and must be called again.
 */
#include "collector/output/stream_writer_state.h"

#include "collector/base/rule.h"

/*
 * Blocks until the handle is writable, or until the destination's tick is due, because a tick may
 * change the handle.
 */
static void wait_for_reader(struct stream_writer *stream, wait_handle handle)
{
    struct sink_writer *writer = &stream->base;
    const struct stream_ops *ops = writer->destination->stream;
    if (stream_follows_reader(stream))
        stream_writer_hasten_reader(stream);
    int64_t until_ns = stream_follows_reader(stream) ? ops->due(writer->destination) : INT64_MAX;
    sink_writer_block(writer, handle, true, until_ns);
}

/*
 * Writes once: the rest of the head or, if there is none, the rest of the block. Returns the number
 * of bytes that were accepted. If it is 0, either the state has changed or *blocked is set.
 */
static size_t write_some(struct stream_writer *stream, bool *blocked)
{
    struct sink_writer *writer = &stream->base;
    const struct stream_ops *ops = stream->base.destination->stream;
    const struct output *from = stream_owes_head(stream) ? &writer->head : &stream->out;
    size_t sent = *stream_sent(stream);
    struct error error;
    size_t written = 0;
    sink_writer_begin_io(writer);
    if (writer->options.before_write != NULL)
        writer->options.before_write(writer->options.hook_context);
    enum write_result result = ops->write(stream->base.destination, from->data + sent,
                                          from->used - sent, &written, &error);
    sink_writer_end_io(writer);
    switch (result) {
    case WRITE_OK:
        RULE(written <= from->used - sent, "a destination accepts no more than it is given");
        sink_writer_note_success(writer);
        counter_add(&writer->options.counters->bytes, written);
        return written;
    case WRITE_WOULD_BLOCK:
        wait_for_reader(stream, ops->handle(stream->base.destination));
        *blocked = true;
        return 0;
    case WRITE_FAILED:
        sink_writer_pause(writer, &error);
        *blocked = true;
        return 0;
    case WRITE_CLOSED:
        sink_writer_end(writer);
        return 0;
    }
    return 0;
}

/* Returns true if bytes must be written, or records be read, before another record has room. */
static bool has_more(const struct stream_writer *stream)
{
    return stream_owes_head(stream) || stream->sent < stream->out.used ||
           stream->count == MAX_PENDING;
}

/* Writes once. Sets *blocked if it would have to wait. Returns true if any bytes were accepted. */
static bool write_next(struct stream_writer *stream, bool *blocked)
{
    bool head = stream_owes_head(stream);
    /*
     * All bytes are accepted, so has_more returned true because `pending` is full of unread
     * records.
     */
    if (!head && stream->sent == stream->out.used) {
        wait_for_reader(stream, NO_HANDLE);
        *blocked = true;
        return false;
    }
    size_t written = write_some(stream, blocked);
    *stream_sent(stream) += written;
    if (!head && !stream_follows_reader(stream))
        stream_writer_commit_to(stream, stream_accepted(stream));
    return written != 0;
}

/*
 * Handles the result of the last write. Called after the wait that followed the write, if there was
 * one.
 */
static void conclude_try(struct stream_writer *stream)
{
    struct sink_writer *writer = &stream->base;
    stream->tried = false;
    if (!stream->went_out && writer->state == SINK_WRITING && writer->failing)
        stream_writer_change_failing(stream);
    if (stream_follows_reader(stream)) {
        stream_writer_attend(stream);
        if (has_more(stream))
            stream_writer_announce_restart(stream);
    }
    if (has_more(stream))
        sink_writer_goes_on(writer);
}

/* Writes until the block is written or the state changes. Returns false if it stopped half-way. */
static bool write_rest_of_block(struct stream_writer *stream)
{
    bool blocked = false;
    if (!sink_writer_has_paused(&stream->base))
        return false;
    if (stream->tried)
        conclude_try(stream);
    while (stream->base.state == SINK_WRITING && has_more(stream)) {
        stream->went_out = write_next(stream, &blocked);
        stream->tried = true;
        if (blocked)
            return false;
        conclude_try(stream);
    }
    return true;
}

static bool stream_write_block(struct stream_writer *stream)
{
    struct sink_writer *writer = &stream->base;
    if (!stream->writing) {
        stream_writer_prepare(stream);
        if (writer->state != SINK_WRITING || !has_more(stream))
            return true;
        sink_writer_begin_block(writer);
        stream->writing = true;
    }
    if (!write_rest_of_block(stream))
        return false;
    stream->writing = false;
    sink_writer_end_block(writer, !has_more(stream));
    return true;
}

bool stream_writer_flush(struct sink_writer *writer)
{
    struct stream_writer *stream = stream_of(writer);
    if (!stream_write_block(stream))
        return false;
    if (writer->state != SINK_WRITING && (stream->out.used != 0 || stream_owes_head(stream)))
        stream_writer_fail_rest(stream);
    RULE(writer->state != SINK_WRITING || stream->sent == stream->out.used,
         "a block that is written was accepted whole");
    stream->block_at = stream_accepted(stream);
    stream->sent = 0;
    stream->out.used = 0;
    sink_writer_publish(writer);
    return true;
}
