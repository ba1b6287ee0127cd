/*
 * The ledger: the counters that account for every datagram and every record.
 *
 * A listener counts datagrams: received = decoded + the reasons. A sink counts records:
 * offered = queued + refused, queued + recovered = written + filtered + evicted + failed + unknown
 * + spilled + in flight. Where it also passes on what could not be decoded, these datagrams are
 * raw_offered = raw_sent + raw_refused. Where dead letters are kept, they are offered = kept +
 * dropped, offered being what the listeners counted under the reasons that have letters. Each term
 * is raised where its event happens and none is computed from others, so the sums can fail, and
 * tests check that they do not. After a stop they are exact and in flight is 0; a live snapshot
 * reads sinks before listeners, so that a sum is never more than what was received.
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
 * Whether a datagram with this reason is offered as a dead letter: what could not be decoded. Not
 * what we had no memory for: the next one like it would be decoded. Nor what is in order, nor what
 * came from who may not send, or not so much: they could fill the file in place of those who may.
 */
extern const bool datagram_reason_has_letter[REASON_COUNT];

/* The names that logs, the ledger and the documentation use. */
extern const char *const datagram_reason_names[REASON_COUNT];
extern const char *const dead_letter_drop_names[DROP_COUNT];
extern const char *const record_refusal_names[REFUSAL_COUNT];
extern const char *const record_failure_names[FAILURE_COUNT];

/* What a reason means and what to do about it (empty: nothing), for people. */
struct reason_text {
    const char *name, *what, *remedy;
};
extern const struct reason_text datagram_reason_texts[REASON_COUNT];
extern const struct reason_text dead_letter_drop_texts[DROP_COUNT];
extern const struct reason_text record_refusal_texts[REFUSAL_COUNT];
extern const struct reason_text record_failure_texts[FAILURE_COUNT];

#define LEDGER_COUNTER(name, part, help)                    struct counter name;
#define LEDGER_TOTAL(name, part, help)                      uint64_t name;
#define LEDGER_HISTOGRAM(name, bounds, metric, help)        struct histogram name;
#define LEDGER_HISTOGRAM_TOTALS(name, bounds, metric, help) struct histogram_totals name;

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
    struct counter raw_offered, raw_refused; /* parts of the sink's terms of these names */
};

/* Of one sink, written by its own thread. */
struct sink_counters {
    SINK_TERMS(LEDGER_COUNTER)
    struct counter failed[FAILURE_COUNT];
    SINK_MEASURES(LEDGER_HISTOGRAM)
    _Atomic int64_t in_flight; /* queued, fate not known; raised by receivers, lowered here */
};

/* Of dead letters, a block for each thread that offers them and one for that which writes. */
struct dead_letter_counters {
    DEAD_LETTER_TERMS(LEDGER_COUNTER)
    struct counter dropped[DROP_COUNT];
};

struct ledger;

/* Returns NULL where memory is short. */
struct ledger *ledger_create(void);
void ledger_destroy(struct ledger *ledger);

/*
 * Adds a listener or a sink, named as in the configuration (the text is copied), and returns its
 * index, counted from 0 for each of the two; or -1 where memory is short. `kind` is the name of one
 * of LISTENER_KINDS; `schema` is copied too. One of that name that was retired goes on counting
 * where it ended, under its old index.
 */
int ledger_add_listener(struct ledger *ledger, const char *name, const char *kind,
                        const char *schema);
int ledger_add_sink(struct ledger *ledger, const char *name);

/* Whether it was added, and not retired or cancelled since. */
bool ledger_sink_is_live(const struct ledger *ledger, int sink);

/* Its name or its schema is another one from now on. Returns false where memory is short. */
bool ledger_rename_listener(struct ledger *ledger, int listener, const char *name);
bool ledger_set_schema(struct ledger *ledger, int listener, const char *schema);

/*
 * A sink is offered what is decoded from this moment on, until the moment when it is retired; where
 * this is not said, since it was added. At such a moment nobody may be decoding, and all that was
 * decoded before has been offered. One that was retired at the same moment is live again: what
 * comes in its place counts on in its entry.
 */
void ledger_begin_sink(struct ledger *ledger, int sink);

