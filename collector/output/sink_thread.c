#include "collector/output/sink_thread.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/output/delivery_label.h"
#include "collector/output/delivery_spill.h"
#include "collector/output/delivery_writer.h"
#include "collector/output/file_set_writer.h"
#include "collector/output/relay_writer.h"
#include "collector/output/sink_writer.h"
#include "collector/output/stream_writer.h"
#include "collector/output/taken_batch.h"
#include "collector/platform/clock.h"
#include "collector/platform/thread.h"

/* How often a sink with a host looks whether its reader has gone, while nothing is written. */
#define LOOK_NS INT64_C(100000000)

/*
 * How long a sink with a host that stopped half-way leaves its destination alone: at first, and
 * doubled up to the longest.
 */
#define FIRST_RETRY_NS   INT64_C(1000000)
#define LONGEST_RETRY_NS INT64_C(16000000)

/* What stopped half-way, and is gone on with before anything else. */
enum unfinished {
    UNFINISHED_NONE,
    UNFINISHED_REOPEN,
    UNFINISHED_SERVE,
    UNFINISHED_BATCH,
    UNFINISHED_FLUSH
};

/*
 * Its queues. The main thread may put a longer list in the place of one that is being read, which
 * stays until the end: there are as many lists as there were ever queues.
 */
struct queue_list {
    struct queue_list *before;
    size_t count; /* at least one */
    struct batch_queue *queues[];
};

struct sink_thread {
    struct sink_writer *writer;
    struct thread *thread;
    struct sink_host host;
    bool hosted;
    bool started;               /* by sink_thread_start, or left to the host */
    bool stepped;               /* the first step was taken */
    struct rule_owner owner;    /* its own thread, or the host's */
    struct heartbeat heartbeat; /* where it has a thread of its own */
    uint64_t heartbeat_seen;    /* by the main thread */
    int64_t looks_ns;           /* at its reader, the next time */
    int64_t retry_ns;           /* how long a blocked destination is left alone, with a host */
    enum unfinished unfinished;
    struct taken_batch taken;          /* UNFINISHED_BATCH: it */
    struct queue_list *_Atomic queues; /* NULL: it has none */
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
    size_t record_size = sink_writer_record_size(options);
    *bytes = sizeof(struct sink_thread) + sink_writer_memory(&shape);
    if (shape.relays)
        *bytes += relay_writer_memory();
    else if (options->destination->is_delivery)
        *bytes += delivery_writer_memory(&options->delivery, record_size);
    else
        *bytes += shape.blocks == 0 ? stream_writer_memory(record_size)
                                    : file_set_writer_memory(&shape, record_size);
    return true;
}

int sink_thread_check(const struct sink_thread_options *options, struct error *error)
{
    return sink_writer_check(options, error);
}

int sink_thread_make_spill(const struct sink_thread_options *options, struct error *error)
{
    char label[DELIVERY_LABEL_SIZE];
    if (options->delivery.spill == NULL)
        return 0;
    delivery_label_write(options, label);
    return delivery_spill_make(&options->delivery, sink_writer_record_size(options), label, error);
}

int sink_thread_probe(const struct sink_thread_options *options, int64_t timeout_ns, char *reached,
                      struct error *error)
{
    return sink_writer_probe(options, timeout_ns, reached, error);
}

bool sink_thread_same_lines(const struct sink_thread_options *a,
                            const struct sink_thread_options *b)
{
    return sink_writer_same_lines(a, b);
}

bool sink_thread_opens_later(const struct sink_thread_options *options)
{
    return sink_writer_opens_later(options);
}

static const struct queue_list *queues_of(const struct sink_thread *sink)
{
    static const struct queue_list none = {.count = 0};
    const struct queue_list *list = atomic_load_explicit(&sink->queues, memory_order_acquire);
    return list != NULL ? list : &none;
}

/* --- taking batches --------------------------------------------------------------------------- */

