#include "collector/output/fan_out.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"

#define SECOND INT64_C(1000000000)

struct route {
    struct fan_out_sink to;
    struct log_limit logs[REFUSAL_COUNT];
    uint64_t refused[REFUSAL_COUNT]; /* records refused since the last log line */
};

struct fan_out {
    enum fan_out_waiting waiting;
    struct mutex *lock; /* held by the thread that offers a batch; NULL if the producer has one
                         * thread */
    struct route *routes;
    size_t count;
    struct route *spare;   /* memory for the routes that fan_out_set_sinks will set */
    struct tap_inlet *tap; /* NULL if there is no tap */
    bool holds; /* sinks are woken when the producer calls fan_out_wake_sinks or fan_out_hold */
    _Atomic size_t held; /* number of offered batches for which no sink was woken yet */
    /*
     * The time at which fan_out_hold first saw that `held` is not 0. 0 if `held` is 0, or if
     * fan_out_hold was not called since then.
     */
    _Atomic int64_t held_ns;
    _Atomic size_t pausing; /* number of threads that wait for room */
    _Atomic bool paused;    /* a thread has waited since the last call of fan_out_has_paused */
    _Atomic bool quiescing; /* the producer must pause (fan_out_set_quiescing) */
    struct wakeup *wakeup;
    struct deadline deadline;
};

int fan_out_create(struct fan_out **out, size_t threads, enum fan_out_waiting waiting,
                   struct error *error)
{
    struct fan_out *fan_out = calloc(1, sizeof *fan_out);
    if (fan_out == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a fan-out");
        return -1;
    }
    fan_out->waiting = waiting;
    fan_out->holds = waiting == FAN_OUT_WAITS || (waiting == FAN_OUT_NEVER_WAITS && threads == 1);
    deadline_init(&fan_out->deadline);
    if (threads > 1 && (fan_out->lock = mutex_create()) == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a fan-out");
        fan_out_destroy(fan_out);
        return -1;
    }
    if (wakeup_create(&fan_out->wakeup, error) != 0) {
        fan_out_destroy(fan_out);
        return -1;
    }
    *out = fan_out;
    return 0;
}

void fan_out_destroy(struct fan_out *fan_out)
{
    if (fan_out == NULL)
        return;
    mutex_destroy(fan_out->lock);
    wakeup_destroy(fan_out->wakeup);
    free(fan_out->routes);
    free(fan_out->spare);
    free(fan_out);
}

int fan_out_add_sink(struct fan_out *fan_out, const struct fan_out_sink *sink, struct error *error)
{
    struct route *grown = realloc(fan_out->routes, (fan_out->count + 1) * sizeof *grown);
    if (grown == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a fan-out");
        return -1;
    }
    fan_out->routes = grown;
    grown[fan_out->count++] = (struct route){.to = *sink};
    return 0;
}

bool fan_out_reserve(struct fan_out *fan_out, size_t count)
{
    struct route *grown = realloc(fan_out->spare, (count + 1) * sizeof *grown);
    if (grown != NULL)
        fan_out->spare = grown;
    return grown != NULL;
}

static struct route *find_route(const struct fan_out *fan_out, const struct batch_queue *queue)
{
    for (size_t i = 0; i < fan_out->count; i++)
        if (fan_out->routes[i].to.queue == queue)
            return &fan_out->routes[i];
    return NULL;
}

void fan_out_set_sinks(struct fan_out *fan_out, const struct fan_out_sink *sinks, size_t count)
{
    RULE(fan_out->spare != NULL, "room for the sinks was reserved");
    fan_out_wake_sinks(fan_out);
    for (size_t i = 0; i < count; i++) {
        const struct route *before = find_route(fan_out, sinks[i].queue);
        fan_out->spare[i] = before != NULL ? *before : (struct route){.to = sinks[i]};
    }
    free(fan_out->routes);
    fan_out->routes = fan_out->spare;
    fan_out->count = count;
    fan_out->spare = NULL;
}

void fan_out_set_tap(struct fan_out *fan_out, struct tap_inlet *tap)
{
    fan_out->tap = tap;
}

static void describe_delay(const struct sink_condition *condition, enum record_refusal reason,
                           char *text, size_t size)
{
    int64_t waited_ns =
        condition->waits_since_ns == 0 ? 0 : clock_monotonic_ns() - condition->waits_since_ns;
    if (waited_ns >= SECOND)
        snprintf(text, size, "its destination has not accepted data for %" PRId64 " s",
                 waited_ns / SECOND);
    else if (condition->oldest_ns != 0) /* no advice on --memory, because more would not help */
        snprintf(text, size, "its far end has not acknowledged the records before them%s",
                 condition->spill_size == 0 ? "; with spill= they would wait for it" : "");
    else
        snprintf(text, size, "it is slower than its input%s",
                 reason == REFUSED_RING_FULL ? "; raise --memory for longer bursts" : "");
}

/*
 * Logs refused records. During an outage of the destination, the log lines about the outage count
 * them instead.
 */
