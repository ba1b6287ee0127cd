/*
 * Writing to a stream of bytes: a pipe, a terminal, or a file that is appended to. It takes what it
 * can, perhaps a part of a record. What the encoder has a file begin with is written as soon as an
 * empty one is open, at the start or anew.
 */
#include <stdlib.h>

#include "collector/sink_writer.h"
#include "collector/thread.h"

#define MAX_PENDING 2048

/* A record whose lines stand in the block. */
struct pending {
    size_t end; /* offset behind its last byte */
    struct encoded encoded;
};

struct stream_writer {
    struct sink_writer base;
    struct output out; /* the block */
    size_t head_sent;  /* bytes of the head that are out; all: it is not due */
    bool begun;        /* it was looked at what the destination begins with */
    struct pending pending[MAX_PENDING];
    size_t pending_count;
    int64_t collected_until_ns; /* monotonic */
};

size_t stream_writer_memory(void)
{
    return sizeof(struct stream_writer) + BLOCK_SIZE + RECORD_SIZE;
}

static struct stream_writer *of(struct sink_writer *writer)
{
    return (struct stream_writer *)writer;
}

/* --- the head --------------------------------------------------------------------------------- */

/* It comes before what is in the block. */
static bool head_is_due(const struct stream_writer *stream)
{
    return stream->head_sent < stream->base.head.used;
}

/* What a file begins with is due where nothing is in it. */
static void look_at_beginning(struct stream_writer *stream)
{
    struct destination *destination = stream->base.destination;
    const struct stream_ops *ops = destination->stream;
    bool due =
        stream->base.head.used != 0 && ops->at_beginning != NULL && ops->at_beginning(destination);
    stream->head_sent = due ? 0 : stream->base.head.used;
    stream->begun = true;
}

/* --- the fate of records ---------------------------------------------------------------------- */

/* Takes from the block what was accepted, and counts the records whose last byte was in it. */
static void accept_written(struct stream_writer *stream, size_t *done, size_t sent)
{
    struct encoded sum = {0};
    size_t first = *done;
    for (; *done < stream->pending_count && stream->pending[*done].end <= sent; (*done)++) {
        sum.lines += stream->pending[*done].encoded.lines;
        sum.samples += stream->pending[*done].encoded.samples;
        sum.json_fallbacks += stream->pending[*done].encoded.json_fallbacks;
    }
    sink_writer_count_written(&stream->base, *done - first, &sum);
}

/* Where the first `done` records of the block end. */
static size_t end_of_whole(const struct stream_writer *stream, size_t done)
{
    return done == 0 ? 0 : stream->pending[done - 1].end;
}

/*
 * Of the first `*sent` bytes of the block, which are out, takes back what is behind the first
 * `done` records: the beginning of the next one; or else the beginning of the head. Returns false
 * where that cannot be done.
 */
static bool take_back(struct stream_writer *stream, size_t done, size_t *sent)
{
    const struct stream_ops *ops = stream->base.destination->stream;
    size_t *out = head_is_due(stream) ? &stream->head_sent : sent;
    size_t part = head_is_due(stream) ? stream->head_sent : *sent - end_of_whole(stream, done);
    if (part == 0)
        return true;
    if (ops->take_back == NULL || !ops->take_back(stream->base.destination, part))
        return false;
    struct counter *bytes = &stream->base.options.counters->bytes;
    counter_set(bytes, counter_read(bytes) - part);
    *out -= part;
    return true;
}