static void evict(void *context, struct batch *batch)
{
    struct sink_thread *sink = context;
    sink->evicted += batch->count;
    sink_writer_count_evicted(sink->writer, batch->count);
    sink_writer_count_raw_refused(sink->writer, batch->raw_count);
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
static bool make_room(struct sink_thread *sink)
{
    const struct queue_list *list = queues_of(sink);
    bool asked = false;
    if (sink->writer->state != SINK_WRITING)
        return false;
    for (size_t i = 0; i < list->count; i++)
        asked |= batch_queue_make_room(list->queues[i], evict, sink);
    if (!asked)
        return false;
    sink_writer_publish(sink->writer);
    log_eviction(sink);
    return true;
}

/* The next batch, from the queues in turn, or NULL where all are empty. */
static struct batch *next_batch(struct sink_thread *sink)
{
    const struct queue_list *list = queues_of(sink);
    for (size_t i = 0; i < list->count; i++) {
        struct batch_queue *queue = list->queues[sink->next_queue];
        sink->next_queue = (sink->next_queue + 1) % list->count;
        struct batch *batch = batch_queue_pop(queue);
        if (batch != NULL)
            return batch;
    }
    return NULL;
}

static bool all_finished(struct sink_thread *sink)
{
    const struct queue_list *list = queues_of(sink);
    for (size_t i = 0; i < list->count; i++)
        if (!batch_queue_finished(list->queues[i]))
            return false;
    return true;
}

static bool all_empty(struct sink_thread *sink)
{
    const struct queue_list *list = queues_of(sink);
    for (size_t i = 0; i < list->count; i++)
        if (!batch_queue_is_empty(list->queues[i]))
            return false;
    return true;
}

/* Returns false where it stopped half-way: it is to be called again before anything else. */
static bool flush(struct sink_thread *sink)
{
    sink->unfinished = UNFINISHED_FLUSH;
    if (!sink->writer->ops->flush(sink->writer))
        return false;
    sink->unfinished = UNFINISHED_NONE;
    sink_writer_goes_on(sink->writer);
    return true;
}

/*
 * Between two batches, however busy the sink is: what was taken before goes to the old file, unless
 * that fails, for then the flush has it reopened. Returns as flush does.
 */
static bool reopen(struct sink_thread *sink)
{
    struct sink_writer *writer = sink->writer;
    sink->unfinished = UNFINISHED_REOPEN;
    if (!writer->ops->flush(writer))
        return false;
    sink->unfinished = UNFINISHED_NONE;
    writer->ops->reopen(writer);
    sink_writer_note_delay(writer);
    return true;
}

/*
 * What is due at a certain time, however busy the sink is. *due is the time of the next such thing.
 * Returns as flush does.
 */
static bool serve_due(struct sink_thread *sink, int64_t *due)
{
    struct sink_writer *writer = sink->writer;
    *due = writer->ops->due(writer);
    if (*due == INT64_MAX && sink->unfinished == UNFINISHED_NONE)
        return true;
    int64_t now = clock_monotonic_ns();
    if (now < *due && sink->unfinished == UNFINISHED_NONE)
        return true;
    sink->unfinished = UNFINISHED_SERVE;
    if (!writer->ops->serve(writer, now))
        return false;
    sink->unfinished = UNFINISHED_NONE;
    *due = writer->ops->due(writer);
    return true;
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
        heartbeat_wait(writer->heartbeat);
        enum wakeup_reason reason = wakeup_wait(writer->wakeup, handle, false, most);
        heartbeat_work(writer->heartbeat);
        sink_writer_report_wait(writer, reason);
        if (reason == WAKEUP_BROKEN)
            writer->ops->broken(writer);
    }
    atomic_store(&sink->sleeping, false);
}

enum step {
    STEP_TAKEN,
    STEP_NONE,    /* there is nothing to do */
    STEP_BLOCKED, /* it stopped half-way, for what the writer's `block` says */
    STEP_END,
};

/*
 * Where another sink is at work on the batch that this one has, it encodes one of the next for
 * both; the other is done then, or soon.
 */
#define LOOK_AHEAD 8

static const struct batch *peek(struct sink_thread *sink, size_t after)
{
    const struct queue_list *list = queues_of(sink);
    size_t queue = (sink->next_queue + after) % list->count;
    return batch_queue_peek(list->queues[queue], after / list->count);
}

/* The lines of the batch, or NULL: the sink encodes each record by itself. */
static const struct encoded_batch *find_encoded(struct sink_thread *sink, const struct batch *batch)
{
    struct sink_writer *writer = sink->writer;
    const struct encoded_batch *encoded = NULL;
    const struct batch *later;
    if (writer->shared == NULL || writer->state != SINK_WRITING)
        return NULL;
    for (size_t i = 0;
         encoding_group_take(writer->shared, writer->encoder, batch, &encoded) == ENCODING_BUSY;
         i++) {
        if (i == LOOK_AHEAD || (later = peek(sink, i)) == NULL)
            return NULL;
        encoding_group_prepare(writer->shared, writer->encoder, later);
    }
    return encoded;
}