static void log_refusal(struct route *route, enum record_refusal reason, size_t records)
{
    uint64_t left_out;
    char why[128];
    if (reason == REFUSED_SINK_ENDED)
        return;
    const struct sink_condition condition = sink_thread_condition(route->to.sink);
    route->refused[reason] = condition.in_outage ? 0 : route->refused[reason] + records;
    if (route->refused[reason] == 0 || !log_allowed(&route->logs[reason], &left_out))
        return;
    describe_delay(&condition, reason, why, sizeof why);
    log_about(LOG_WARNING, LOG_OF_SINK, route->to.name,
              "refused %" PRIu64 " record%s (%s), because %s: sluice explain %s",
              route->refused[reason], route->refused[reason] == 1 ? "" : "s",
              record_refusal_names[reason], why, record_refusal_names[reason]);
    route->refused[reason] = 0;
}

static bool waits_for(const struct fan_out *fan_out, const struct route *route)
{
    return fan_out->waiting == FAN_OUT_ALWAYS_WAITS ||
           (fan_out->waiting == FAN_OUT_WAITS && !route->to.drops);
}

/*
 * Returns whether the queue has a slot for the batch. If the producer must pause, the batch may
 * take any free slot, so that the producer does not wait.
 */
static enum queue_result ask_queue(const struct fan_out *fan_out, const struct route *route,
                                   const struct batch *batch)
{
    enum queue_result result = batch_queue_ask(route->to.queue, batch);
    bool quiescing = result != QUEUE_TAKEN && waits_for(fan_out, route) &&
                     atomic_load(&fan_out->quiescing) && batch_queue_has_slot(route->to.queue);
    return quiescing ? QUEUE_TAKEN : result;
}

/*
 * Pushes the batch. Counts its records first, because the sink may have written the batch before
 * batch_queue_push returns.
 */
static enum queue_result push(const struct fan_out *fan_out, struct route *route,
                              struct batch *batch)
{
    const struct fan_out_sink *to = &route->to;
    enum queue_result result = ask_queue(fan_out, route, batch);
    if (result != QUEUE_TAKEN)
        return result;
    atomic_fetch_add_explicit(to->in_flight, batch->count, memory_order_relaxed);
    counter_add(&to->offers->queued, batch->count);
    batch_queue_push(to->queue, batch);
    if (!fan_out->holds)
        sink_thread_notify(to->sink);
    return QUEUE_TAKEN;
}

/*
 * If the sink drops the oldest records, requests room for later batches (batch_queue_want_room).
 * Called after the batch was pushed or refused; the caller must still have a reference to the
 * batch.
 */
static void look_ahead(const struct fan_out *fan_out, struct route *route,
                       const struct batch *batch, bool refused)
{
    if (route->to.drops_oldest && !waits_for(fan_out, route) &&
        batch_queue_want_room(route->to.queue, batch, refused))
        sink_thread_make_room(route->to.sink);
}

static void offer_to(struct fan_out *fan_out, struct route *route, struct batch *batch)
{
    const struct fan_out_sink *to = &route->to;
    uint32_t records = batch->count;
    uint32_t raw = to->takes_raw ? batch->raw_count : 0;
    if (records + raw == 0)
        return;
    counter_add(&to->offers->offered, records);
    counter_add(&to->offers->raw_offered, raw);
    batch_retain(batch);
    enum record_refusal reason = REFUSED_SINK_ENDED;
    while (!sink_thread_has_ended(to->sink)) {
        enum queue_result result = push(fan_out, route, batch);
        look_ahead(fan_out, route, batch, result != QUEUE_TAKEN);
        if (result == QUEUE_TAKEN)
            return;
        reason = result == QUEUE_FULL ? REFUSED_RING_FULL : REFUSED_LISTENER_SHARE;
        if (!waits_for(fan_out, route) || !fan_out_pause(fan_out))
            break;
        reason = REFUSED_SINK_ENDED;
    }
    batch_release(batch);
    counter_add(&to->offers->refused[reason], records);
    counter_add(&to->offers->raw_refused, raw);
    sink_thread_note_refused(to->sink, reason, records);
    log_refusal(route, reason, records + raw);
}

/* Locks out the other threads of the producer. A fan-out of one thread has no lock. */
UNCHECKED_LOCK static void begin_offer(struct fan_out *fan_out) ACQUIRES(fan_out->lock)
{
    if (fan_out->lock != NULL)
        mutex_lock(fan_out->lock);
}

UNCHECKED_LOCK static void end_offer(struct fan_out *fan_out) RELEASES(fan_out->lock)
{
    if (fan_out->lock != NULL)
        mutex_unlock(fan_out->lock);
}

void fan_out_lose_raw(struct fan_out *fan_out)
{
    begin_offer(fan_out);
    for (size_t i = 0; i < fan_out->count; i++) {
        struct offer_counters *offers = fan_out->routes[i].to.offers;
        if (!fan_out->routes[i].to.takes_raw)
            continue;
        counter_add(&offers->raw_offered, 1);
        counter_add(&offers->raw_refused, 1);
    }
    end_offer(fan_out);
}

