/*
 * The ledger: the counters that account for every datagram and every record.
 *
 * A listener counts datagrams: received = decoded + the reasons. A sink counts records:
 * offered = queued + refused, queued = written + filtered + evicted + failed + in flight. Where
 * dead letters are kept, they are offered = kept + dropped, offered being what the listeners
 * counted under the reasons that have letters. Each term is raised where its event happens and none
 * is computed from others, so the sums can fail, and tests check that they do not. After a stop
 * they are exact and in flight is 0; a live snapshot reads sinks before listeners, so that a sum is
 * never more than what was received.
 *
 * Every writing thread has blocks of its own (no two threads write one cache line), made here and
 * owned by the ledger until it is destroyed. Making blocks and snapshots belongs to the main
 * thread; blocks are read at any time. What a reload takes away is retired: it stays in the ledger.
 */
#ifndef SLUICE_COLLECTOR_LEDGER_LEDGER_H
#define SLUICE_COLLECTOR_LEDGER_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/counter.h"
#include "collector/base/histogram.h"

/*
 * Why a datagram was not decoded, in the order in which the reasons are tried. One of several
 * messages has the reason of the first that fails.
 */
enum datagram_reason {
    REASON_NO_BUFFER,     /* no free batch */
    REASON_SOURCE_DENIED, /* its sender is not among those who may send */
    REASON_RATE_LIMITED,  /* its sender has sent more than rate_limit allows */
    REASON_TRUNCATED,     /* longer than max_datagram */
    REASON_NO_MATCH,      /* no schema of the listener is for it */
    REASON_CONTROL,       /* no message, but a word about the connection: a heartbeat */
    REASON_EMPTY,         /* zero length, and the schema refuses that */
    REASON_TOO_DEEP,      /* nested more than 100 levels */
    REASON_TOO_LARGE,     /* decoded, it needs more than max_decoded */
    REASON_MALFORMED,     /* not a message of the schema, or not framed as was said */
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
    FAILED_TOO_LARGE,     /* encoded, it is larger than a sink's buffer */
    FAILED_READER_GONE,   /* the reader closed the pipe */
    FAILED_IO_ERROR,      /* the destination failed for good */
    FAILED_STOP_TIMEOUT,  /* still unwritten when stop_timeout was over */
    FAILED_COMMAND_ENDED, /* the command ended before it had read it, or there was none at a stop */
    FAILURE_COUNT
};

/* Why a dead letter was not kept. */
enum letter_drop {
    DROPPED_RATE,         /* more in a second than `rate` */
    DROPPED_RING_FULL,    /* the writer is behind */
    DROPPED_FILE_FULL,    /* the file has reached max_size */
    DROPPED_IO_ERROR,     /* it could not be written */
    DROPPED_STOP_TIMEOUT, /* still unwritten when stop_timeout was over */
    DROP_COUNT
};

/*
 * Whether a datagram with this reason is offered as a dead letter: what could not be decoded. Not
 * what we had no memory for, of which the next would be decoded, nor what is in order; nor what
 * came from who may not send, or not so much, who could otherwise fill the file in place of those
 * who may.
 */
extern const bool datagram_reason_has_letter[REASON_COUNT];

/* The names that logs, the ledger and the documentation use. */
extern const char *const datagram_reason_names[REASON_COUNT];
extern const char *const letter_drop_names[DROP_COUNT];
extern const char *const record_refusal_names[REFUSAL_COUNT];
extern const char *const record_failure_names[FAILURE_COUNT];

/*
 * Every term but the reasons stands in one of three lists. The counters, their sums and what is
 * printed are made of them, in this order: a new counter is one row. A row is TERM(name, part).
 */
enum ledger_part {
    PART_FLOW,     /* the sums, and what is always printed */
    PART_ALWAYS,   /* the same, behind the reasons */
    PART_BESIDE,   /* each part from here on is a line of text that leaves out what is zero */
    PART_SEQUENCE, /* told by the senders' numbers (collector/senders/sequence.h) */
    PART_CAPTURE,  /* of a capture (collector/capture/capture.h) */
    PART_COUNT
};