/* Writes the next batch, or goes on with it. Returns as flush does; *none: there is no batch. */
static bool write_batch(struct sink_thread *sink, bool *none)
{
    if (sink->unfinished != UNFINISHED_BATCH) {
        struct batch *batch = next_batch(sink);
        *none = batch == NULL;
        if (*none)
            return true;
        taken_batch_begin(&sink->taken, batch, find_encoded(sink, batch));
    }
    sink->unfinished = UNFINISHED_BATCH;
    if (!taken_batch_write(&sink->taken, sink->writer))
        return false;
    sink->unfinished = UNFINISHED_NONE;
    bool over = sink->writer->state == SINK_WRITING && deadline_is_over(&sink->writer->deadline);
    return !over || flush(sink);
}

/* What comes before batches, in its order; what stopped half-way comes first. */
static bool take_care(struct sink_thread *sink, int64_t *due)
{
    struct sink_writer *writer = sink->writer;
    bool wanted = atomic_load_explicit(&writer->reopen_wanted, memory_order_relaxed);
    if (sink->unfinished == UNFINISHED_REOPEN || (sink->unfinished == UNFINISHED_NONE && wanted))
        if (!reopen(sink))
            return false;
    return serve_due(sink, due);
}

/* Does the next thing there is to do. Where there is none, *due is when something will be. */
static enum step take_step(struct sink_thread *sink, int64_t *due)
{
    struct sink_writer *writer = sink->writer;
    RULE(rule_is_owner(&sink->owner), "a sink writes in one thread");
    if (!sink->stepped)
        sink_writer_note_delay(writer);
    sink->stepped = true;
    heartbeat_work(writer->heartbeat);
    *due = INT64_MAX;
    if (sink->unfinished == UNFINISHED_NONE && writer->ops->catch_up != NULL)
        writer->ops->catch_up(writer);
    bool taking = sink->unfinished == UNFINISHED_BATCH || sink->unfinished == UNFINISHED_FLUSH;
    if (!taking && !take_care(sink, due))
        return STEP_BLOCKED;
    make_room(sink);
    if (sink->unfinished == UNFINISHED_FLUSH)
        return flush(sink) ? STEP_TAKEN : STEP_BLOCKED;
    bool none = false;
    if (!write_batch(sink, &none))
        return STEP_BLOCKED;
    if (!none)
        return STEP_TAKEN;
    if (writer->ops->has_work(writer))
        return flush(sink) ? STEP_TAKEN : STEP_BLOCKED;
    return all_finished(sink) ? STEP_END : STEP_NONE;
}

/* Waits for what it is blocked for. */
static void wait_blocked(struct sink_thread *sink)
{
    struct sink_writer *writer = sink->writer;
    int most = milliseconds_until(writer->block.until_ns, clock_monotonic_ns());
    heartbeat_wait(writer->heartbeat);
    enum wakeup_reason reason =
        wakeup_wait(writer->wakeup, writer->block.handle, writer->block.want_write,
                    deadline_wait_ms(&writer->deadline, most));
    heartbeat_work(writer->heartbeat);
    sink_writer_note_wait(writer, reason);
    writer->made_room = make_room(sink);
}

static void end(struct sink_thread *sink)
{
    struct sink_writer *writer = sink->writer;
    while (!writer->ops->flush(writer))
        wait_blocked(sink);
    if (writer->ops->finish != NULL)
        writer->ops->finish(writer);
    heartbeat_wait(writer->heartbeat);
    atomic_store(&sink->finished, true);
    if (writer->options.ended != NULL)
        writer->options.ended(writer->options.ended_context);
}

static void run(void *argument)
{
    struct sink_thread *sink = argument;
    int64_t due;
    enum step step;
    while ((step = take_step(sink, &due)) != STEP_END) {
        if (step == STEP_BLOCKED)
            wait_blocked(sink);
        else if (step == STEP_NONE)
            sleep_until_woken(sink, due);
    }
    end(sink);
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
    const struct queue_list *list = queues_of(sink);
    for (size_t i = 0; i < list->count; i++)
        if (batch_queue_fill(list->queues[i]) > SINK_QUANTUM_LEAVES)
            return true;
    return false;
}

