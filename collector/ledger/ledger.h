/*
 * The ledger: the counters that account for every datagram and every record.
 *
 * A listener counts datagrams: received = decoded + in_assembly + the reasons. A sink counts
 * records: offered = queued + refused, and queued + recovered = written + filtered + evicted +
 * failed + unknown + spilled + in flight. A relay that also passes on undecodable datagrams counts
 * raw_offered = raw_sent + raw_refused. Dead letters count offered = kept + dropped, where offered
 * is the listeners' sum of the reasons that have letters.
 *
 * Each term is counted where its event happens, and is never computed from other terms. A wrong sum
 * therefore reveals a bug, and tests check the sums. After a stop the sums are exact, and in flight
 * is 0. A live snapshot reads sinks before listeners, so that a sink never seems to have been
 * offered more records than were decoded.
 *
 * Each writing thread has its own blocks, on separate cache lines, which the ledger owns until it
 * is destroyed. Only the main thread makes blocks and snapshots; blocks may be read at any time.
 * Listeners and sinks that a reload removes are retired: they stay in the ledger.
 */
#ifndef SLUICE_COLLECTOR_LEDGER_LEDGER_H
#define SLUICE_COLLECTOR_LEDGER_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/counter.h"
#include "collector/base/histogram.h"
#include "collector/ledger/ledger_terms.h"

#define LEDGER_DATAGRAM_REASON(constant, name, letter, what, remedy) REASON_##constant,
#define LEDGER_REFUSAL(constant, name, what, remedy)                 REFUSED_##constant,
#define LEDGER_FAILURE(constant, name, what, remedy)                 FAILED_##constant,
#define LEDGER_DROP(constant, name, what, remedy)                    DROPPED_##constant,

enum datagram_reason { DATAGRAM_REASONS(LEDGER_DATAGRAM_REASON) REASON_COUNT };
enum record_refusal { RECORD_REFUSALS(LEDGER_REFUSAL) REFUSAL_COUNT };
enum record_failure { RECORD_FAILURES(LEDGER_FAILURE) FAILURE_COUNT };
enum dead_letter_drop { DEAD_LETTER_DROPS(LEDGER_DROP) DROP_COUNT };

/*
 * True if a datagram with this reason is offered as a dead letter. Only undecodable datagrams are
 * offered. Datagrams for which there was no memory (an equal datagram may be decoded later), valid
 * datagrams, and datagrams of denied or limited senders (they could fill the file) are not offered.
 */
extern const bool datagram_reason_has_letter[REASON_COUNT];

/* The names in logs, the ledger and the documentation. */
extern const char *const datagram_reason_names[REASON_COUNT];
extern const char *const dead_letter_drop_names[DROP_COUNT];
extern const char *const record_refusal_names[REFUSAL_COUNT];
extern const char *const record_failure_names[FAILURE_COUNT];

/* The meaning of a reason, and a remedy, which may be empty. */
struct reason_text {
    const char *name, *what, *remedy;
};
extern const struct reason_text datagram_reason_texts[REASON_COUNT];
extern const struct reason_text dead_letter_drop_texts[DROP_COUNT];
extern const struct reason_text record_refusal_texts[REFUSAL_COUNT];
extern const struct reason_text record_failure_texts[FAILURE_COUNT];

#define LEDGER_COUNTER(name, ...)          struct counter name;
#define LEDGER_TOTAL(name, ...)            uint64_t name;
#define LEDGER_HISTOGRAM(name, ...)        struct histogram name;
#define LEDGER_HISTOGRAM_TOTALS(name, ...) struct histogram_totals name;

/* The counters of one listener in one receiving thread. */
struct ingest_counters {
    LISTENER_TERMS(LEDGER_COUNTER)
    struct counter reasons[REASON_COUNT];
};

/*
 * The measures of one receiving thread. Its listeners share them, so that they stay in the
 * processor's cache.
 */
struct thread_measures {
    THREAD_MEASURES(LEDGER_HISTOGRAM)
};

/* The records that one receiving thread offered to one sink. */
struct offer_counters {
    OFFER_TERMS(LEDGER_COUNTER)
    struct counter refused[REFUSAL_COUNT];
    struct counter raw_offered, raw_refused; /* the parts of the sink's terms `raw_offered` and
                                              * `raw_refused` that this thread has counted */
};

/* The counters of one sink. The sink's thread writes them, except for in_flight. */
struct sink_counters {
    SINK_TERMS(LEDGER_COUNTER)
    struct counter failed[FAILURE_COUNT];
    SINK_MEASURES(LEDGER_HISTOGRAM)
    _Atomic int64_t in_flight; /* number of records that have no outcome yet; receivers add to it,
                                * the sink subtracts */
};

