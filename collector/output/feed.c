#include "collector/output/feed.h"

#include <inttypes.h>
#include <stdlib.h>

#include "collector/log/log.h"
#include "collector/platform/deadline.h"
#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"

struct outlet {
    struct feed_sink to;
    struct log_limit log;
    uint64_t refused; /* records, since the last line in the log */
};

struct feed {
    bool lossless;
    struct mutex *turn; /* whose it is to offer; NULL: there is one thread */
    struct outlet *outlets;
    size_t count;
    struct outlet *spare;  /* room for the next outlets */
    struct tap_inlet *tap; /* NULL: none */
    bool holds;            /* its producer says when sinks are to be woken */
    size_t held;           /* batches that they were not told of */
    int64_t held_ns;       /* since when, as feed_hold was told; 0: it was not */
    struct wakeup *wakeup;
    struct deadline deadline;
};

int feed_create(struct feed **out, size_t threads, bool lossless, struct error *error)
{
    struct feed *feed = calloc(1, sizeof *feed);
    if (feed == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a feed");
        return -1;
    }
    feed->lossless = lossless;
    feed->holds = !lossless && threads == 1;
    deadline_init(&feed->deadline);
    if (threads > 1 && (feed->turn = mutex_create()) == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a feed");
        feed_destroy(feed);
        return -1;
    }
    if (wakeup_create(&feed->wakeup, error) != 0) {
        feed_destroy(feed);
        return -1;
    }
    *out = feed;
    return 0;
}

void feed_destroy(struct feed *feed)
{
    if (feed == NULL)
        return;
    mutex_destroy(feed->turn);
    wakeup_destroy(feed->wakeup);
    free(feed->outlets);
    free(feed->spare);
    free(feed);
}

int feed_add_sink(struct feed *feed, const struct feed_sink *sink, struct error *error)
{
    struct outlet *grown = realloc(feed->outlets, (feed->count + 1) * sizeof *grown);
    if (grown == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a feed");
        return -1;
    }
    feed->outlets = grown;
    grown[feed->count++] = (struct outlet){.to = *sink};
    return 0;
}

bool feed_reserve(struct feed *feed, size_t count)
{
    struct outlet *grown = realloc(feed->spare, (count + 1) * sizeof *grown);
    if (grown != NULL)
        feed->spare = grown;
    return grown != NULL;
}

static struct outlet *find_outlet(const struct feed *feed, const struct batch_queue *queue)
{
    for (size_t i = 0; i < feed->count; i++)
        if (feed->outlets[i].to.queue == queue)
            return &feed->outlets[i];
    return NULL;
}

void feed_set_sinks(struct feed *feed, const struct feed_sink *sinks, size_t count)
{
    feed_wake_sinks(feed);
    for (size_t i = 0; i < count; i++) {
        const struct outlet *before = find_outlet(feed, sinks[i].queue);
        feed->spare[i] = before != NULL ? *before : (struct outlet){.to = sinks[i]};
    }
    free(feed->outlets);
    feed->outlets = feed->spare;
    feed->count = count;
    feed->spare = NULL;
}

void feed_set_tap(struct feed *feed, struct tap_inlet *tap)
{
    feed->tap = tap;
}

static void log_refusal(struct outlet *outlet, enum record_refusal reason, size_t records)
{
    uint64_t held;
    outlet->refused += records;
    if (reason == REFUSED_SINK_ENDED || !log_allowed(&outlet->log, &held))
        return;
    log_about(LOG_WARNING, LOG_OF_SINK, outlet->to.name, "behind: %" PRIu64 " records refused (%s)",
              outlet->refused, record_refusal_names[reason]);
    outlet->refused = 0;
}

/* Counted before the push: the sink may be done with the batch before push returns. */
static enum queue_result push(const struct feed *feed, struct outlet *outlet, struct batch *batch)
{
    const struct feed_sink *to = &outlet->to;
    enum queue_result result = batch_queue_ask(to->queue, batch);
    if (result != QUEUE_TAKEN)
        return result;
    atomic_fetch_add_explicit(to->in_flight, batch->count, memory_order_relaxed);
    counter_add(&to->offers->queued, batch->count);
    result = batch_queue_push(to->queue, batch);
    if (!feed->holds)
        sink_thread_notify(to->sink);
    return result;
}