/* Of a listener: datagrams, where nothing else is said. */
#define LISTENER_TERMS(TERM)                                                                       \
    TERM(received, PART_FLOW)                                                                      \
    TERM(bytes, PART_FLOW) /* of payload, as received */                                           \
    TERM(decoded, PART_FLOW)                                                                       \
    TERM(messages, PART_ALWAYS)                                                                    \
    TERM(kernel_drops, PART_ALWAYS) /* that the kernel dropped before us: struct drops_kind */     \
    TERM(refused_while_stopping, PART_BESIDE)                                                      \
    TERM(receive_errors, PART_BESIDE) /* reported by the socket; none lost a datagram */           \
    TERM(unknown_fields, PART_BESIDE) /* of decoded messages: fields that the schema lacks */      \
    TERM(senders, PART_SEQUENCE)                                                                   \
    TERM(lost, PART_SEQUENCE)                                                                      \
    TERM(duplicated, PART_SEQUENCE)                                                                \
    TERM(reordered, PART_SEQUENCE)                                                                 \
    TERM(late, PART_SEQUENCE)                                                                      \
    TERM(restarted, PART_SEQUENCE)                                                                 \
    TERM(senders_evicted, PART_SEQUENCE)                                                           \
    TERM(frames, PART_CAPTURE)                                                                     \
    TERM(fragments, PART_CAPTURE)                                                                  \
    TERM(reassembled, PART_CAPTURE)                                                                \
    TERM(other, PART_CAPTURE)                                                                      \
    TERM(cut, PART_CAPTURE)                                                                        \
    TERM(incomplete, PART_CAPTURE)

/* Of what a sink was offered, in records. */
#define OFFER_TERMS(TERM)                                                                          \
    TERM(offered, PART_FLOW)                                                                       \
    TERM(queued, PART_FLOW)

/* Of a sink, in records where nothing else is said. */
#define SINK_TERMS(TERM)                                                                           \
    TERM(written, PART_FLOW)                                                                       \
    TERM(filtered, PART_FLOW)                                                                      \
    TERM(evicted, PART_FLOW) /* taken out of a queue for what was newer */                         \
    TERM(lines, PART_ALWAYS)                                                                       \
    TERM(samples, PART_ALWAYS)         /* metric values that lines tell one by one */              \
    TERM(bytes, PART_ALWAYS)           /* accepted by the destination and not taken back */        \
    TERM(write_errors, PART_BESIDE)    /* failed writes, each tried again */                       \
    TERM(restarts, PART_BESIDE)        /* of a command: how often it was started again */          \
    TERM(files, PART_BESIDE)           /* complete ones */                                         \
    TERM(renames_blocked, PART_BESIDE) /* complete files that could not be renamed at once */      \
    TERM(unnamed_files, PART_BESIDE)   /* complete ones that were left for the next start */       \
    TERM(to_other_file, PART_BESIDE)   /* records for more different paths than max_files */       \
    TERM(json_fallback, PART_BESIDE)   /* written values that the JSON mapping has no form for */  \
    TERM(left_out, PART_BESIDE)        /* samples that a file had no place for (encoder: arrange) */

/* Of dead letters. */
#define LETTER_TERMS(TERM)                                                                         \
    TERM(offered, PART_FLOW)                                                                       \
    TERM(kept, PART_FLOW)                                                                          \
    TERM(bytes, PART_ALWAYS) /* accepted by the file, with all that a capture needs */

/*
 * Beside the terms stand measures of how the work went. A row is MEASURE(name, bounds), a histogram
 * with those bounds; no sum is about them, and only --metrics tells them.
 */