/*
 * The counters of dead letters: a block for each thread that offers them, and one for the thread
 * that writes them.
 */
struct dead_letter_counters {
    DEAD_LETTER_TERMS(LEDGER_COUNTER)
    struct counter dropped[DROP_COUNT];
};

struct ledger;

/* Returns NULL if out of memory. */
struct ledger *ledger_create(void);
void ledger_destroy(struct ledger *ledger);

/*
 * Add a listener or a sink. Return its index, or -1 if out of memory. Listeners and sinks are each
 * indexed from 0. The texts are copied. `kind` is the name of a row of LISTENER_KINDS. An entry
 * with the same name (and kind of listener) that is neither live nor reserved is used again, with
 * its index and its counts.
 */
int ledger_add_listener(struct ledger *ledger, const char *name, const char *kind,
                        const char *schema);
int ledger_add_sink(struct ledger *ledger, const char *name);

/* Returns true if the sink is neither retired nor cancelled. */
bool ledger_sink_is_live(const struct ledger *ledger, int sink);

/* Change the listener's name, and its schema. Return false if out of memory. */
bool ledger_rename_listener(struct ledger *ledger, int listener, const char *name);
bool ledger_set_schema(struct ledger *ledger, int listener, const char *schema);

/*
 * Makes a retired entry live again, for a sink that continues its counts. From now until it is
 * retired, the sink must be offered every decoded record. To check this, the function notes how
 * many messages were decoded before. ledger_add_sink does the same for a new entry. During the call
 * no thread may be decoding, and all decoded records must have been offered.
 */
void ledger_begin_sink(struct ledger *ledger, int sink);

/*
 * Reserves a retired entry, or ends the reservation. While an entry is reserved, the next sink with
 * the same name gets another entry. Only the sink that takes over the records in the retired sink's
 * spill continues the entry, with ledger_begin_sink.
 */
void ledger_reserve_sink(struct ledger *ledger, int sink, bool reserved);
void ledger_retire_sink(struct ledger *ledger, int sink);

/* Retires a listener: it receives no more; its counts stay in the ledger. */
void ledger_retire_listener(struct ledger *ledger, int listener);

/* Undo ledger_add_listener and ledger_add_sink for an entry that was never used. */
void ledger_cancel_listener(struct ledger *ledger, int listener);
void ledger_cancel_sink(struct ledger *ledger, int sink);

/* How the kernel counts drops of a listener's sockets. All false by default. */
struct drops_kind {
    bool buffers;  /* counts buffers of one or more datagrams (gro=on) instead of datagrams, from
                      now on; dropped_buffers are the drops that were counted in this way */
    bool filtered; /* the count includes datagrams of denied senders (kernel_filter=on) */
};

/*
 * Sets the kind. `filtered` is never cleared: the count continues, and the kernel does not report
 * which of its drops were filtered datagrams.
 */
void ledger_set_drops_kind(struct ledger *ledger, int listener, struct drops_kind kind);

/*
 * Sets whether the datagrams of one sender may arrive at several of the listener's sockets. Their
 * order is then unknown, and the listener has no term `reordered`.
 */
void ledger_set_spread(struct ledger *ledger, int listener, bool spread);

/*
 * Return a block of counters for one thread to write: a new block of zeros, or a returned block
 * with its counts. Return NULL if out of memory.
 */
struct ingest_counters *ledger_ingest_block(struct ledger *ledger, int listener);
struct offer_counters *ledger_offer_block(struct ledger *ledger, int sink);
struct sink_counters *ledger_sink_block(struct ledger *ledger, int sink);

/* Returns a block that its thread will not write again; its counts stay. NULL is allowed. */
void ledger_return_block(void *counters);

/*
 * Returns a new block of zeros for one receiving thread, or NULL if out of memory or if there are
 * already LEDGER_THREADS blocks.
 */
#define LEDGER_THREADS 1024
struct thread_measures *ledger_thread_block(struct ledger *ledger);

/* Adds the file of dead letters. Call it at most once. Returns false if out of memory. */
bool ledger_add_dead_letters(struct ledger *ledger, const char *name);
/* Returns a new block of zeros, or NULL if out of memory. */
struct dead_letter_counters *ledger_dead_letter_block(struct ledger *ledger);

/* A row of LISTENER_KINDS. */
struct listener_kind {
    const char *name;
    bool is_socket;        /* the kernel can drop its datagrams */
    enum ledger_part part; /* the terms that only this kind has, or PART_SEQUENCE */
};
#define LISTENER_KIND_CONSTANT(constant, name, is_socket, part) LISTENER_##constant,
enum { LISTENER_KINDS(LISTENER_KIND_CONSTANT) LISTENER_KIND_COUNT };
extern const struct listener_kind listener_kinds[LISTENER_KIND_COUNT];

