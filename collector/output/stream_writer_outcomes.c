/* Counts the outcomes of the records that were put to a stream. */
#include "collector/output/stream_writer_state.h"

#include "collector/base/rule.h"

void stream_writer_take_first(struct stream_writer *stream)
{
    RULE(stream->count != 0, "a record that gets an outcome is pending");
    RULE(stream_pending_at(stream, 0)->end >= stream->committed_to, "records end in their order");
    stream->committed_to = stream_pending_at(stream, 0)->end;
    stream->first = (stream->first + 1) % MAX_PENDING;
    stream->count--;
}

void stream_writer_commit_to(struct stream_writer *stream, uint64_t offset)
{
    RULE(offset <= stream_accepted(stream), "only accepted records are written");
    struct encoded sum = {0};
    size_t before = stream->count;
    while (stream->count != 0 && stream_pending_at(stream, 0)->end <= offset) {
        encoded_counts_add(&sum, &stream_pending_at(stream, 0)->counts);
        stream_writer_take_first(stream);
    }
    sink_writer_count_written(&stream->base, before - stream->count, &sum);
}

void stream_writer_take_off_bytes(struct stream_writer *stream, size_t size)
{
    struct counter *bytes = &stream->base.options.counters->bytes;
    counter_set(bytes, counter_read(bytes) - size);
}

bool stream_writer_roll_back(struct stream_writer *stream)
{
    const struct stream_ops *ops = stream->base.destination->stream;
    size_t *out = stream_sent(stream);
    size_t part = stream_owes_head(stream)
                      ? stream->head_sent
                      : (size_t)(stream_accepted(stream) - stream->committed_to);
    if (part == 0)
        return true;
    if (ops->roll_back == NULL || !ops->roll_back(stream->base.destination, part))
        return false;
    RULE(part <= *out, "a record that is taken back is in this block");
    stream_writer_take_off_bytes(stream, part);
    *out -= part;
    return true;
}

/*
 * Cancels a write that would have blocked, and adds the bytes that it has written until now. The
 * write is not tried again.
 */
static void cancel_write(struct stream_writer *stream)
{
    const struct stream_ops *ops = stream->base.destination->stream;
    size_t *out = stream_sent(stream);
    if (ops->cancel == NULL)
        return;
    size_t written = ops->cancel(stream->base.destination);
    counter_add(&stream->base.options.counters->bytes, written);
    *out += written;
    if (!stream_follows_reader(stream))
        stream_writer_commit_to(stream, stream_accepted(stream));
}

void stream_writer_log_cut(const struct stream_writer *stream)
{
    log_about(LOG_WARNING, LOG_OF_SINK, stream->base.options.name,
              "the last line is cut: stop_timeout is over");
}

/* Called if the beginning of a record stays in the file and its end will not be written. */
static void leave_torn(struct stream_writer *stream)
{
    struct destination *destination = stream->base.destination;
    stream_writer_log_cut(stream);
    if (destination->stream->leave_torn != NULL)
        destination->stream->leave_torn(destination);
}

void stream_writer_fail_rest(struct stream_writer *stream)
{
    struct sink_writer *writer = &stream->base;
    size_t failed = 0;
    cancel_write(stream);
    if (writer->state == SINK_GIVING_UP && !stream_follows_reader(stream) &&
        !stream_writer_roll_back(stream))
        leave_torn(stream);
    for (; stream->count != 0; stream->count--, failed++)
        if (stream_pending_at(stream, stream->count - 1)->end <= stream_accepted(stream))
            break;
    sink_writer_count_failed(writer, failed);
}
