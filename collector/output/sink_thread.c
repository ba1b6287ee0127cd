#include "collector/output/sink_thread.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "collector/base/compiler.h"
#include "collector/output/sink_writer.h"
#include "collector/output/store_writer.h"
#include "collector/output/stream_writer.h"
#include "collector/platform/thread.h"

/* How often a sink with a host looks whether its reader has gone, while nothing is written. */
#define LOOK_NS INT64_C(100000000)

struct sink_thread {
    struct sink_writer *writer;
    struct thread *thread;
    struct sink_host host;
    bool hosted;
    struct pulse pulse;  /* where it has a thread of its own */
    uint64_t pulse_seen; /* by the main thread */
    bool in_turn;        /* of the host's */
    int64_t looks_ns;    /* at its reader, the next time */
    struct batch_queue **queues;
    size_t queue_count;
    size_t next_queue;
    struct log_limit eviction_log;
    uint64_t evicted; /* records, since the last line in the log */

    /* Said across threads. */
    _Atomic bool sleeping;
    _Atomic bool finished;
};

bool sink_thread_memory(const struct sink_thread_options *options, size_t *bytes)
{
    struct destination_shape shape;
    if (!sink_writer_shape(options, &shape))
        return false;
    *bytes = sizeof(struct sink_thread) + sink_writer_memory(&shape);
    *bytes += shape.blocks == 0 ? stream_writer_memory() : store_writer_memory(&shape);
    return true;
}

int sink_thread_check(const struct sink_thread_options *options, struct error *error)
{
    return sink_writer_check(options, error);
}

bool sink_thread_opens_later(const struct sink_thread_options *options)
{
    return sink_writer_opens_later(options);
}

/* --- taking batches --------------------------------------------------------------------------- */

static void take_batch(struct sink_thread *sink, struct batch *batch)
{
    struct sink_writer *writer = sink->writer;
    for (const struct record *record = batch->first; record != NULL; record = record->next) {
        if (record->next != NULL) /* of many listeners each one's name has left the cache */
            PREFETCH(record->next->listener->name);
        if (writer->state == SINK_WRITING)
            writer->ops->put(writer, record->listener, record);
        else
            sink_writer_count_failed(writer, 1);
    }
    sink_writer_publish_settled(writer);
    batch_release(batch);
    if (writer->state == SINK_WRITING && deadline_is_over(&writer->deadline)) {
        writer->ops->flush(writer);
        sink_writer_goes_on(writer);
    }
}

static void evict(void *context, struct batch *batch)
{
    struct sink_thread *sink = context;
    sink->evicted += batch->count;
    sink_writer_count_evicted(sink->writer, batch->count);
    batch_release(batch);
}

static void log_eviction(struct sink_thread *sink)
{
    uint64_t held;
    if (sink->evicted == 0 || !log_allowed(&sink->eviction_log, &held))
        return;
    log_about(LOG_WARNING, LOG_OF_SINK, sink->writer->options.name,
              "behind: %" PRIu64 " records evicted", sink->evicted);
    sink->evicted = 0;
}

/*
 * Takes the oldest batches out of the queues whose producers asked for it; returns whether one did.
 * A sink that no longer writes needs no room: all it takes fails at once.
 */
