/*
 * The ledger: the counters that account for every datagram and every record.
 *
 * A listener counts datagrams: received = decoded + the reasons. A sink counts records:
 * offered = queued + refused, queued = written + filtered + failed + in flight. Each term is raised
 * where its event happens and none is computed from others, so the sums can fail, and tests check
 * that they do not. After a stop they are exact and in flight is 0; a live snapshot reads sinks
 * before listeners, so that a sum is never more than what was received.
 *
 * Every writing thread has blocks of its own (no two threads write one cache line), made here at
 * start and owned by the ledger until it is destroyed. Making blocks and snapshots belongs to the
 * main thread; blocks are read at any time.
 */
#ifndef SLUICE_COLLECTOR_LEDGER_H
#define SLUICE_COLLECTOR_LEDGER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/counter.h"

/* Why a datagram was not decoded, in the order in which the reasons are tried. */
enum datagram_reason {
    REASON_NO_BUFFER, /* no free batch */
    REASON_TRUNCATED, /* longer than max_datagram */
    REASON_EMPTY,     /* zero length, and the schema refuses that */
    REASON_TOO_DEEP,  /* nested more than 100 levels */
    REASON_TOO_LARGE, /* decoded, it needs more than max_decoded */
    REASON_MALFORMED, /* not a message of the schema */
    REASON_COUNT
};

/* Why a sink's ring did not take a record. */
enum record_refusal {
    REFUSED_RING_FULL,      /* the sink is behind */
    REFUSED_LISTENER_SHARE, /* the sink is behind, and this listener holds its share of the ring */
    REFUSED_SINK_ENDED,     /* the sink has stopped for good */
    REFUSAL_COUNT
};

/* Why a record that a sink had taken was not written. */
enum record_failure {
    FAILED_TOO_LARGE,    /* encoded, it is larger than a sink's buffer */
    FAILED_READER_GONE,  /* the reader closed the pipe */
    FAILED_IO_ERROR,     /* the destination failed for good */
    FAILED_STOP_TIMEOUT, /* still unwritten when stop_timeout was over */
    FAILURE_COUNT
};

/* The names that logs, the ledger and the documentation use. */
extern const char *const datagram_reason_names[REASON_COUNT];
extern const char *const record_refusal_names[REFUSAL_COUNT];
extern const char *const record_failure_names[FAILURE_COUNT];

/* Of one listener on one receiving thread. */
struct intake_counters {
    struct counter received; /* datagrams */
    struct counter bytes;    /* of payload, as received */
    struct counter decoded;
    struct counter reasons[REASON_COUNT];
    struct counter messages;
    struct counter kernel_drops; /* datagrams that the kernel dropped before us */
    struct counter refused_while_stopping;
    struct counter receive_errors; /* reported by the socket; none of them lost a datagram */
    /* Told by the senders' numbers (collector/sequence.h). */
    struct counter lost, duplicated, reordered, late, restarted, senders, senders_evicted;
    /* Of a capture (collector/capture/capture.h). */
    struct counter frames, fragments, reassembled, other, cut, incomplete;
};

/* What one receiving thread offered one sink, in records. */
struct offer_counters {
    struct counter offered;
    struct counter queued;
    struct counter refused[REFUSAL_COUNT];
};

/* Of one sink, written by its own thread, in records where nothing else is said. */
struct sink_counters {
    struct counter written;
    struct counter filtered;
    struct counter failed[FAILURE_COUNT];
    struct counter lines;
    struct counter samples;      /* metric values that lines tell one by one */
    struct counter bytes;        /* accepted by the destination and not taken back */
    struct counter write_errors; /* failed writes, each tried again */
    _Atomic int64_t in_flight;   /* queued, fate not known; raised by receivers, lowered here */
};

struct ledger;

/* Returns NULL where memory is short. */
struct ledger *ledger_create(void);
void ledger_destroy(struct ledger *ledger);

/*
 * Adds a listener or a sink, named as in the configuration (the text is copied), and returns its
 * index, counted from 0 for each of the two; or -1 where memory is short. `kind` is a literal:
 * "udp" or "capture"; `schema` is copied too.
 */
int ledger_add_listener(struct ledger *ledger, const char *name, const char *kind,
                        const char *schema);
int ledger_add_sink(struct ledger *ledger, const char *name);

/* Renames a listener, before the first snapshot. Returns false where memory is short. */
bool ledger_rename_listener(struct ledger *ledger, int listener, const char *name);

/* New blocks, all zero, each for one thread to write; NULL where memory is short. */
struct intake_counters *ledger_intake_block(struct ledger *ledger, int listener);
struct offer_counters *ledger_offer_block(struct ledger *ledger, int sink);
/* The one block of the sink. */
struct sink_counters *ledger_sink_block(struct ledger *ledger, int sink);

/* Plain sums over the blocks, at one moment. */
struct listener_totals {
    const char *name, *kind, *schema; /* the ledger's own */
    uint64_t received, bytes, decoded, reasons[REASON_COUNT], messages;
    uint64_t kernel_drops, refused_while_stopping, receive_errors;
    uint64_t lost, duplicated, reordered, late, restarted, senders, senders_evicted;
    uint64_t frames, fragments, reassembled, other, cut, incomplete;
};

struct sink_totals {
    const char *name;
    uint64_t offered, queued, refused[REFUSAL_COUNT];
    uint64_t written, filtered, failed[FAILURE_COUNT];
    int64_t in_flight;
    uint64_t lines, samples, bytes, write_errors;
};

struct ledger_snapshot {
    bool final; /* taken after the stop: the sums must hold */
    int64_t uptime_ns;
    size_t listener_count, sink_count;
    struct listener_totals *listeners;
    struct sink_totals *sinks;
};

/* Reads all blocks. Returns NULL where memory is short; freed with ledger_snapshot_free. */
struct ledger_snapshot *ledger_take_snapshot(const struct ledger *ledger, bool final);
void ledger_snapshot_free(struct ledger_snapshot *snapshot);

/* Whether every sum of a final snapshot holds and nothing is in flight. */
bool ledger_balances(const struct ledger_snapshot *snapshot);

#endif
