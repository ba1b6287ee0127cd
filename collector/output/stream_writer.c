/*
 * Writing to a stream of bytes: a pipe, a terminal, or a file that is appended to. It takes what it
 * can, perhaps a part of a record. What the encoder has a file begin with is written as soon as an
 * empty one is open, at the start or anew.
 *
 * Mostly what is accepted is written. A stream that knows how far its reader is keeps records that
 * were accepted in flight until they are read, after the block that they stood in.
 */
#include "collector/output/stream_writer.h"

#include <stdlib.h>

#include "collector/output/encoded_counts.h"
#include "collector/output/sink_writer.h"
#include "collector/platform/clock.h"
#include "collector/text/control_character.h"

#define MAX_PENDING 2048 /* a power of two */

/* A record that was put and whose fate is not known. */
struct pending {
    uint64_t end; /* after its last byte, counted over all records */
    struct encoded_counts counts;
};

/* Offsets are bytes of records from the first on, without heads. */
struct stream_writer {
    struct sink_writer base;
    struct output out;                   /* the block */
    uint64_t block_at;                   /* offset of its first byte */
    size_t sent;                         /* bytes of it that are out */
    size_t head_sent;                    /* bytes of the head that are out; all: it is not due */
    bool begun;                          /* it was looked at what the destination begins with */
    struct pending pending[MAX_PENDING]; /* a ring */
    size_t first, count;
    uint64_t committed_to;      /* where the last record before those ends */
    uint64_t reader_at;         /* what the present reader was given first */
    bool restart_announced;     /* to the present reader */
    bool writing;               /* the block: begun and not ended */
    bool tried;                 /* a write of it, and what follows from that is still to be done */
    bool went_out;              /* something in that write */
    int64_t collected_until_ns; /* monotonic */
};

size_t stream_writer_memory(size_t record_size)
{
    return sizeof(struct stream_writer) + BLOCK_SIZE + record_size;
}

static struct stream_writer *of(struct sink_writer *writer)
{
    return (struct stream_writer *)writer;
}