/* Everything from pending record `done` on fails; `sent` bytes of the block are out already. */
static void fail_rest(struct stream_writer *stream, size_t done, size_t sent)
{
    struct sink_writer *writer = &stream->base;
    if (writer->state == SINK_GIVING_UP && !take_back(stream, done, &sent))
        log_line(LOG_WARNING, "%s: the last line is cut: stop_timeout was over",
                 writer->options.name);
    sink_writer_count_failed(writer, stream->pending_count - done);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* One write of what is left. Returns how many bytes went out; 0: the state or the time changed. */
static size_t write_some(struct stream_writer *stream, const struct output *from, size_t sent)
{
    struct sink_writer *writer = &stream->base;
    const struct stream_ops *ops = stream->base.destination->stream;
    struct error error;
    size_t written = 0;
    if (writer->options.before_write != NULL)
        writer->options.before_write(writer->options.hook_context);
    switch (ops->write(stream->base.destination, from->data + sent, from->used - sent, &written,
                       &error)) {
    case WRITE_OK:
        sink_writer_note_success(writer);
        counter_add(&writer->options.counters->bytes, written);
        return written;
    case WRITE_WOULD_BLOCK:
        sink_writer_wait(writer, ops->handle(stream->base.destination), true,
                         sink_writer_wait_time(writer, -1));
        return 0;
    case WRITE_FAILED:
        sink_writer_pause(writer, &error);
        return 0;
    case WRITE_CLOSED:
        sink_writer_end(writer);
        return 0;
    }
    return 0;
}

/* The destination stands at the end of a record. */
static void open_anew(struct stream_writer *stream)
{
    const char *name = stream->base.options.name;
    struct error error;
    atomic_store(&stream->base.reopen_wanted, false);
    if (stream->base.destination->stream->reopen(stream->base.destination, &error) != 0) {
        log_line(LOG_ERROR, "%s: cannot reopen, going on with the old file: %s", name, error.text);
        return;
    }
    look_at_beginning(stream);
    log_line(LOG_INFO, "%s: reopened", name);
}

/*
 * To rotate a file that takes no more is what helps, and what would never come if it waited for the
 * block to be written. The record that is partly in the old file goes whole to the new one; where
 * that part cannot be taken back (a pipe), the reopening has to wait. Returns how many bytes of the
 * block are out then.
 */
static size_t reopen_failing(struct stream_writer *stream, size_t done, size_t sent)
{
    if (stream->base.destination->stream->reopen == NULL)
        return sent;
    if (take_back(stream, done, &sent))
        open_anew(stream);
    return sent;
}

/* Before a block. */
static void prepare(struct stream_writer *stream)
{
    const struct stream_ops *ops = stream->base.destination->stream;
    if (stream->base.state != SINK_WRITING || (stream->begun && stream->out.used == 0))
        return;
    if (ops->prepare != NULL)
        ops->prepare(stream->base.destination);
    if (!stream->begun || ops->prepare != NULL)
        look_at_beginning(stream);
}

static void flush(struct sink_writer *writer)
{
    struct stream_writer *stream = of(writer);
    size_t sent = 0;
    size_t done = 0;
    prepare(stream);
    while (writer->state == SINK_WRITING && (head_is_due(stream) || sent < stream->out.used)) {
        bool head = head_is_due(stream);
        size_t written = head ? write_some(stream, &writer->head, stream->head_sent)
                              : write_some(stream, &stream->out, sent);
        if (written != 0 && head) {
            stream->head_sent += written;
        } else if (written != 0) {
            sent += written;
            accept_written(stream, &done, sent);
        } else if (writer->state == SINK_WRITING && writer->failing &&
                   atomic_load_explicit(&writer->reopen_wanted, memory_order_relaxed)) {
            sent = reopen_failing(stream, done, sent);
        }
        if (head_is_due(stream) || sent < stream->out.used)
            sink_writer_goes_on(writer);
    }
    if (done < stream->pending_count || head_is_due(stream))
        fail_rest(stream, done, sent);
    stream->pending_count = 0;
    stream->out.used = 0;
    sink_writer_publish_settled(writer);
}

static bool is_watched(const struct stream_writer *stream)
{
    const struct destination *destination = stream->base.destination;
    return destination->stream->is_watched != NULL && destination->stream->is_watched(destination);
}

static void put(struct sink_writer *writer, const struct listener *listener,
                const struct record *record)
{
    struct stream_writer *stream = of(writer);
    struct encoded encoded;
    if (!sink_writer_encode(writer, listener, record, &stream->out, &encoded))
        return;
    if (stream->pending_count == 0 && writer->options.flush_interval != 0)
        stream->collected_until_ns = sink_writer_collected_until(writer, clock_monotonic_ns());
    stream->pending[stream->pending_count++] = (struct pending){stream->out.used, encoded};
    if (stream->out.used >= BLOCK_SIZE || stream->pending_count == MAX_PENDING ||
        is_watched(stream))
        flush(writer);
}

static bool has_work(const struct sink_writer *writer)
{
    const struct stream_writer *stream = (const struct stream_writer *)writer;
    if (writer->state == SINK_WRITING && (!stream->begun || head_is_due(stream)))
        return true;
    return stream->pending_count != 0 && writer->options.flush_interval == 0;
}

static int64_t due(const struct sink_writer *writer)
{
    const struct stream_writer *stream = (const struct stream_writer *)writer;
    const struct stream_ops *ops = writer->destination->stream;
    int64_t next = writer->state == SINK_WRITING && ops->due != NULL ? ops->due(writer->destination)
                                                                     : INT64_MAX;
    bool collecting = stream->pending_count != 0 && stream->collected_until_ns < next;
    return collecting ? stream->collected_until_ns : next;
}

static void serve(struct sink_writer *writer, int64_t now_ns)
{
    struct stream_writer *stream = of(writer);
    const struct stream_ops *ops = writer->destination->stream;
    if (stream->pending_count != 0 && now_ns >= stream->collected_until_ns)
        flush(writer);
    if (writer->state == SINK_WRITING && ops->due != NULL &&
        now_ns >= ops->due(writer->destination))
        ops->tick(writer->destination);
}

static void reopen(struct sink_writer *writer)
{
    struct stream_writer *stream = of(writer);
    if (!atomic_load(&writer->reopen_wanted))
        return;
    if (writer->state == SINK_WRITING && stream->base.destination->stream->reopen != NULL)
        open_anew(stream);
    else
        atomic_store(&writer->reopen_wanted, false);
}

static wait_handle handle(const struct sink_writer *writer)
{
    return writer->destination->stream->handle(writer->destination);
}

/* --- making one ------------------------------------------------------------------------------- */

static void destroy(struct sink_writer *writer)
{
    struct stream_writer *stream = of(writer);
    free(stream->out.data);
    free(stream);
}

static const struct sink_writer_ops stream_writer_ops = {
    .put = put,
    .has_work = has_work,
    .flush = flush,
    .due = due,
    .serve = serve,
    .reopen = reopen,
    .handle = handle,
    .destroy = destroy,
};

struct sink_writer *stream_writer_create(void)
{
    struct stream_writer *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    stream->base.ops = &stream_writer_ops;
    stream->collected_until_ns = INT64_MAX;
    stream->out.capacity = BLOCK_SIZE + RECORD_SIZE;
    stream->out.data = malloc(stream->out.capacity);
    if (stream->out.data == NULL) {
        free(stream);
        return NULL;
    }
    return &stream->base;
}
