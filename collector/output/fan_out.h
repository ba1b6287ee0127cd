/*
 * A producer's side of all the sinks: it hands each sealed batch to every one of them and counts
 * what they took and refused. A producer is one thread, or several that serve the same sockets:
 * then they offer one after the other, so that what a socket's claim (collector/base/claim.h) has
 * put in order stays in order.
 *
 * Three ways. A socket's producer never waits: a full queue refuses, for that sink alone; where the
 * sink drops the oldest, it is woken in time to make room. A stream's producer waits for room,
 * until the stop's deadline, but not where it was said that the sink drops. A capture's producer
 * waits whatever the sink would drop, so that nothing of a file is lost: nobody sends it that could
 * not wait as well.
 *
 * Lifecycle: create, one fan_out_add_sink per sink, offers, fan_out_close. All by one thread, or,
 * of offers and questions, by those that it was made for, except where it is said.
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
    FAN_OUT_WAITS, /* but not for sinks that drop */
    FAN_OUT_ALWAYS_WAITS,
};

/* For the batches of `threads` (≥ 1) threads. Returns 0, or -1 with `error` filled. */
int fan_out_create(struct fan_out **out, size_t threads, enum fan_out_waiting waiting,
                   struct error *error);
void fan_out_destroy(struct fan_out *fan_out);

/* What one sink is to this producer. */
struct fan_out_sink {
    const char *name; /* for the log; the caller's */
    struct sink_thread *sink;
    struct batch_queue *queue; /* the sink's, for this producer alone */
    struct offer_counters *offers;
    _Atomic int64_t *in_flight; /* the sink's count */
    bool drops;                 /* that was chosen for it: no stream waits for it */
    bool drops_oldest;          /* rather than the newest */
    bool takes_raw;             /* it passes on what could not be decoded, too */
};

/* Before the producer starts. Returns 0, or -1 with `error` filled. */
int fan_out_add_sink(struct fan_out *fan_out, const struct fan_out_sink *sink, struct error *error);

/*
 * While the producer is quiescent: it feeds these sinks from now on and no others; who was fed
 * before, by the same queue, goes on. The room for so many was reserved, by the main thread at any
 * time, which returns false where memory is short.
 */
bool fan_out_reserve(struct fan_out *fan_out, size_t count);
void fan_out_set_sinks(struct fan_out *fan_out, const struct fan_out_sink *sinks, size_t count);

/* Shows every batch to a tap, too. Before the producer starts. */
void fan_out_set_tap(struct fan_out *fan_out, struct tap_inlet *tap);

/*
 * Hands the batch, whose one reader is the caller, to all sinks; the caller's hold ends. A
 * sink that sleeps is woken. Where one thread offers that never waits, and where a stream's threads
 * offer, each thread says when: before it sleeps itself (or see fan_out_hold), so that of the
 * batches of many sockets not each costs a switch from the one thread to the other and back. Sinks
 * do not stand idle beside a producer that is long at work, or that waits for room: after so many
 * batches, and before it waits, they are woken in any case.
 */
#define FAN_OUT_MOST_HELD 16
void fan_out_offer(struct fan_out *fan_out, struct batch *batch);
void fan_out_wake_sinks(struct fan_out *fan_out);

/* There is no room in any batch for a datagram that could not be decoded. */
void fan_out_lose_raw(struct fan_out *fan_out);

/*
 * The same where more is offered soon: to wake a sink costs what encoding some fifty records does,
 * and each sink is woken for itself. So batches are held until the first of them has waited for
 * FAN_OUT_HOLD_NS for each sink, FAN_OUT_HOLD_MOST_NS at most: all sinks of the fan-out together
 * are then not woken more often than one; or for as long as all sinks allow, where that is longer
 * (fan_out_delay_ns). None is held where the queue of a sink that sleeps is filled to
 * FAN_OUT_HOLD_BACKLOG, which is less than who looks for sinks that are behind takes for that
 * (INGEST_SHARING_BACKLOG).
 *
 * Times are monotonic: `now_ns`, and `next_ns` (≥ now_ns) when this is called again; INT64_MAX: it
 * may not be, so sinks are woken, whatever now_ns is. Returns when it has to be called at the
 * latest, by each thread that was told so; INT64_MAX: nothing is held.
 */
#define FAN_OUT_HOLD_NS      INT64_C(1000000)
#define FAN_OUT_HOLD_MOST_NS INT64_C(8000000)
#define FAN_OUT_HOLD_BACKLOG 0.1
int64_t fan_out_hold(struct fan_out *fan_out, int64_t now_ns, int64_t next_ns);

/* How late a record may be, in nanoseconds: what the sink allows that allows least. */
int64_t fan_out_delay_ns(const struct fan_out *fan_out);

/* Whether all sinks have nothing to do: then a batch is better offered now than filled further. */
bool fan_out_is_idle(const struct fan_out *fan_out);

/*
 * How full the fullest queue is, from 0 to 1: what is offered half-empty costs it a whole slot. Of
 * a producer that waits: the fullest of those that it waits for.
 */
double fan_out_backlog(const struct fan_out *fan_out);

/*
 * Of one that waits: waits a moment (a millisecond, or until fan_out_set_deadline is called) for
 * room. Returns false, at once, when the deadline is over.
 */
bool fan_out_pause(struct fan_out *fan_out);

/*
 * Any one thread: whether another one waits for room, or has since this was last asked. Those that
 * offer wait for that one, too.
 */
bool fan_out_has_paused(struct fan_out *fan_out);

/*
 * Any thread: from now on one that waits does so no longer than `deadline_ns` (monotonic). Of
 * several deadlines the earliest counts.
 */
void fan_out_set_deadline(struct fan_out *fan_out, int64_t deadline_ns);

/*
 * Any thread: whether the producer is to stand still. Until it does, one that waits for room puts
 * what it has in hand into its queues beyond their share of large batches, so that a sink that
 * takes nothing does not keep it from that.
 */
void fan_out_set_quiescing(struct fan_out *fan_out, bool quiescing);

/* Nothing more will come, from any thread: the sinks finish what they hold. */
void fan_out_close(struct fan_out *fan_out);

#endif