/* Records are in flight until they are read. */
static bool follows_reader(const struct stream_writer *stream)
{
    return stream->base.destination->stream->progress != NULL;
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

static struct pending *pending_at(struct stream_writer *stream, size_t index)
{
    return &stream->pending[(stream->first + index) % MAX_PENDING];
}

/* What is out. */
static uint64_t accepted(const struct stream_writer *stream)
{
    return stream->block_at + stream->sent;
}

static void take_first(struct stream_writer *stream)
{
    stream->committed_to = pending_at(stream, 0)->end;
    stream->first = (stream->first + 1) % MAX_PENDING;
    stream->count--;
}

/* Counts the records up to that offset as written. */
static void commit_to(struct stream_writer *stream, uint64_t offset)
{
    struct encoded sum = {0};
    size_t before = stream->count;
    while (stream->count != 0 && pending_at(stream, 0)->end <= offset) {
        encoded_counts_add(&sum, &pending_at(stream, 0)->counts);
        take_first(stream);
    }
    sink_writer_count_written(&stream->base, before - stream->count, &sum);
}

static void take_off_bytes(struct stream_writer *stream, size_t size)
{
    struct counter *bytes = &stream->base.options.counters->bytes;
    counter_set(bytes, counter_read(bytes) - size);
}

/*
 * Of what is out takes back what follows the last whole record: the beginning of the next one; or
 * else the beginning of the head. Returns false where that cannot be done.
 */
static bool roll_back(struct stream_writer *stream)
{
    const struct stream_ops *ops = stream->base.destination->stream;
    size_t *out = head_is_due(stream) ? &stream->head_sent : &stream->sent;
    size_t part =
        head_is_due(stream) ? stream->head_sent : (size_t)(accepted(stream) - stream->committed_to);
    if (part == 0)
        return true;
    if (ops->roll_back == NULL || !ops->roll_back(stream->base.destination, part))
        return false;
    take_off_bytes(stream, part);
    *out -= part;
    return true;
}

/* Of a write that would have blocked, and is not tried again, a part may be out all the same. */
static void cancel(struct stream_writer *stream)
{
    const struct stream_ops *ops = stream->base.destination->stream;
    size_t *out = head_is_due(stream) ? &stream->head_sent : &stream->sent;
    if (ops->cancel == NULL)
        return;
    size_t written = ops->cancel(stream->base.destination);
    counter_add(&stream->base.options.counters->bytes, written);
    *out += written;
    if (!follows_reader(stream))
        commit_to(stream, accepted(stream));
}

/* The beginning of a record stays, whose end is not written. */
static void leave_torn(struct stream_writer *stream)
{
    struct destination *destination = stream->base.destination;
    log_about(LOG_WARNING, LOG_OF_SINK, stream->base.options.name,
              "the last line is cut: stop_timeout was over");
    if (destination->stream->leave_torn != NULL)
        destination->stream->leave_torn(destination);
}

/* Every record that is not out as a whole fails. What a reader may still read is not among them. */
static void fail_rest(struct stream_writer *stream)
{
    struct sink_writer *writer = &stream->base;
    size_t failed = 0;
    cancel(stream);
    if (writer->state == SINK_GIVING_UP && !follows_reader(stream) && !roll_back(stream))
        leave_torn(stream);
    for (; stream->count != 0; stream->count--, failed++)
        if (pending_at(stream, stream->count - 1)->end <= accepted(stream))
            break;
    sink_writer_count_failed(writer, failed);
}

/* --- a reader that may end -------------------------------------------------------------------- */

/*
 * The reader has ended: every record that is out in part or whole, and that it has not read, is
 * lost. The next reader begins with the record after those.
 */
static void lose_unread(struct stream_writer *stream, enum record_failure reason)
{
    size_t lost = 0;
    for (; stream->count != 0 && stream->committed_to < accepted(stream); lost++)
        take_first(stream);
    if (stream->committed_to > accepted(stream))
        stream->sent = (size_t)(stream->committed_to - stream->block_at);
    sink_writer_count_failed_by(&stream->base, reason, lost);
    stream->reader_at = accepted(stream);
    if (stream->base.state == SINK_WRITING)
        look_at_beginning(stream);
}

/*
 * Another reader is wanted while this one has a part of the block. That is said at once: one that
 * does not read the rest would never be replaced if that waited for the block to be written. Where
 * it has ended already, the one that follows is what is wanted.
 */
static void announce_restart(struct stream_writer *stream)
{
    struct sink_writer *writer = &stream->base;
    if (stream->restart_announced || !atomic_load(&writer->reopen_wanted))
        return;
    writer->destination->stream->restart(writer->destination, true);
    stream->restart_announced = !writer->unattended;
    if (writer->unattended)
        atomic_store(&writer->reopen_wanted, false);
}

/* It has ended: what was announced has come about. */
static void complete_restart(struct stream_writer *stream)
{
    if (stream->restart_announced)
        atomic_store(&stream->base.reopen_wanted, false);
    stream->restart_announced = false;
}

/* Counts what the reader has read, and what it has lost where it has ended, for this reason. */
static void follow_reader(struct stream_writer *stream, enum record_failure reason)
{
    struct sink_writer *writer = &stream->base;
    size_t unread = 0;
    enum reader_state state = writer->destination->stream->progress(writer->destination, &unread);
    uint64_t given = accepted(stream) - stream->reader_at; /* less its head */
    uint64_t read_to = accepted(stream) - (unread < given ? unread : given);
    commit_to(stream, read_to);
    if (state == READER_ENDED) {
        if (reason == FAILED_STOP_TIMEOUT && read_to != stream->committed_to)
            log_about(LOG_WARNING, LOG_OF_SINK, writer->options.name,
                      "the last line is cut: stop_timeout was over");
        take_off_bytes(stream, unread);
        lose_unread(stream, reason);
        complete_restart(stream);
    }
    sink_writer_note_reader(writer, state == READER_READS);
    sink_writer_publish(writer);
}

/* Has the destination do what is due, and counts what has come of it. */
static void attend(struct stream_writer *stream)
{
    struct destination *destination = stream->base.destination;
    if (clock_monotonic_ns() >= destination->stream->due(destination))
        destination->stream->tick(destination);
    follow_reader(stream, FAILED_COMMAND_ENDED);
}

/* Blocks until the handle is writable, or what is due may have changed that. */
static void wait_for_reader(struct stream_writer *stream, wait_handle handle)
{
    struct sink_writer *writer = &stream->base;
    const struct stream_ops *ops = writer->destination->stream;
    int64_t until_ns = follows_reader(stream) ? ops->due(writer->destination) : INT64_MAX;
    sink_writer_block(writer, handle, true, until_ns);
}

/* --- writing ---------------------------------------------------------------------------------- */

/*
 * One write of what is left. Returns how many bytes went out; 0: the state changed, or it blocks,
 * as *blocked says.
 */
static size_t write_some(struct stream_writer *stream, const struct output *from, size_t sent,
                         bool *blocked)
{
    struct sink_writer *writer = &stream->base;
    const struct stream_ops *ops = stream->base.destination->stream;
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

/* The destination stands at the end of a record. */
static void open_anew(struct stream_writer *stream)
{
    const char *name = stream->base.options.name;
    struct error error;
    atomic_store(&stream->base.reopen_wanted, false);
    sink_writer_begin_io(&stream->base);
    int result = stream->base.destination->stream->reopen(stream->base.destination, &error);
    sink_writer_end_io(&stream->base);
    if (result != 0) {
        log_about(LOG_ERROR, LOG_OF_SINK, name, "cannot reopen, going on with the old file: %s",
                  error.text);
        return;
    }
    look_at_beginning(stream);
    log_about(LOG_INFO, LOG_OF_SINK, name, "reopened");
}

/*
 * To rotate a file that takes no more is what helps, and what would never come if it waited for the
 * block to be written. The record that is partly in the old file goes whole to the new one; where
 * that part cannot be taken back (a pipe), the reopening has to wait.
 */
static void reopen_failing(struct stream_writer *stream)
{
    if (stream->base.destination->stream->reopen != NULL && roll_back(stream))
        open_anew(stream);
}

/*
 * The same where the file was moved, removed, emptied or cut: who frees a full disk in one of these
 * ways shall have it back.
 */
static void leave_failing(struct stream_writer *stream)
{
    struct destination *destination = stream->base.destination;
    const struct stream_ops *ops = destination->stream;
    if (ops->was_moved == NULL || !ops->was_moved(destination) || !roll_back(stream))
        return;
    if (ops->prepare != NULL)
        ops->prepare(destination);
    look_at_beginning(stream);
}

/* Before a block. */
static void prepare(struct stream_writer *stream)
{
    const struct stream_ops *ops = stream->base.destination->stream;
    if (stream->base.state != SINK_WRITING || (stream->begun && stream->out.used == 0))
        return;
    sink_writer_begin_io(&stream->base);
    if (ops->prepare != NULL)
        ops->prepare(stream->base.destination);
    sink_writer_end_io(&stream->base);
    if (!stream->begun || ops->prepare != NULL)
        look_at_beginning(stream);
}

/* What must be out before the next record has room. */
static bool has_more(const struct stream_writer *stream)
{
    return head_is_due(stream) || stream->sent < stream->out.used || stream->count == MAX_PENDING;
}

/* Sets *blocked where it would have to wait. Returns whether something went out. */
static bool write_next(struct stream_writer *stream, bool *blocked)
{
    if (head_is_due(stream)) {
        size_t written = write_some(stream, &stream->base.head, stream->head_sent, blocked);
        stream->head_sent += written;
        return written != 0;
    }
    if (stream->sent == stream->out.used) { /* all is out and too much of it unread */
        wait_for_reader(stream, NO_HANDLE);
        *blocked = true;
        return false;
    }
    size_t written = write_some(stream, &stream->out, stream->sent, blocked);
    stream->sent += written;
    if (!follows_reader(stream))
        commit_to(stream, accepted(stream));
    return written != 0;
}

/* What follows from a write, and from the wait after it. */
static void conclude_try(struct stream_writer *stream)
{
    struct sink_writer *writer = &stream->base;
    stream->tried = false;
    if (!stream->went_out && writer->state == SINK_WRITING && writer->failing) {
        if (atomic_load_explicit(&writer->reopen_wanted, memory_order_relaxed))
            reopen_failing(stream);
        else
            leave_failing(stream);
    }
    if (follows_reader(stream))
        attend(stream);
    if (follows_reader(stream) && has_more(stream))
        announce_restart(stream);
    if (has_more(stream))
        sink_writer_goes_on(writer);
}

/* As long as the state lets it. Returns false where it stopped half-way. */
static bool write_all(struct stream_writer *stream)
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

/* Returns false where it stopped half-way. */
static bool write_block(struct stream_writer *stream)
{
    struct sink_writer *writer = &stream->base;
    if (!stream->writing) {
        prepare(stream);
        if (writer->state != SINK_WRITING || !has_more(stream))
            return true;
        sink_writer_begin_block(writer);
        stream->writing = true;
    }
    if (!write_all(stream))
        return false;
    stream->writing = false;
    sink_writer_end_block(writer, !has_more(stream));
    return true;
}

static bool flush(struct sink_writer *writer)
{
    struct stream_writer *stream = of(writer);
    if (!write_block(stream))
        return false;
    if (writer->state != SINK_WRITING && (stream->out.used != 0 || head_is_due(stream)))
        fail_rest(stream);
    stream->block_at = accepted(stream);
    stream->sent = 0;
    stream->out.used = 0;
    sink_writer_publish(writer);
    return true;
}

static bool is_watched(const struct stream_writer *stream)
{
    const struct destination *destination = stream->base.destination;
    return destination->stream->is_watched != NULL && destination->stream->is_watched(destination);
}

/* What people look at brings no control characters, unless its encoder writes for people. */
static void hide_controls(struct stream_writer *stream, size_t start)
{
    if (!stream->base.options.encoder->for_people)
        control_characters_hide_in_lines(stream->out.data + start, stream->out.used - start);
}

/* The first record in the block comes. */
static void begin_collecting(struct stream_writer *stream)
{
    const struct sink_writer *writer = &stream->base;
    if (stream->out.used == 0 && writer->options.flush_interval != 0)
        stream->collected_until_ns = sink_writer_collected_until(writer, clock_monotonic_ns());
}

/* Whether the block has no room for one more. */
static bool is_full(const struct stream_writer *stream)
{
    return stream->out.used >= BLOCK_SIZE || stream->count == MAX_PENDING;
}

static bool put(struct sink_writer *writer, const struct listener *listener,
                const struct record *record)
{
    struct stream_writer *stream = of(writer);
    struct encoded encoded;
    size_t start = stream->out.used;
    bool watched = is_watched(stream);
    begin_collecting(stream);
    if (!sink_writer_encode(writer, listener, record, &stream->out, &encoded))
        return true;
    if (watched)
        hide_controls(stream, start);
    *pending_at(stream, stream->count++) = (struct pending){
        .end = stream->block_at + stream->out.used,
        .counts = encoded_counts_of(&encoded),
    };
    return is_full(stream) || watched ? flush(writer) : true;
}

/* A block that is not full has room for all the lines of a batch. */
_Static_assert(SINK_RECORD_SIZE >= ENCODED_SIZE, "a block that is not full has room for a batch");

static bool put_encoded(struct sink_writer *writer, const struct encoded_batch *encoded,
                        size_t *next)
{
    struct stream_writer *stream = of(writer);
    size_t from = *next == 0 ? 0 : encoded->records[*next - 1].end;
    size_t start = stream->out.used;
    uint64_t before = stream->block_at + start - from;
    bool watched = is_watched(stream);
    size_t at = *next;
    begin_collecting(stream);
    for (; at < encoded->count && stream->count < MAX_PENDING; at++) {
        const struct encoded_record *record = &encoded->records[at];
        if (record->counts.lines == 0)
            sink_writer_count_filtered(writer, record->record);
        else
            *pending_at(stream, stream->count++) =
                (struct pending){before + record->end, record->counts};
    }
    if (at != *next)
        output_bytes(&stream->out, encoded->text + from, encoded->records[at - 1].end - from);
    if (watched)
        hide_controls(stream, start);
    *next = at;
    return is_full(stream) || watched ? flush(writer) : true;
}

static bool has_work(const struct sink_writer *writer)
{
    const struct stream_writer *stream = (const struct stream_writer *)writer;
    if (writer->state == SINK_WRITING && (!stream->begun || head_is_due(stream)))
        return true;
    return stream->out.used != 0 && writer->options.flush_interval == 0;
}

static int64_t due(const struct sink_writer *writer)
{
    const struct stream_writer *stream = (const struct stream_writer *)writer;
    const struct stream_ops *ops = writer->destination->stream;
    int64_t next = writer->state == SINK_WRITING && ops->due != NULL ? ops->due(writer->destination)
                                                                     : INT64_MAX;
    bool collecting = stream->out.used != 0 && stream->collected_until_ns < next;
    return collecting ? stream->collected_until_ns : next;
}

static bool serve(struct sink_writer *writer, int64_t now_ns)
{
    struct stream_writer *stream = of(writer);
    const struct stream_ops *ops = writer->destination->stream;
    bool collected = stream->out.used != 0 && now_ns >= stream->collected_until_ns;
    if ((stream->writing || collected) && !flush(writer))
        return false;
    if (writer->state != SINK_WRITING || ops->due == NULL)
        return true;
    if (follows_reader(stream))
        attend(stream);
    else if (now_ns >= ops->due(writer->destination))
        ops->tick(writer->destination);
    return true;
}

static void reopen(struct sink_writer *writer)
{
    struct stream_writer *stream = of(writer);
    if (!atomic_load(&writer->reopen_wanted))
        return;
    const struct stream_ops *ops = writer->destination->stream;
    if (writer->state == SINK_WRITING && ops->reopen != NULL) {
        open_anew(stream);
        return;
    }
    atomic_store(&writer->reopen_wanted, false);
    stream->restart_announced = false;
    if (writer->state == SINK_WRITING && ops->restart != NULL)
        ops->restart(writer->destination, false);
}

/* What was accepted is in flight, and stays so until it is read, or the deadline is over. */
static void finish(struct sink_writer *writer)
{
    struct stream_writer *stream = of(writer);
    struct destination *destination = writer->destination;
    const struct stream_ops *ops = destination->stream;
    while (ops->finish != NULL) {
        bool over = deadline_is_over(&writer->deadline);
        bool ended = ops->finish(destination, over);
        follow_reader(stream, over ? FAILED_STOP_TIMEOUT : FAILED_COMMAND_ENDED);
        if (ended)
            return;
        int most = milliseconds_until(ops->due(destination), clock_monotonic_ns());
        sink_writer_begin_io(writer);
        wakeup_wait(writer->wakeup, NO_HANDLE, false,
                    over ? most : deadline_wait_ms(&writer->deadline, most));
        sink_writer_end_io(writer);
    }
}

static wait_handle handle(const struct sink_writer *writer)
{
    return writer->destination->stream->handle(writer->destination);
}

static void broken(struct sink_writer *writer)
{
    const struct stream_ops *ops = writer->destination->stream;
    if (!follows_reader(of(writer))) {
        sink_writer_end(writer);
        return;
    }
    ops->tick(writer->destination);
    follow_reader(of(writer), FAILED_COMMAND_ENDED);
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
    .put_on = flush,
    .put_encoded = put_encoded,
    .has_work = has_work,
    .flush = flush,
    .due = due,
    .serve = serve,
    .reopen = reopen,
    .finish = finish,
    .handle = handle,
    .broken = broken,
    .destroy = destroy,
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
