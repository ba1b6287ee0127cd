/*
 * What the collector said of itself at one moment: its ledger, its levels, its senders and its
 * health, read from JSON.
 *
 * A model owns all that it points to. One thread.
 */
#ifndef SLUICE_TOOLS_TOP_MODEL_H
#define SLUICE_TOOLS_TOP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* A reason and how often it was given. */
struct model_count {
    const char *name;
    uint64_t value;
};

struct model_counts {
    struct model_count *items;
    size_t count;
};

/* The terms are those of collector/ledger/ledger.h. */
struct model_listener {
    const char *name;
    uint64_t received, bytes, decoded, kernel_drops, lost, duplicated;
    const char *drops_name; /* what the ledger calls kernel_drops: more than drops may be in it */
    struct model_counts reasons;
    bool has_connections; /* the next ones are those of its connections */
    uint64_t connections, open, answers;
    uint64_t closed;      /* by the client, after a whole frame */
    uint64_t turned_away; /* as they were denied, or too many */
    uint64_t broken;      /* all other ends but a stop */
};

/* How a sink does, as the collector's health says it; the worst last. */
enum model_state {
    MODEL_OK,
    MODEL_BEHIND,  /* it has refused or evicted records in the last minute */
    MODEL_STALLED, /* its destination takes nothing */
    MODEL_FAILING, /* its destination's writes fail */
    MODEL_ENDED,
};

struct model_sink {
    const char *name;
    enum model_state state;
    uint64_t written, bytes, filtered, evicted, unknown, spilled;
    uint64_t write_errors; /* what was refused or broke, and is tried again where it can be */
    int64_t in_flight;
    struct model_counts refused, failed;
};

/* A sink that delivers, and what it says of its far end; what it does not say is NULL there. */
struct model_delivery {
    const char *name;
    double oldest;        /* seconds that its oldest record has waited for its answer */
    uint64_t spill_bytes; /* that lie on disk */
    struct model_counts figures;
};

/* A host at a listener. */
struct model_sender {
    const char *listener, *address;
    uint64_t datagrams, bytes;
    bool numbered; /* it numbers its datagrams: the next two are known */
    uint64_t lost; /* those included that are missing and may still come */
    uint64_t duplicated;
};

/* Whoever lost something, by its own name. */
struct model_loser {
    const char *listener, *address, *name;
    uint64_t lost, duplicated;
};

struct model {
    double uptime; /* seconds */
    struct model_listener *listeners;
    struct model_sink *sinks;
    struct model_delivery *deliveries;
    struct model_sender *senders;
    struct model_loser *losers;
    size_t listener_count, sink_count, delivery_count, sender_count, loser_count;
    uint64_t replaced; /* senders that were pushed out of the collector's table */
    void *ledger_text, *levels_text, *senders_text, *health_text;
};

/* An answer of the collector. */
struct model_answer {
    const char *text;
    size_t size; /* bytes */
};

/* The answers to the requests of these names. */
struct model_answers {
    struct model_answer ledger, levels, senders, health;
};

/*
 * Reads the answers. What the collector may say beside what is wanted here is passed over. Returns
 * 0, or -1 with `error` filled (EXIT_CODE_BAD_INPUT).
 */
int model_read(struct model *model, const struct model_answers *answers, struct error *error);

/* Frees what it holds and leaves it all zero; allowed on one that is. */
void model_clear(struct model *model);

/* The count of that name, or NULL. */
const uint64_t *model_find(const struct model_counts *counts, const char *name);

/* The sum of the counts. */
uint64_t model_sum(const struct model_counts *counts);

#endif
