#include "collector/sink_thread.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/deadline.h"
#include "collector/log.h"
#include "collector/thread.h"
#include "collector/wakeup.h"

/*
 * The buffer is written when it holds FLUSH_SIZE bytes, which is looked at between records; so the
 * next record always has RECORD_SIZE bytes of room, and one that needs more is too large.
 */
#define FLUSH_SIZE  ((size_t)64 * 1024)
#define RECORD_SIZE ((size_t)1024 * 1024)
#define MAX_PENDING 2048

/*
 * How long a failed destination is left alone: doubled at each failure, and the first one again
 * when it has not failed for as long as the longest.
 */
#define FIRST_PAUSE_MS   10
#define LONGEST_PAUSE_MS 1000

/* A record whose lines stand in the buffer. */
struct pending {
    size_t end; /* offset behind its last byte */
    struct encoded encoded;
};

/* What the sink does with what it takes. */
enum sink_state {
    SINK_WRITING,
    SINK_ENDED,     /* the reader has gone: all fails with that reason */
    SINK_GIVING_UP, /* the deadline is over: all fails with that reason */
};

struct sink_thread {
    struct sink_thread_options options;
    struct destination *destination;
    struct encoder *encoder;
    struct thread *thread;
    struct wakeup *wakeup;
    struct batch_queue **queues;
    size_t queue_count;
    size_t next_queue;

    /* The thread's own. */
    enum sink_state state;
    struct output out;
    struct output head; /* what a file begins with */
    char head_text[ENCODER_HEAD_SIZE];
    size_t head_sent; /* bytes of it that are out; all: it is not due */
    struct pending pending[MAX_PENDING];
    size_t pending_count;
    size_t settled;    /* records whose fate is known, not yet taken off in_flight */
    bool failing;      /* the last write failed */
    bool failure_told; /* in the log, and not yet that it writes again */
    int pause_ms;      /* before the next try */
    int64_t calm_ns;   /* monotonic: a failure from then on begins with the first pause */
    struct log_limit write_log;

    /* Said across threads. */
    _Atomic bool sleeping;
    _Atomic bool ended;
    _Atomic bool finished;
    _Atomic bool reopen_wanted;
    struct deadline deadline;
};

size_t sink_thread_memory(void)
{
    return FLUSH_SIZE + RECORD_SIZE + ENCODER_SCRATCH_SIZE + sizeof(struct sink_thread);
}

/* --- the fate of records ---------------------------------------------------------------------- */

static void settle(struct sink_thread *sink, struct counter *fate, size_t records)
{
    counter_add(fate, records);
    sink->settled += records;
}

/* In flight is shared with the receivers, so it is lowered once a block and not once a record. */
static void publish_settled(struct sink_thread *sink)
{
    if (sink->settled == 0)
        return;
    atomic_fetch_sub_explicit(&sink->options.counters->in_flight, (int64_t)sink->settled,
                              memory_order_relaxed);
    sink->settled = 0;
}

static enum record_failure failure_reason(const struct sink_thread *sink)
{
    if (sink->state == SINK_ENDED)
        return FAILED_READER_GONE;
    return sink->failing ? FAILED_IO_ERROR : FAILED_STOP_TIMEOUT;
}

/* Takes from the buffer what was accepted, and counts the records whose last byte was in it. */
static void accept_written(struct sink_thread *sink, size_t *done, size_t sent)
{
    struct sink_counters *counters = sink->options.counters;
    struct encoded sum = {0};
    size_t first = *done;
    for (; *done < sink->pending_count && sink->pending[*done].end <= sent; (*done)++) {
        sum.lines += sink->pending[*done].encoded.lines;
        sum.samples += sink->pending[*done].encoded.samples;
        sum.json_fallbacks += sink->pending[*done].encoded.json_fallbacks;
    }
    counter_add(&counters->lines, sum.lines);
    counter_add(&counters->samples, sum.samples);
    counter_add(&counters->json_fallback, sum.json_fallbacks);
    settle(sink, &counters->written, *done - first);
}

/* Where the first `done` records of the buffer end. */
static size_t end_of_whole(const struct sink_thread *sink, size_t done)
{
    return done == 0 ? 0 : sink->pending[done - 1].end;
}

/* It comes before what is in the buffer. */
static bool head_is_due(const struct sink_thread *sink)
{
    return sink->head_sent < sink->head.used;
}

/*
 * Of the first `*sent` bytes of the buffer, which are out, takes back what is behind the first
 * `done` records: the beginning of the next one; or else the beginning of the head. Returns false
 * where that cannot be done.
 */