/*
 * Whether the sink, which stopped half-way, is to go on now; else *next_ns is when to look again.
 * The wake-up is used up: where it returns true the sink has to go on, for no other one comes.
 */
static bool may_go_on(struct sink_thread *sink, int64_t *next_ns)
{
    struct sink_writer *writer = sink->writer;
    const struct sink_block *block = &writer->block;
    int64_t now = clock_monotonic_ns();
    bool over = now >= block->until_ns || deadline_is_over(&writer->deadline);
    enum wakeup_reason reason =
        over ? WAKEUP_TIMEOUT : wakeup_wait(writer->wakeup, block->handle, block->want_write, 0);
    sink_writer_note_wait(writer, reason);
    if (!over && (reason == WAKEUP_TIMEOUT || reason == WAKEUP_FAILED)) {
        *next_ns = now + sink->retry_ns < block->until_ns ? now + sink->retry_ns : block->until_ns;
        sink->retry_ns =
            2 * sink->retry_ns < LONGEST_RETRY_NS ? 2 * sink->retry_ns : LONGEST_RETRY_NS;
        return false;
    }
    sink->retry_ns = FIRST_RETRY_NS;
    writer->made_room = make_room(sink);
    return true;
}

int64_t sink_thread_run_quantum(struct sink_thread *sink)
{
    int64_t next_ns;
    int64_t now = clock_monotonic_ns();
    int64_t end_ns = now + SINK_QUANTUM_NS;
    int64_t due = INT64_MAX;
    enum step step;
    do {
        if (sink->unfinished != UNFINISHED_NONE && !may_go_on(sink, &next_ns))
            return next_ns;
        step = take_step(sink, &due);
        now = clock_monotonic_ns();
    } while ((step == STEP_TAKEN && (now < end_ns || is_behind(sink))) ||
             (step == STEP_BLOCKED && now < end_ns));
    if (step == STEP_TAKEN || step == STEP_BLOCKED)
        return now;
    int64_t look = look_at_reader(sink, now);
    return due < look ? due : look;
}

void sink_thread_finish(struct sink_thread *sink)
{
    RULE(sink->hosted, "a sink of its own thread is finished by that thread");
    int64_t due;
    enum step step;
    while ((step = take_step(sink, &due)) != STEP_END)
        if (step == STEP_BLOCKED)
            wait_blocked(sink);
    end(sink);
}

/* --- from other threads ----------------------------------------------------------------------- */

/* The writer for its kind of destination; NULL where memory is short. */
static struct sink_writer *create_writer(const struct sink_thread_options *options)
{
    struct destination_shape shape;
    if (!sink_writer_shape(options, &shape))
        return NULL;
    if (shape.relays)
        return relay_writer_create();
    size_t record_size = sink_writer_record_size(options);
    if (options->destination->is_delivery)
        return delivery_writer_create(options, record_size);
    return shape.blocks == 0 ? stream_writer_create(record_size)
                             : file_set_writer_create(&shape, record_size);
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
    sink->retry_ns = FIRST_RETRY_NS;
    sink->writer->heartbeat = &sink->heartbeat;
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
    RULE(!sink->started, "a sink that has started is not given up");
    struct batch *batch;
    while ((batch = next_batch(sink)) != NULL) {
        sink_writer_count_failed_by(sink->writer, FAILED_IO_ERROR, batch->count);
        sink_writer_count_raw_refused(sink->writer, batch->raw_count);
        batch_release(batch);
    }
    sink_writer_publish(sink->writer);
    atomic_store(&sink->finished, true);
}