#define THREAD_MEASURES(MEASURE)                                                                   \
    MEASURE(drain_length, histogram_counts)  /* datagrams that a drain found */                    \
    MEASURE(decode_latency, histogram_times) /* of the first datagram of each turn: see below */   \
    MEASURE(batch_records, histogram_counts) /* in each batch that was offered to the sinks */

#define SINK_MEASURES(MEASURE)                                                                     \
    MEASURE(write_time, histogram_times) /* until a block was out, with all waits and retries */

/*
 * Of a turn, which is all or a part of a drain, the first datagram has waited longest: its latency
 * is the time from its arrival until the whole turn was decoded, or up to seven datagrams behind
 * it.
 */

#define LEDGER_COUNTER(name, part)            struct counter name;
#define LEDGER_TOTAL(name, part)              uint64_t name;
#define LEDGER_HISTOGRAM(name, bounds)        struct histogram name;
#define LEDGER_HISTOGRAM_TOTALS(name, bounds) struct histogram_totals name;

/* Of one listener on one receiving thread. */
struct ingest_counters {
    LISTENER_TERMS(LEDGER_COUNTER)
    struct counter reasons[REASON_COUNT];
};

/* Of one receiving thread, for all of its listeners: what many of them share stays in the cache. */
struct thread_measures {
    THREAD_MEASURES(LEDGER_HISTOGRAM)
};

/* What one receiving thread offered one sink. */
struct offer_counters {
    OFFER_TERMS(LEDGER_COUNTER)
    struct counter refused[REFUSAL_COUNT];
};

/* Of one sink, written by its own thread. */
struct sink_counters {
    SINK_TERMS(LEDGER_COUNTER)
    struct counter failed[FAILURE_COUNT];
    SINK_MEASURES(LEDGER_HISTOGRAM)
    _Atomic int64_t in_flight; /* queued, fate not known; raised by receivers, lowered here */
};

/* Of dead letters, a block for each thread that offers them and one for that which writes. */
struct letter_counters {
    LETTER_TERMS(LEDGER_COUNTER)
    struct counter dropped[DROP_COUNT];
};

struct ledger;

/* Returns NULL where memory is short. */
struct ledger *ledger_create(void);
void ledger_destroy(struct ledger *ledger);

/*
 * Adds a listener or a sink, named as in the configuration (the text is copied), and returns its
 * index, counted from 0 for each of the two; or -1 where memory is short. `kind` is a literal:
 * "udp" or "capture"; `schema` is copied too. One of that name that was retired goes on counting
 * where it ended, under its old index.
 */
int ledger_add_listener(struct ledger *ledger, const char *name, const char *kind,
                        const char *schema);
int ledger_add_sink(struct ledger *ledger, const char *name);

/* Its name or its schema is another one from now on. Returns false where memory is short. */
bool ledger_rename_listener(struct ledger *ledger, int listener, const char *name);
bool ledger_set_schema(struct ledger *ledger, int listener, const char *schema);

/*
 * A sink is offered what is decoded from this moment on, until the moment when it is retired; where
 * this is not said, since it was added. At such a moment nobody may be decoding, and all that was
 * decoded before has been offered.
 */
void ledger_begin_sink(struct ledger *ledger, int sink);
void ledger_retire_sink(struct ledger *ledger, int sink);

/* Nothing more will be received; what is counted stays, and is told. */
void ledger_retire_listener(struct ledger *ledger, int listener);

/* It was added, and nothing came of it: as if it had not been. */
void ledger_cancel_listener(struct ledger *ledger, int listener);
void ledger_cancel_sink(struct ledger *ledger, int sink);

/* What the kernel's drops of a listener's sockets are, all false where nothing else is said. */
struct drops_kind {
    bool buffers;  /* each of one or many datagrams; else datagrams */
    bool filtered; /* the kernel also refuses who may not send, and counts that among them */
};
void ledger_set_drops_kind(struct ledger *ledger, int listener, struct drops_kind kind);

/*
 * Blocks, each for one thread to write: new ones, all zero, or what was returned, to be counted on
 * from. NULL where memory is short.
 */
