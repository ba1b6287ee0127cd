/*
 * The state of a collector at one moment, read from JSON: its ledger, levels, senders and health.
 *
 * A model owns all memory that it points to. One thread.
 */
#ifndef SLUICE_TOOLS_TOP_MODEL_H
#define SLUICE_TOOLS_TOP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* A named count, such as a reason. */
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
    const char *drops_name; /* the ledger's name of kernel_drops; another one with a filter */
    struct model_counts reasons;
    bool has_connections; /* the members below are set */
    uint64_t connections, open, answers;
    uint64_t closed;      /* by the client, after a whole frame */
    uint64_t turned_away; /* denied, or over a limit */
    uint64_t broken;      /* all other ends except a stop */
};

/* The state of a sink by the collector's health report; the worst last. */
enum model_state {
    MODEL_OK,
    MODEL_BEHIND,  /* it has refused or evicted records in the last minute */
    MODEL_STALLED, /* its destination accepts no data */
    MODEL_FAILING, /* writes to its destination fail */
    MODEL_ENDED,
};

struct model_sink {
    const char *name;
    enum model_state state;
    uint64_t written, bytes, filtered, evicted, unknown, spilled;
    uint64_t write_errors; /* failed attempts; retried if possible */
    int64_t in_flight;
    struct model_counts refused, failed;
};

/* A sink that is a delivery; `figures` has only those that its destination reports. */
struct model_delivery {
    const char *name;
    double oldest;        /* seconds that its oldest record has waited for an answer */
    uint64_t spill_bytes; /* on disk */
    struct model_counts figures;
};

/* A host at a listener. */
struct model_sender {
    const char *listener, *address;
    uint64_t datagrams, bytes;
    bool numbered; /* it numbers its datagrams: the members below are known */
    uint64_t lost; /* including those that are missing but may still arrive */
    uint64_t duplicated;
};

/* A sender with losses, by the name that it gives itself. */
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
    uint64_t replaced; /* senders evicted from the collector's table */
    void *ledger_text, *levels_text, *senders_text, *health_text;
};

struct model_answer {
    const char *text;
    size_t size; /* bytes */
};

/* The answers to the requests of these names. */
struct model_answers {
    struct model_answer ledger, levels, senders, health;
};

/*
 * Reads the answers; unknown members are ignored. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_BAD_INPUT).
 */
int model_read(struct model *model, const struct model_answers *answers, struct error *error);

/* Frees its memory and sets it to zero. A zero model is allowed. */
void model_clear(struct model *model);

/* The count of that name, or NULL. */
const uint64_t *model_find(const struct model_counts *counts, const char *name);

/* The sum of the counts. */
uint64_t model_sum(const struct model_counts *counts);

#endif