static bool take_back(struct sink_thread *sink, size_t done, size_t *sent)
{
    const struct destination_ops *ops = sink->options.destination;
    size_t *out = head_is_due(sink) ? &sink->head_sent : sent;
    size_t part = head_is_due(sink) ? sink->head_sent : *sent - end_of_whole(sink, done);
    if (part == 0)
        return true;
    if (ops->take_back == NULL || !ops->take_back(sink->destination, part))
        return false;
    struct counter *bytes = &sink->options.counters->bytes;
    counter_set(bytes, counter_read(bytes) - part);
    *out -= part;
    return true;
}

/* Everything from pending record `done` on fails; `sent` bytes of the buffer are out already. */
static void fail_rest(struct sink_thread *sink, size_t done, size_t sent)
{
    if (sink->state == SINK_GIVING_UP && !take_back(sink, done, &sent))
        log_line(LOG_WARNING, "%s: the last line is cut: stop_timeout was over",
                 sink->options.name);
    settle(sink, &sink->options.counters->failed[failure_reason(sink)], sink->pending_count - done);
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Milliseconds until the deadline, rounded up, at most `most` where that is not negative. */
static int wait_time(const struct sink_thread *sink, int most)
{
    int64_t deadline = atomic_load_explicit(&sink->deadline.ns, memory_order_relaxed);
    if (deadline == INT64_MAX)
        return most;
    int64_t left = (deadline - clock_monotonic_ns()) / 1000000 + 1;
    if (left < 0)
        left = 0;
    return most >= 0 && most < left ? most : left > INT_MAX ? INT_MAX : (int)left;
}

static void end_sink(struct sink_thread *sink)
{
    sink->state = SINK_ENDED;
    atomic_store(&sink->ended, true);
    log_line(LOG_WARNING, "%s: the reader has gone; this sink has ended", sink->options.name);
    if (sink->options.ended != NULL)
        sink->options.ended(sink->options.ended_context);
}

static void pause_after_failure(struct sink_thread *sink, const struct error *error)
{
    counter_add(&sink->options.counters->write_errors, 1);
    uint64_t held;
    if (log_allowed(&sink->write_log, &held)) {
        log_line(LOG_ERROR, "%s: %s; trying again", sink->options.name, error->text);
        sink->failure_told = true;
    }
    sink->failing = true;
    if (clock_monotonic_ns() >= sink->calm_ns)
        sink->pause_ms = FIRST_PAUSE_MS;
    wakeup_wait(sink->wakeup, NO_HANDLE, false, wait_time(sink, sink->pause_ms));
    sink->pause_ms = sink->pause_ms * 2 < LONGEST_PAUSE_MS ? sink->pause_ms * 2 : LONGEST_PAUSE_MS;
    sink->calm_ns = clock_monotonic_ns() + LONGEST_PAUSE_MS * INT64_C(1000000);
}

/* Each failure that was told has its end told: the log's limit on the one holds for the other. */
static void note_success(struct sink_thread *sink)
{
    if (sink->failure_told)
        log_line(LOG_INFO, "%s: writing again", sink->options.name);
    sink->failure_told = false;
    sink->failing = false;
}

/* One write of what is left. Returns how many bytes went out; 0: the state or the time changed. */
static size_t write_some(struct sink_thread *sink, const struct output *from, size_t sent)
{
    const struct destination_ops *ops = sink->options.destination;
    struct error error;
    size_t written = 0;
    if (sink->options.before_write != NULL)
        sink->options.before_write(sink->options.hook_context);
    switch (ops->write(sink->destination, from->data + sent, from->used - sent, &written, &error)) {
    case WRITE_OK:
        note_success(sink);
        counter_add(&sink->options.counters->bytes, written);
        return written;
    case WRITE_WOULD_BLOCK:
        wakeup_wait(sink->wakeup, ops->handle(sink->destination), true, wait_time(sink, -1));
        return 0;
    case WRITE_FAILED:
        pause_after_failure(sink, &error);
        return 0;
    case WRITE_CLOSED:
        end_sink(sink);
        return 0;
    }
    return 0;
}

/* What a file begins with is due where nothing is in it. */
static void look_at_beginning(struct sink_thread *sink)
{
    const struct destination_ops *ops = sink->options.destination;
    bool due = ops->at_beginning != NULL && ops->at_beginning(sink->destination);
    sink->head_sent = due ? 0 : sink->head.used;
}

/* The destination stands at the end of a record. */
static void open_anew(struct sink_thread *sink)
{
    struct error error;
    atomic_store(&sink->reopen_wanted, false);
    if (sink->options.destination->reopen(sink->destination, &error) != 0) {
        log_line(LOG_ERROR, "%s: cannot reopen, going on with the old file: %s", sink->options.name,
                 error.text);
        return;
    }
    look_at_beginning(sink);
    log_line(LOG_INFO, "%s: reopened", sink->options.name);
}

/*
 * To rotate a file that takes no more is what helps, and what would never come if it waited for the
 * buffer to be written. The record that is partly in the old file goes whole to the new one; where
 * that part cannot be taken back (a pipe), the reopening has to wait. Returns how many bytes of the
 * buffer are out then.
 */
static size_t reopen_failing(struct sink_thread *sink, size_t done, size_t sent)
{
    if (sink->options.destination->reopen == NULL)
        return sent;
    if (take_back(sink, done, &sent))
        open_anew(sink);
    return sent;
}

/* Writes what is due and the whole buffer, waiting as long as the deadline lets it. */
static void write_out(struct sink_thread *sink)
{
    size_t sent = 0;
    size_t done = 0;
    while (sink->state == SINK_WRITING && (head_is_due(sink) || sent < sink->out.used)) {
        bool head = head_is_due(sink);
        size_t written = head ? write_some(sink, &sink->head, sink->head_sent)
                              : write_some(sink, &sink->out, sent);
        if (written != 0 && head) {
            sink->head_sent += written;
        } else if (written != 0) {
            sent += written;
            accept_written(sink, &done, sent);
        } else if (sink->state == SINK_WRITING && sink->failing &&
                   atomic_load_explicit(&sink->reopen_wanted, memory_order_relaxed)) {
            sent = reopen_failing(sink, done, sent);
        }
        if ((head_is_due(sink) || sent < sink->out.used) && sink->state == SINK_WRITING &&
            deadline_is_over(&sink->deadline))
            sink->state = SINK_GIVING_UP;
    }
    if (done < sink->pending_count || head_is_due(sink))
        fail_rest(sink, done, sent);
    sink->pending_count = 0;
    sink->out.used = 0;
    publish_settled(sink);
}

/* --- taking batches --------------------------------------------------------------------------- */

static void encode_record(struct sink_thread *sink, const struct batch *batch,
                          const struct record *record)
{
    struct sink_counters *counters = sink->options.counters;
    size_t start = sink->out.used;
    struct encoded encoded =
        sink->options.encoder->encode(sink->encoder, batch->listener, record, &sink->out);
    if (sink->out.overflow) {
        sink->out.overflow = false;
        sink->out.used = start;
        settle(sink, &counters->failed[FAILED_TOO_LARGE], 1);
        return;
    }
    if (encoded.lines == 0) {
        sink->out.used = start;
        settle(sink, &counters->filtered, 1);
        return;
    }
    sink->pending[sink->pending_count++] = (struct pending){sink->out.used, encoded};
    if (sink->out.used >= FLUSH_SIZE || sink->pending_count == MAX_PENDING)
        write_out(sink);
}

static void take_batch(struct sink_thread *sink, struct batch *batch)
{
    for (const struct record *record = batch->first; record != NULL; record = record->next) {
        if (sink->state == SINK_WRITING)
            encode_record(sink, batch, record);
        else
            settle(sink, &sink->options.counters->failed[failure_reason(sink)], 1);
    }
    publish_settled(sink);
    batch_release(batch);
    if (sink->state == SINK_WRITING && deadline_is_over(&sink->deadline)) {
        write_out(sink);
        if (sink->state == SINK_WRITING)
            sink->state = SINK_GIVING_UP;
    }
}

/* The next batch, from the queues in turn, or NULL where all are empty. */
static struct batch *next_batch(struct sink_thread *sink)
{
    for (size_t i = 0; i < sink->queue_count; i++) {
        struct batch_queue *queue = sink->queues[sink->next_queue];
        sink->next_queue = (sink->next_queue + 1) % sink->queue_count;
        struct batch *batch = batch_queue_pop(queue);
        if (batch != NULL)
            return batch;
    }
    return NULL;
}

static bool all_finished(struct sink_thread *sink)
{
    for (size_t i = 0; i < sink->queue_count; i++)
        if (!batch_queue_finished(sink->queues[i]))
            return false;
    return true;
}

static bool all_empty(struct sink_thread *sink)
{
    for (size_t i = 0; i < sink->queue_count; i++)
        if (!batch_queue_is_empty(sink->queues[i]))
            return false;
    return true;
}

/*
 * Between two batches, however busy the sink is: what was taken before goes to the old file, unless
 * that fails, for then write_out has it reopened.
 */
static void reopen(struct sink_thread *sink)
{
    write_out(sink);
    if (!atomic_load(&sink->reopen_wanted))
        return;
    if (sink->state == SINK_WRITING && sink->options.destination->reopen != NULL)
        open_anew(sink);
    else
        atomic_store(&sink->reopen_wanted, false);
}

/* Sleeps until there is work. Whoever gives work sees `sleeping`, or this sees the work. */
static void sleep_until_woken(struct sink_thread *sink)
{
    atomic_store(&sink->sleeping, true);
    if (all_empty(sink) && !all_finished(sink) && !atomic_load(&sink->reopen_wanted)) {
        wait_handle handle = NO_HANDLE;
        if (sink->state == SINK_WRITING)
            handle = sink->options.destination->handle(sink->destination);
        if (wakeup_wait(sink->wakeup, handle, false, -1) == WAKEUP_BROKEN)
            end_sink(sink);
    }
    atomic_store(&sink->sleeping, false);
}

static void run(void *argument)
{
    struct sink_thread *sink = argument;
    if (sink->options.encoder->begin != NULL)
        sink->options.encoder->begin(sink->encoder, &sink->head);
    look_at_beginning(sink);
    for (;;) {
        if (atomic_load_explicit(&sink->reopen_wanted, memory_order_relaxed))
            reopen(sink);
        struct batch *batch = next_batch(sink);
        if (batch != NULL) {
            take_batch(sink, batch);
        } else if (sink->pending_count != 0 || (head_is_due(sink) && sink->state == SINK_WRITING)) {
            write_out(sink);
        } else if (all_finished(sink)) {
            break;
        } else {
            sleep_until_woken(sink);
        }
    }
    atomic_store(&sink->finished, true);
    if (sink->options.ended != NULL)
        sink->options.ended(sink->options.ended_context);
}

/* --- from other threads ----------------------------------------------------------------------- */

int sink_thread_create(struct sink_thread **out, const struct sink_thread_options *options,
                       struct error *error)
{
    struct sink_thread *sink = calloc(1, sizeof *sink);
    if (sink == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a sink");
        return -1;
    }
    sink->options = *options;
    sink->head = (struct output){.data = sink->head_text, .capacity = sizeof sink->head_text};
    deadline_init(&sink->deadline);
    if (wakeup_create(&sink->wakeup, error) != 0 ||
        options->destination->create(options->path, &sink->destination, error) != 0) {
        sink_thread_destroy(sink);
        return -1;
    }
    sink->encoder = options->encoder->create(&options->encoding);
    sink->out.capacity = FLUSH_SIZE + RECORD_SIZE;
    sink->out.data = malloc(sink->out.capacity);
    if (sink->encoder == NULL || sink->out.data == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a sink");
        sink_thread_destroy(sink);
        return -1;
    }
    *out = sink;
    return 0;
}

struct batch_queue *sink_thread_add_queue(struct sink_thread *sink, size_t capacity,
                                          size_t listeners, bool shared)
{
    struct batch_queue **grown =
        realloc(sink->queues, (sink->queue_count + 1) * sizeof(struct batch_queue *));
    if (grown == NULL)
        return NULL;
    sink->queues = grown;
    struct batch_queue *queue = batch_queue_create(capacity, listeners, shared);
    if (queue != NULL)
        sink->queues[sink->queue_count++] = queue;
    return queue;
}

int sink_thread_start(struct sink_thread *sink, struct error *error)
{
    return thread_start(&sink->thread, "sink", run, sink, error);
}

void sink_thread_notify(struct sink_thread *sink)
{
    if (atomic_load(&sink->sleeping) && atomic_exchange(&sink->sleeping, false))
        wakeup_signal(sink->wakeup);
}

bool sink_thread_has_ended(const struct sink_thread *sink)
{
    return atomic_load_explicit(&sink->ended, memory_order_relaxed);
}

bool sink_thread_is_idle(const struct sink_thread *sink)
{
    return atomic_load_explicit(&sink->sleeping, memory_order_relaxed);
}

void sink_thread_reopen(struct sink_thread *sink)
{
    atomic_store(&sink->reopen_wanted, true);
    wakeup_signal(sink->wakeup);
}

void sink_thread_stop(struct sink_thread *sink, int64_t deadline_ns)
{
    deadline_bring_forward(&sink->deadline, deadline_ns);
    wakeup_signal(sink->wakeup);
}

bool sink_thread_has_finished(const struct sink_thread *sink)
{
    return atomic_load(&sink->finished);
}

void sink_thread_join(struct sink_thread *sink)
{
    thread_join(sink->thread);
    sink->thread = NULL;
}

void sink_thread_destroy(struct sink_thread *sink)
{
    if (sink == NULL)
        return;
    for (size_t i = 0; i < sink->queue_count; i++)
        batch_queue_destroy(sink->queues[i]);
    free(sink->queues);
    if (sink->encoder != NULL)
        sink->encoder->ops->destroy(sink->encoder);
    if (sink->destination != NULL)
        sink->destination->ops->destroy(sink->destination);
    wakeup_destroy(sink->wakeup);
    free(sink->out.data);
    free(sink);
}