/*
 * A reserved entry that is not live is not given to the next sink of its name, but only to the sink
 * whose records are still counted in it, which comes back by ledger_begin_sink.
 */
void ledger_reserve_sink(struct ledger *ledger, int sink, bool reserved);
void ledger_retire_sink(struct ledger *ledger, int sink);

/* Nothing more will be received; what is counted stays in the ledger. */
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

/* Whether any of its sockets receives any of a sender's datagrams: nothing is `reordered` then. */
void ledger_set_spread(struct ledger *ledger, int listener, bool spread);

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
bool ledger_add_dead_letters(struct ledger *ledger, const char *name);
/* A new block, as above. */
struct dead_letter_counters *ledger_dead_letter_block(struct ledger *ledger);

/* What a listener is: a row of LISTENER_KINDS. */
struct listener_kind {
    const char *name;
    bool is_socket;        /* the kernel can drop what comes for it */
    enum ledger_part part; /* of the terms that it has alone; PART_SEQUENCE: none */
};
#define LISTENER_KIND_CONSTANT(constant, name, is_socket, part) LISTENER_##constant,
enum { LISTENER_KINDS(LISTENER_KIND_CONSTANT) LISTENER_KIND_COUNT };
extern const struct listener_kind listener_kinds[LISTENER_KIND_COUNT];

/* Plain sums over the blocks, at one moment. The names and schemas are the snapshot's own. */
struct listener_totals {
    size_t index; /* in the ledger, which may skip some that nothing came of */
    const char *name, *schema;
    const struct listener_kind *kind;
    bool retired;       /* it receives nothing any more */
    bool drops_counted; /* else kernel_drops is 0, whatever was dropped */
    struct drops_kind drops;
    bool spread; /* it has no term `reordered` */
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

struct dead_letter_totals {
    const char *name; /* NULL: none are kept */
    DEAD_LETTER_TERMS(LEDGER_TOTAL)
    uint64_t dropped[DROP_COUNT];
};

/* A row of a list as data: where the term stands in a block of counters, and in the totals. */
struct ledger_term {
    const char *name;
    size_t counter;
    size_t total;
    enum ledger_part part;
    const char *help; /* a sentence, for people */
};

/* The lists, each with a row without a name at its end. */
extern const struct ledger_term listener_terms[];
extern const struct ledger_term offer_terms[];
extern const struct ledger_term sink_terms[];
extern const struct ledger_term dead_letter_terms[];

/* The same of the measures; `name` NULL at the end. */
struct ledger_measure {
    const char *name;
    size_t histogram;
    size_t total;
    const uint64_t *bounds;
    const char *metric;
    const char *help; /* a sentence, for people */
};

extern const struct ledger_measure thread_measures[];
extern const struct ledger_measure sink_measures[];

/* Whether a term of `listener_terms` says something of listeners like this one. */
bool ledger_has_term(const struct listener_totals *listener, const struct ledger_term *term);

/* What kernel_drops are printed as: another name where not all were lost to a full buffer. */
const char *ledger_drops_name(const struct listener_totals *listener);

/* The term's value in a struct listener_totals or struct sink_totals. */
static inline uint64_t ledger_total(const void *totals, const struct ledger_term *term)
{
    return *(const uint64_t *)((const char *)totals + term->total);
}

struct ledger_snapshot {
    bool final;      /* the last one: taken after the stop, the sums must hold */
    bool incomplete; /* but a thread hangs: what it does is not in it, and the sums need not hold */
    int64_t uptime_ns;
    size_t listener_count, sink_count, thread_count;
    struct thread_totals *threads;
    struct listener_totals *listeners;
    struct sink_totals *sinks;
    struct dead_letter_totals dead_letters;
    char *texts; /* all names and schemas */
};

/* One more than the highest index of a listener, or of a sink: indexes rise from row to row. */
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
 * Reads all blocks. Returns NULL where memory is short; freed with ledger_snapshot_free. It refers
 * to nothing of the ledger, and remains valid over a reload.
 */
struct ledger_snapshot *ledger_take_snapshot(const struct ledger *ledger, bool final);
void ledger_snapshot_free(struct ledger_snapshot *snapshot);

/* Whether every sum of a final snapshot holds and nothing is in flight. */
bool ledger_balances(const struct ledger_snapshot *snapshot);

#endif