/* Sums over the blocks at one time. The snapshot owns the names and schemas. */
struct listener_totals {
    size_t index; /* in the ledger; cancelled listeners leave gaps */
    const char *name, *schema;
    const struct listener_kind *kind;
    bool retired;       /* a reload has removed the listener */
    bool drops_counted; /* false if the system does not count drops; then kernel_drops is 0 */
    struct drops_kind drops;
    bool spread; /* has no term `reordered` */
    LISTENER_TERMS(LEDGER_TOTAL)
    uint64_t reasons[REASON_COUNT];
};

struct thread_totals {
    const char *name; /* number of the thread; the thread with the first block is "0" */
    THREAD_MEASURES(LEDGER_HISTOGRAM_TOTALS)
};

struct sink_totals {
    size_t index; /* in the ledger */
    const char *name;
    bool retired;      /* a reload has removed the sink */
    uint64_t messages; /* messages that all listeners decoded while the sink was live */
    OFFER_TERMS(LEDGER_TOTAL)
    uint64_t refused[REFUSAL_COUNT];
    SINK_TERMS(LEDGER_TOTAL)
    uint64_t failed[FAILURE_COUNT];
    SINK_MEASURES(LEDGER_HISTOGRAM_TOTALS)
    int64_t in_flight;
};

struct dead_letter_totals {
    const char *name; /* NULL if dead letters are not kept */
    DEAD_LETTER_TERMS(LEDGER_TOTAL)
    uint64_t dropped[DROP_COUNT];
};

/* A row of a list of terms, such as LISTENER_TERMS. */
struct ledger_term {
    const char *name;
    size_t counter; /* offset in a block of counters */
    size_t total;   /* offset in the totals */
    enum ledger_part part;
    const char *help;   /* help text of the metric: a sentence */
    const char *remedy; /* what to do; not empty */
};

/* Each list ends with a row whose name is NULL. */
extern const struct ledger_term listener_terms[];
extern const struct ledger_term offer_terms[];
extern const struct ledger_term sink_terms[];
extern const struct ledger_term dead_letter_terms[];

/* A row of a list of measures, such as THREAD_MEASURES. A NULL name ends a list. */
struct ledger_measure {
    const char *name;
    size_t histogram; /* offset in a block */
    size_t total;     /* offset in the totals */
    const uint64_t *bounds;
    const char *metric;
    const char *help;   /* help text of the metric: a sentence */
    const char *remedy; /* what to do; not empty */
};

extern const struct ledger_measure thread_measures[];
extern const struct ledger_measure sink_measures[];

/* Returns true if the listener has this term of `listener_terms`. */
bool ledger_has_term(const struct listener_totals *listener, const struct ledger_term *term);

/* Returns the name under which kernel_drops is printed. It differs with kernel_filter=on. */
const char *ledger_drops_name(const struct listener_totals *listener);

/* Returns the value of the term in a struct listener_totals or struct sink_totals. */
static inline uint64_t ledger_total(const void *totals, const struct ledger_term *term)
{
    return *(const uint64_t *)((const char *)totals + term->total);
}

struct ledger_snapshot {
    bool final;      /* taken after the stop: the sums must hold */
    bool incomplete; /* a thread hangs: its counts are missing, and the sums need not hold */
    int64_t uptime_ns;
    size_t listener_count, sink_count, thread_count;
    struct thread_totals *threads;
    struct listener_totals *listeners;
    struct sink_totals *sinks;
    struct dead_letter_totals dead_letters;
    char *texts; /* all names and schemas */
};

/*
 * Return one more than the highest index of a listener, and of a sink. The rows are sorted by
 * index.
 */
static inline size_t ledger_listener_indexes(const struct ledger_snapshot *snapshot)
{
    size_t count = snapshot->listener_count;
    return count == 0 ? 0 : snapshot->listeners[count - 1].index + 1;
}

static inline size_t ledger_sink_indexes(const struct ledger_snapshot *snapshot)
{
    size_t count = snapshot->sink_count;
    return count == 0 ? 0 : snapshot->sinks[count - 1].index + 1;
}

/*
 * Reads all blocks. Returns NULL if out of memory. The caller frees the snapshot with
 * ledger_snapshot_free. The snapshot has no pointers into the ledger, so it stays valid after a
 * reload.
 */
struct ledger_snapshot *ledger_take_snapshot(const struct ledger *ledger, bool final);
void ledger_snapshot_free(struct ledger_snapshot *snapshot);

/* Returns true if every sum of a final snapshot holds and no record is in flight. */
bool ledger_balances(const struct ledger_snapshot *snapshot);

#endif