struct ingest_counters *ledger_ingest_block(struct ledger *ledger, int listener);
struct offer_counters *ledger_offer_block(struct ledger *ledger, int sink);
struct sink_counters *ledger_sink_block(struct ledger *ledger, int sink);

/* Nobody writes that block any more; what it counted stays. NULL is allowed. */
void ledger_return_block(void *counters);

/* A new block, all zero, for one receiving thread; at most LEDGER_THREADS of them. */
#define LEDGER_THREADS 1024
struct thread_measures *ledger_thread_block(struct ledger *ledger);

/* Adds the dead letters' file, at most one. Returns false where memory is short. */
bool ledger_add_letters(struct ledger *ledger, const char *name);
/* A new block, as above. */
struct letter_counters *ledger_letter_block(struct ledger *ledger);

/* Plain sums over the blocks, at one moment. */
struct listener_totals {
    size_t index;                     /* in the ledger, which may skip some that nothing came of */
    const char *name, *kind, *schema; /* the ledger's own */
    bool retired;                     /* it receives nothing any more */
    bool drops_counted;               /* else kernel_drops is 0, whatever was dropped */
    struct drops_kind drops;
    LISTENER_TERMS(LEDGER_TOTAL)
    uint64_t reasons[REASON_COUNT];
};

struct thread_totals {
    const char *name; /* its number: "0" is the first whose block was made */
    THREAD_MEASURES(LEDGER_HISTOGRAM_TOTALS)
};

struct sink_totals {
    size_t index; /* the same */
    const char *name;
    bool retired;      /* it is offered nothing any more */
    uint64_t messages; /* that were decoded while it was offered all that was */
    OFFER_TERMS(LEDGER_TOTAL)
    uint64_t refused[REFUSAL_COUNT];
    SINK_TERMS(LEDGER_TOTAL)
    uint64_t failed[FAILURE_COUNT];
    SINK_MEASURES(LEDGER_HISTOGRAM_TOTALS)
    int64_t in_flight;
};

struct letter_totals {
    const char *name; /* NULL: none are kept */
    LETTER_TERMS(LEDGER_TOTAL)
    uint64_t dropped[DROP_COUNT];
};

/* A row of a list as data: where the term stands in a block of counters, and in the totals. */
struct ledger_term {
    const char *name;
    size_t counter;
    size_t total;
    enum ledger_part part;
};

/* The lists, each with a row without a name at its end. */
extern const struct ledger_term listener_terms[];
extern const struct ledger_term offer_terms[];
extern const struct ledger_term sink_terms[];
extern const struct ledger_term letter_terms[];

/* The same of the measures; `name` NULL at the end. */
struct ledger_measure {
    const char *name;
    size_t histogram;
    size_t total;
    const uint64_t *bounds;
};

extern const struct ledger_measure thread_measures[];
extern const struct ledger_measure sink_measures[];

/* What kernel_drops are printed as: another name where not all were lost to a full buffer. */
const char *ledger_drops_name(const struct listener_totals *listener);

/* The term's value in a struct listener_totals or struct sink_totals. */
static inline uint64_t ledger_total(const void *totals, const struct ledger_term *term)
{
    return *(const uint64_t *)((const char *)totals + term->total);
}

struct ledger_snapshot {
    bool final; /* taken after the stop: the sums must hold */
    int64_t uptime_ns;
    size_t listener_count, sink_count, thread_count;
    struct thread_totals *threads;
    struct listener_totals *listeners;
    struct sink_totals *sinks;
    struct letter_totals letters;
};

/* Reads all blocks. Returns NULL where memory is short; freed with ledger_snapshot_free. */
struct ledger_snapshot *ledger_take_snapshot(const struct ledger *ledger, bool final);
void ledger_snapshot_free(struct ledger_snapshot *snapshot);

/* Whether every sum of a final snapshot holds and nothing is in flight. */
bool ledger_balances(const struct ledger_snapshot *snapshot);

#endif