struct batch_queue *sink_thread_add_queue(struct sink_thread *sink, size_t capacity,
                                          size_t listeners, bool shared)
{
    RULE(!atomic_load(&sink->finished), "a sink that has finished has no more queues");
    struct queue_list *before = atomic_load(&sink->queues);
    size_t count = before != NULL ? before->count : 0;
    struct queue_list *list = malloc(sizeof *list + (count + 1) * sizeof(struct batch_queue *));
    if (list == NULL)
        return NULL;
    struct batch_queue *queue = batch_queue_create(capacity, listeners, shared);
    if (queue == NULL) {
        free(list);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        list->queues[i] = before->queues[i];
    list->queues[count] = queue;
    list->count = count + 1;
    list->before = before;
    atomic_store_explicit(&sink->queues, list, memory_order_release);
    return queue;
}

void sink_thread_set_host(struct sink_thread *sink, const struct sink_host *host)
{
    RULE(!sink->started, "a sink has its host before it starts");
    sink->host = *host;
    sink->hosted = true;
    sink->writer->heartbeat = host->heartbeat;
}

int sink_thread_start(struct sink_thread *sink, struct error *error)
{
    RULE(!sink->started, "a sink starts once");
    RULE(sink->writer->destination != NULL, "a sink is open before it starts");
    if (!sink->hosted && thread_start(&sink->thread, "sink", run, sink, error) != 0)
        return -1; /* the system has no thread now, and may have one later */
    sink->started = true;
    return 0;
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

int64_t sink_thread_delay_ns(const struct sink_thread *sink)
{
    return atomic_load_explicit(&sink->writer->delay_ns, memory_order_relaxed);
}

bool sink_thread_is_idle(const struct sink_thread *sink)
{
    if (sink->hosted)
        return sink->unfinished == UNFINISHED_NONE;
    return atomic_load_explicit(&sink->sleeping, memory_order_relaxed);
}

struct sink_condition sink_thread_condition(const struct sink_thread *sink)
{
    const struct sink_writer *writer = sink->writer;
    return (struct sink_condition){
        .ended = sink_thread_has_ended(sink),
        .waits_since_ns = atomic_load_explicit(&writer->waits_since_ns, memory_order_relaxed),
        .fails_since_ns = atomic_load_explicit(&writer->fails_since_ns, memory_order_relaxed),
        .oldest_ns = atomic_load_explicit(&writer->oldest_ns, memory_order_relaxed),
        .spill_bytes = atomic_load_explicit(&writer->spill_bytes, memory_order_relaxed),
        .spill_size =
            writer->options.delivery.spill == NULL ? 0 : writer->options.delivery.spill_size,
        .spill_kept = atomic_load_explicit(&writer->spill_kept, memory_order_relaxed),
        .spill_full_ns = atomic_load_explicit(&writer->spill_full_ns, memory_order_relaxed),
    };
}

void sink_thread_add_figures(const struct sink_thread *sink, struct delivery_figure_totals *totals)
{
    const struct destination *destination = sink->writer->destination;
    if (destination != NULL && destination->figures != NULL)
        delivery_figures_add_to(destination->figures, destination->has_figures, totals);
}

struct queue_levels sink_thread_queue_levels(const struct sink_thread *sink)
{
    const struct queue_list *list = queues_of(sink);
    struct queue_levels levels = {0};
    for (size_t i = 0; i < list->count; i++) {
        if (batch_queue_finished(list->queues[i]))
            continue;
        levels.batches += batch_queue_level(list->queues[i]);
        levels.batches_most += batch_queue_capacity(list->queues[i]);
        levels.large += batch_queue_large_level(list->queues[i]);
        levels.large_most += BATCH_QUEUE_LARGE;
    }
    return levels;
}

bool sink_thread_is_alive(struct sink_thread *sink)
{
    return sink->hosted || heartbeat_advanced(&sink->heartbeat, &sink->heartbeat_seen);
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

void sink_thread_leave_spill_open(struct sink_thread *sink)
{
    atomic_store(&sink->writer->leaves_spill_open, true);
}

void sink_thread_hand_spill_over(struct sink_thread *from, struct sink_thread *to)
{
    RULE(from->thread == NULL && !to->started, "a spill is handed over between two threads");
    RULE(to->writer->open_spill == NULL, "a sink has one spill");
    to->writer->open_spill = from->writer->open_spill;
    from->writer->open_spill = NULL;
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
    RULE(sink->thread == NULL, "a sink is joined before it is destroyed");
    struct queue_list *list = atomic_load(&sink->queues);
    for (size_t i = 0; list != NULL && i < list->count; i++)
        batch_queue_destroy(list->queues[i]);
    while (list != NULL) {
        struct queue_list *before = list->before;
        free(list);
        list = before;
    }
    sink_writer_destroy(sink->writer);
    free(sink);
}