/* The batch was just pushed, or refused; the caller still holds it. */
static void look_ahead(const struct feed *feed, struct outlet *outlet, const struct batch *batch,
                       bool refused)
{
    if (outlet->to.drops_oldest && !feed->lossless &&
        batch_queue_want_room(outlet->to.queue, batch, refused))
        sink_thread_make_room(outlet->to.sink);
}

static void offer_to(struct feed *feed, struct outlet *outlet, struct batch *batch)
{
    const struct feed_sink *to = &outlet->to;
    uint32_t records = batch->count;
    counter_add(&to->offers->offered, records);
    batch_retain(batch);
    enum record_refusal reason = REFUSED_SINK_ENDED;
    while (!sink_thread_has_ended(to->sink)) {
        enum queue_result result = push(feed, outlet, batch);
        look_ahead(feed, outlet, batch, result != QUEUE_TAKEN);
        if (result == QUEUE_TAKEN)
            return;
        reason = result == QUEUE_FULL ? REFUSED_RING_FULL : REFUSED_LISTENER_SHARE;
        if (!feed->lossless || !feed_pause(feed))
            break;
        reason = REFUSED_SINK_ENDED;
    }
    batch_release(batch);
    counter_add(&to->offers->refused[reason], records);
    log_refusal(outlet, reason, records);
}

void feed_offer(struct feed *feed, struct batch *batch)
{
    if (feed->turn != NULL)
        mutex_lock(feed->turn);
    if (feed->tap != NULL)
        tap_offer(feed->tap, batch);
    for (size_t i = 0; i < feed->count; i++)
        offer_to(feed, &feed->outlets[i], batch);
    if (feed->turn != NULL)
        mutex_unlock(feed->turn);
    batch_release(batch);
    if (feed->holds && ++feed->held == FEED_MOST_HELD)
        feed_wake_sinks(feed);
}

void feed_wake_sinks(struct feed *feed)
{
    if (feed->held == 0)
        return;
    feed->held = 0;
    feed->held_ns = 0;
    for (size_t i = 0; i < feed->count; i++)
        sink_thread_notify(feed->outlets[i].to.sink);
}

/* Whether a sink that sleeps has much to do; one that is awake goes on by itself. */
static bool keeps_much_from(const struct feed *feed)
{
    for (size_t i = 0; i < feed->count; i++) {
        const struct feed_sink *to = &feed->outlets[i].to;
        if (sink_thread_is_idle(to->sink) && batch_queue_fill(to->queue) >= FEED_HOLD_BACKLOG)
            return true;
    }
    return false;
}

static int64_t hold_ns(const struct feed *feed)
{
    if (feed->count >= FEED_HOLD_MOST_NS / FEED_HOLD_NS)
        return FEED_HOLD_MOST_NS;
    return (int64_t)feed->count * FEED_HOLD_NS;
}

int64_t feed_hold(struct feed *feed, int64_t now_ns, int64_t next_ns)
{
    if (feed->held == 0)
        return INT64_MAX;
    if (next_ns != INT64_MAX) {
        if (feed->held_ns == 0)
            feed->held_ns = now_ns;
        int64_t due_ns = feed->held_ns + hold_ns(feed);
        if (next_ns < due_ns && !keeps_much_from(feed))
            return due_ns;
    }
    feed_wake_sinks(feed);
    return INT64_MAX;
}

bool feed_is_idle(const struct feed *feed)
{
    for (size_t i = 0; i < feed->count; i++)
        if (!sink_thread_is_idle(feed->outlets[i].to.sink))
            return false;
    return true;
}

double feed_backlog(const struct feed *feed)
{
    double most = 0;
    for (size_t i = 0; i < feed->count; i++) {
        double fill = batch_queue_fill(feed->outlets[i].to.queue);
        if (fill > most)
            most = fill;
    }
    return most;
}

bool feed_pause(struct feed *feed)
{
    if (deadline_is_over(&feed->deadline))
        return false;
    wakeup_wait(feed->wakeup, NO_HANDLE, false, 1);
    return true;
}

void feed_set_deadline(struct feed *feed, int64_t deadline_ns)
{
    deadline_bring_forward(&feed->deadline, deadline_ns);
    wakeup_signal(feed->wakeup);
}

void feed_close(struct feed *feed)
{
    for (size_t i = 0; i < feed->count; i++) {
        batch_queue_close(feed->outlets[i].to.queue);
        sink_thread_notify(feed->outlets[i].to.sink);
    }
}