void fan_out_offer(struct fan_out *fan_out, struct batch *batch)
{
    begin_offer(fan_out);
    if (fan_out->tap != NULL && batch->count != 0)
        tap_offer(fan_out->tap, batch);
    for (size_t i = 0; i < fan_out->count; i++)
        offer_to(fan_out, &fan_out->routes[i], batch);
    end_offer(fan_out);
    batch_release(batch);
    if (fan_out->holds && atomic_fetch_add(&fan_out->held, 1) + 1 >= FAN_OUT_MOST_HELD)
        fan_out_wake_sinks(fan_out);
}

static void notify_sinks(const struct fan_out *fan_out)
{
    for (size_t i = 0; i < fan_out->count; i++)
        sink_thread_notify(fan_out->routes[i].to.sink);
}

/*
 * Clears held_ns before `held`: if another thread sets held_ns in between, the sinks are later
 * woken too early, but never too late.
 */
void fan_out_wake_sinks(struct fan_out *fan_out)
{
    if (atomic_load(&fan_out->held) == 0)
        return;
    atomic_store(&fan_out->held_ns, 0);
    if (atomic_exchange(&fan_out->held, 0) != 0)
        notify_sinks(fan_out);
}

/*
 * Returns true if a sink is asleep while its queue is long. A sink that is awake empties its queue
 * without being woken.
 */
static bool keeps_much_from(const struct fan_out *fan_out)
{
    for (size_t i = 0; i < fan_out->count; i++) {
        const struct fan_out_sink *to = &fan_out->routes[i].to;
        if (sink_thread_is_idle(to->sink) && batch_queue_backlog(to->queue) >= FAN_OUT_HOLD_BACKLOG)
            return true;
    }
    return false;
}

int64_t fan_out_delay_ns(const struct fan_out *fan_out)
{
    int64_t least = fan_out->count == 0 ? 0 : INT64_MAX;
    for (size_t i = 0; i < fan_out->count; i++) {
        int64_t allowed = sink_thread_delay_ns(fan_out->routes[i].to.sink);
        least = allowed < least ? allowed : least;
    }
    return least;
}

static int64_t hold_ns(const struct fan_out *fan_out)
{
    int64_t allowed = fan_out_delay_ns(fan_out);
    int64_t shared = FAN_OUT_HOLD_MOST_NS;
    if (fan_out->count < FAN_OUT_HOLD_MOST_NS / FAN_OUT_HOLD_NS)
        shared = (int64_t)fan_out->count * FAN_OUT_HOLD_NS;
    return allowed > shared ? allowed : shared;
}

int64_t fan_out_hold(struct fan_out *fan_out, int64_t now_ns, int64_t next_ns)
{
    if (atomic_load(&fan_out->held) == 0)
        return INT64_MAX;
    if (next_ns != INT64_MAX) {
        int64_t held_ns = 0;
        if (atomic_compare_exchange_strong(&fan_out->held_ns, &held_ns, now_ns))
            held_ns = now_ns;
        int64_t due_ns = held_ns + hold_ns(fan_out);
        if (next_ns < due_ns && !keeps_much_from(fan_out))
            return due_ns;
    }
    fan_out_wake_sinks(fan_out);
    return INT64_MAX;
}

bool fan_out_is_idle(const struct fan_out *fan_out)
{
    for (size_t i = 0; i < fan_out->count; i++)
        if (!sink_thread_is_idle(fan_out->routes[i].to.sink))
            return false;
    return true;
}

double fan_out_backlog(const struct fan_out *fan_out)
{
    double most = 0;
    for (size_t i = 0; i < fan_out->count; i++) {
        if (fan_out->waiting != FAN_OUT_NEVER_WAITS && !waits_for(fan_out, &fan_out->routes[i]))
            continue;
        double fill = batch_queue_backlog(fan_out->routes[i].to.queue);
        if (fill > most)
            most = fill;
    }
    return most;
}

bool fan_out_pause(struct fan_out *fan_out)
{
    if (deadline_is_over(&fan_out->deadline))
        return false;
    if (fan_out->holds) /* wakes the sinks, because only a sink that is awake makes room */
        notify_sinks(fan_out);
    atomic_fetch_add(&fan_out->pausing, 1);
    wakeup_wait(fan_out->wakeup, NO_HANDLE, false, 1);
    atomic_store(&fan_out->paused, true);
    atomic_fetch_sub(&fan_out->pausing, 1);
    return true;
}

bool fan_out_has_paused(struct fan_out *fan_out)
{
    bool paused = atomic_exchange(&fan_out->paused, false);
    return atomic_load(&fan_out->pausing) != 0 || paused;
}

void fan_out_set_deadline(struct fan_out *fan_out, int64_t deadline_ns)
{
    deadline_bring_forward(&fan_out->deadline, deadline_ns);
    wakeup_signal(fan_out->wakeup);
}

void fan_out_set_quiescing(struct fan_out *fan_out, bool quiescing)
{
    atomic_store(&fan_out->quiescing, quiescing);
    wakeup_signal(fan_out->wakeup);
}

void fan_out_close(struct fan_out *fan_out)
{
    for (size_t i = 0; i < fan_out->count; i++) {
        batch_queue_close(fan_out->routes[i].to.queue);
        sink_thread_notify(fan_out->routes[i].to.sink);
    }
}