static bool make_room(void *context)
{
    struct sink_thread *sink = context;
    bool asked = false;
    if (sink->writer->state != SINK_WRITING)
        return false;
    for (size_t i = 0; i < sink->queue_count; i++)
        asked |= batch_queue_make_room(sink->queues[i], evict, sink);
    if (!asked)
        return false;
    sink_writer_publish_settled(sink->writer);
    log_eviction(sink);
    return true;
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
 * that fails, for then the flush has it reopened.
 */
static void reopen(struct sink_writer *writer)
{
    writer->ops->flush(writer);
    writer->ops->reopen(writer);
}

/* What is due at a certain time, however busy the sink is. Returns that of the next such thing. */
static int64_t serve_due(struct sink_writer *writer)
{
    int64_t due = writer->ops->due(writer);
    if (due == INT64_MAX)
        return due;
    int64_t now = clock_monotonic_ns();
    if (now < due)
        return due;
    writer->ops->serve(writer, now);
    return writer->ops->due(writer);
}

/*
 * Sleeps until there is work, or until something is due. Whoever gives work sees `sleeping`, or
 * this sees the work.
 */
static void sleep_until_woken(struct sink_thread *sink, int64_t due_ns)
{
    struct sink_writer *writer = sink->writer;
    atomic_store(&sink->sleeping, true);
    if (all_empty(sink) && !all_finished(sink) && !atomic_load(&writer->reopen_wanted)) {
        wait_handle handle = NO_HANDLE;
        if (writer->state == SINK_WRITING)
            handle = writer->ops->handle(writer);
        int most = milliseconds_until(due_ns, clock_monotonic_ns());
        pulse_wait(writer->pulse);
        enum wakeup_reason reason = wakeup_wait(writer->wakeup, handle, false, most);
        pulse_work(writer->pulse);
        if (reason == WAKEUP_BROKEN)
            writer->ops->broken(writer);
    }
    atomic_store(&sink->sleeping, false);
}

enum step { STEP_TAKEN, STEP_NONE, STEP_END };

/* Does the next thing there is to do. Where there is none, *due is when something will be. */
static enum step take_step(struct sink_thread *sink, int64_t *due)
{
    struct sink_writer *writer = sink->writer;
    pulse_work(writer->pulse);
    if (atomic_load_explicit(&writer->reopen_wanted, memory_order_relaxed))
        reopen(writer);
    *due = serve_due(writer);
    make_room(sink);
    struct batch *batch = next_batch(sink);
    if (batch != NULL)
        take_batch(sink, batch);
    else if (writer->ops->has_work(writer))
        writer->ops->flush(writer);
    else
        return all_finished(sink) ? STEP_END : STEP_NONE;
    return STEP_TAKEN;
}

static void end(struct sink_thread *sink)
{
    struct sink_writer *writer = sink->writer;
    writer->ops->flush(writer);
    if (writer->ops->finish != NULL)
        writer->ops->finish(writer);
    pulse_wait(writer->pulse);
    atomic_store(&sink->finished, true);
    if (writer->options.ended != NULL)
        writer->options.ended(writer->options.ended_context);
}

static void run(void *argument)
{
    struct sink_thread *sink = argument;
    int64_t due;
    enum step step;
    while ((step = take_step(sink, &due)) != STEP_END)
        if (step == STEP_NONE)
            sleep_until_woken(sink, due);
    end(sink);
}

/* A wait within a write. */
static bool wait_within(void *context, wait_handle handle, bool want_write, int timeout_ms)
{
    struct sink_thread *sink = context;
    struct wakeup *wakeup = sink->writer->wakeup;
    if (sink->hosted) {
        sink->host.wait(sink->host.context, wakeup, handle, want_write, timeout_ms);
    } else {
        pulse_wait(&sink->pulse);
        wakeup_wait(wakeup, handle, want_write, timeout_ms);
        pulse_work(&sink->pulse);
    }
    return make_room(sink);
}

/* --- with a host ------------------------------------------------------------------------------ */

/* While nothing is written a reader that goes would not be noticed. Returns when to look again. */
static int64_t look_at_reader(struct sink_thread *sink, int64_t now)
{
    struct sink_writer *writer = sink->writer;
    wait_handle handle = NO_HANDLE;
    if (writer->state == SINK_WRITING)
        handle = writer->ops->handle(writer);
    if (handle == NO_HANDLE)
        return INT64_MAX;
    if (now >= sink->looks_ns) {
        sink->looks_ns = now + LOOK_NS;
        if (wakeup_wait(writer->wakeup, handle, false, 0) == WAKEUP_BROKEN)
            writer->ops->broken(writer);
    }
    return sink->looks_ns;
}

static bool is_behind(const struct sink_thread *sink)
{
    for (size_t i = 0; i < sink->queue_count; i++)
        if (batch_queue_fill(sink->queues[i]) > SINK_TURN_LEAVES)
            return true;
    return false;
}

int64_t sink_thread_turn(struct sink_thread *sink)
{
    if (sink->in_turn)
        return INT64_MAX;
    int64_t now = clock_monotonic_ns();
    int64_t end_ns = now + SINK_TURN_NS;
    int64_t due;
    enum step step;
    sink->in_turn = true;
    while ((step = take_step(sink, &due)) == STEP_TAKEN && (now < end_ns || is_behind(sink)))
        now = clock_monotonic_ns();
    int64_t look = look_at_reader(sink, now);
    sink->in_turn = false;
    if (step == STEP_TAKEN)
        return now;
    return due < look ? due : look;
}

void sink_thread_finish(struct sink_thread *sink)
{
    int64_t due;
    while (take_step(sink, &due) != STEP_END) {
    }
    end(sink);
}

/* --- from other threads ----------------------------------------------------------------------- */

/* The writer for its kind of destination; NULL where memory is short. */
static struct sink_writer *create_writer(const struct sink_thread_options *options)
{
    struct destination_shape shape;
    if (!sink_writer_shape(options, &shape))
        return NULL;
    return shape.blocks == 0 ? stream_writer_create() : store_writer_create(&shape);
}

int sink_thread_create(struct sink_thread **out, const struct sink_thread_options *options,
                       struct error *error)
{
    struct sink_thread *sink = calloc(1, sizeof *sink);
    if (sink != NULL)
        sink->writer = create_writer(options);
    if (sink == NULL || sink->writer == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a sink");
        free(sink);
        return -1;
    }
    if (sink_writer_init(sink->writer, options, error) != 0) {
        sink_thread_destroy(sink);
        return -1;
    }
    sink->writer->wait = wait_within;
    sink->writer->wait_context = sink;
    sink->writer->pulse = &sink->pulse;
    *out = sink;
    return 0;
}

int sink_thread_open(struct sink_thread *sink, struct error *error)
{
    return sink->writer->destination != NULL ? 0 : sink_writer_open(sink->writer, error);
}

/* Nothing was opened, so nothing is written, flushed or finished. */
void sink_thread_give_up(struct sink_thread *sink)
{
    struct batch *batch;
    while ((batch = next_batch(sink)) != NULL) {
        sink_writer_count_failed_by(sink->writer, FAILED_IO_ERROR, batch->count);
        batch_release(batch);
    }
    sink_writer_publish_settled(sink->writer);
    atomic_store(&sink->finished, true);
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

void sink_thread_set_host(struct sink_thread *sink, const struct sink_host *host)
{
    sink->host = *host;
    sink->hosted = true;
    sink->writer->pulse = host->pulse;
}

int sink_thread_start(struct sink_thread *sink, struct error *error)
{
    if (sink->hosted)
        return 0;
    return thread_start(&sink->thread, "sink", run, sink, error);
}

void sink_thread_notify(struct sink_thread *sink)
{
    if (atomic_load(&sink->sleeping) && atomic_exchange(&sink->sleeping, false))
        wakeup_signal(sink->writer->wakeup);
}

void sink_thread_make_room(struct sink_thread *sink)
{
    wakeup_signal(sink->writer->wakeup);
}

bool sink_thread_has_ended(const struct sink_thread *sink)
{
    return atomic_load_explicit(&sink->writer->ended, memory_order_relaxed);
}

bool sink_thread_is_idle(const struct sink_thread *sink)
{
    if (sink->hosted)
        return !sink->in_turn;
    return atomic_load_explicit(&sink->sleeping, memory_order_relaxed);
}

struct sink_condition sink_thread_condition(const struct sink_thread *sink)
{
    const struct sink_writer *writer = sink->writer;
    return (struct sink_condition){
        .ended = sink_thread_has_ended(sink),
        .waits_since_ns = atomic_load_explicit(&writer->waits_since_ns, memory_order_relaxed),
        .fails_since_ns = atomic_load_explicit(&writer->fails_since_ns, memory_order_relaxed),
    };
}

struct queue_levels sink_thread_queue_levels(const struct sink_thread *sink)
{
    struct queue_levels levels = {0};
    for (size_t i = 0; i < sink->queue_count; i++) {
        levels.batches += batch_queue_level(sink->queues[i]);
        levels.batches_most += batch_queue_capacity(sink->queues[i]);
        levels.large += batch_queue_large_level(sink->queues[i]);
        levels.large_most += BATCH_QUEUE_LARGE;
    }
    return levels;
}

bool sink_thread_is_alive(struct sink_thread *sink)
{
    return sink->hosted || pulse_is_felt(&sink->pulse, &sink->pulse_seen);
}

static void wake(struct sink_thread *sink)
{
    wakeup_signal(sink->writer->wakeup);
    if (sink->hosted)
        sink->host.wake(sink->host.context);
}

void sink_thread_reopen(struct sink_thread *sink)
{
    atomic_store(&sink->writer->reopen_wanted, true);
    wake(sink);
}

void sink_thread_reopen_moved(struct sink_thread *sink)
{
    const struct stream_ops *stream = sink->writer->destination->stream;
    if (stream != NULL && stream->reopen != NULL)
        sink_thread_reopen(sink);
}

void sink_thread_stop(struct sink_thread *sink, int64_t deadline_ns)
{
    deadline_bring_forward(&sink->writer->deadline, deadline_ns);
    wake(sink);
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
    sink_writer_destroy(sink->writer);
    free(sink);
}
