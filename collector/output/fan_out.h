/*
 * Hands each sealed batch of a producer to every sink, and counts the records that were queued and
 * refused. A producer is one thread, or several threads that serve the same sockets. Threads of one
 * producer offer one at a time, so that the records of a socket stay in the order in which its
 * claim (collector/base/claim.h) was held.
 *
 * There are three ways of waiting. A socket's producer never waits: a full queue refuses the batch
 * for that sink only; if the sink drops the oldest records, it is woken in time to make room. A
 * stream's producer waits for room until the stop's deadline, but not for a sink that is configured
 * to drop. A capture's producer waits for every sink, so that no record of the file is lost.
 *
 * Lifecycle: create; fan_out_add_sink for each sink; offers; fan_out_close. One thread at a time
 * calls the functions; offers and queries are for all threads of the producer, except where a
 * function says otherwise.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_FAN_OUT_H
#define SLUICE_COLLECTOR_OUTPUT_FAN_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/ledger/ledger.h"
#include "collector/output/sink_thread.h"
#include "collector/queue/batch_queue.h"
#include "collector/queue/tap.h"
#include "collector/record/batch.h"

struct fan_out;

enum fan_out_waiting {
    FAN_OUT_NEVER_WAITS,
    FAN_OUT_WAITS, /* waits for room, but not for sinks that drop records */
    FAN_OUT_ALWAYS_WAITS,
};

/*
 * Creates the fan-out of a producer with `threads` (≥ 1) threads. Returns 0, or -1 with `error`
 * filled.
 */
int fan_out_create(struct fan_out **out, size_t threads, enum fan_out_waiting waiting,
                   struct error *error);
void fan_out_destroy(struct fan_out *fan_out);

/* A sink from the producer's point of view. */
struct fan_out_sink {
    const char *name; /* for the log; owned by the caller */
    struct sink_thread *sink;
    struct batch_queue *queue; /* the sink's queue for this producer */
    struct offer_counters *offers;
    _Atomic int64_t *in_flight; /* the counter to which the fan-out adds the records that it queues
                                 * for the sink */
    bool drops;                 /* the sink may drop records, so a stream's producer does not
                                   wait for it */
    bool drops_oldest;          /* the sink drops the oldest records, not the newest */
    bool takes_raw;             /* the sink also forwards undecoded datagrams */
};

/* Adds a sink, before the producer starts. Returns 0, or -1 with `error` filled. */
int fan_out_add_sink(struct fan_out *fan_out, const struct fan_out_sink *sink, struct error *error);

/*
 * fan_out_set_sinks replaces the producer's sinks while the producer is paused. A sink whose queue
 * was in the old set keeps its counts. fan_out_reserve must be called before: it makes room for
 * `count` sinks, at any time, in the main thread. It returns false if memory is short.
 */
bool fan_out_reserve(struct fan_out *fan_out, size_t count);
void fan_out_set_sinks(struct fan_out *fan_out, const struct fan_out_sink *sinks, size_t count);

/*
 * Makes fan_out_offer also pass each batch to a tap, which copies records to watching clients. Must
 * be called before the producer starts.
 */
void fan_out_set_tap(struct fan_out *fan_out, struct tap_inlet *tap);

/*
 * Hands the batch, to which only the caller has a reference, to all sinks, and releases it for the
 * caller.
 *
 * Wakes sinks that sleep, except for two kinds of producers: one that never waits and has one
 * thread, and one of streams. For these a wake-up for each batch would cost two context switches.
 * So each of their threads calls fan_out_wake_sinks (or fan_out_hold) before it sleeps. Their sinks
 * are also woken after FAN_OUT_MOST_HELD batches, and before a thread waits for room, so that they
 * do not idle while a producer works.
 */
#define FAN_OUT_MOST_HELD 16
void fan_out_offer(struct fan_out *fan_out, struct batch *batch);
void fan_out_wake_sinks(struct fan_out *fan_out);

/* Counts an undecoded datagram for which no batch has room. */
void fan_out_lose_raw(struct fan_out *fan_out);

/*
 * Called in place of fan_out_wake_sinks if more batches will be offered soon. Wakes the sinks
 * later, because waking a sink costs as much as encoding some fifty records.
 *
 * The sinks are woken when the first batch has waited for FAN_OUT_HOLD_NS times the number of
 * sinks, at most FAN_OUT_HOLD_MOST_NS; so the number of wake-ups does not grow with the number of
 * sinks. If all sinks allow a longer delay (fan_out_delay_ns), they are woken after that delay.
 * They are woken at once if the queue of a sleeping sink is filled to FAN_OUT_HOLD_BACKLOG. This is
 * below INGEST_SHARING_BACKLOG, so that the delay is not mistaken for a slow sink.
 *
 * Times are monotonic. `next_ns` (≥ now_ns) is when the caller will call this function again, or
 * INT64_MAX if it may never call again; the sinks are then woken now. Returns when each of the
 * producer's threads must call it at the latest, or INT64_MAX if no batch is held back.
 */
#define FAN_OUT_HOLD_NS      INT64_C(1000000)
#define FAN_OUT_HOLD_MOST_NS INT64_C(8000000)
#define FAN_OUT_HOLD_BACKLOG 0.1
int64_t fan_out_hold(struct fan_out *fan_out, int64_t now_ns, int64_t next_ns);

/* Returns the smallest delay that a sink allows until a record is written, in nanoseconds. */
int64_t fan_out_delay_ns(const struct fan_out *fan_out);

/*
 * Returns true if all sinks are idle. Offering a batch now is then better than filling it further.
 */
bool fan_out_is_idle(const struct fan_out *fan_out);

/*
 * Returns the fill of the fullest queue, from 0 to 1. The caller uses it to decide how long to fill
 * a batch, because a half-empty batch takes a whole slot of a queue. For a producer that waits,
 * queues of sinks that drop records are left out.
 */
double fan_out_backlog(const struct fan_out *fan_out);

/*
 * For a producer that waits: waits for room for a millisecond, or until fan_out_set_deadline is
 * called. Returns false at once if the deadline has passed.
 */
bool fan_out_pause(struct fan_out *fan_out);

/*
 * Returns true if a thread waits for room, or has waited since the last call. Other threads that
 * offer then wait for that thread, so they are not stuck. Only one thread may call this; it may be
 * any thread.
 */
bool fan_out_has_paused(struct fan_out *fan_out);

/*
 * Any thread: the producer waits no longer than `deadline_ns` (monotonic) from now on. The earliest
 * of several deadlines counts.
 */
void fan_out_set_deadline(struct fan_out *fan_out, int64_t deadline_ns);

/*
 * Any thread: sets whether the producer must pause. Until it pauses, a thread that waits for room
 * puts its batch into any free slot, beyond the limit on large batches, so that a sink that is
 * stuck cannot keep the producer from pausing.
 */
void fan_out_set_quiescing(struct fan_out *fan_out, bool quiescing);

/*
 * Closes the queues: the producer will offer no more batches, and the sinks write the batches that
 * they have.
 */
void fan_out_close(struct fan_out *fan_out);

#endif
