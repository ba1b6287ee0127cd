/*
 * Reads the state of a collector at one time from JSON: its ledger, levels, senders and health. A
 * model owns all memory to which it points. One thread.
 */
#ifndef SLUICE_TOOLS_TOP_MODEL_H
#define SLUICE_TOOLS_TOP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* A count with a name, such as a reason. */
struct model_count {
    const char *name;
    uint64_t value;
};

struct model_counts {
    struct model_count *items;
    size_t count;
};

/* A listener. The terms are those of collector/ledger/ledger.h. */
struct model_listener {
    const char *name;
    uint64_t received, bytes, decoded, kernel_drops, lost, duplicated;
    /* The name of `kernel_drops` in the ledger, which is different if the socket has a filter. */
    const char *drops_name;
    struct model_counts reasons;
    bool has_connections; /* the members below are set */
    uint64_t connections, open, answers;
    uint64_t closed;      /* closed by the client after a complete frame */
    uint64_t turned_away; /* denied, or over a limit */
    uint64_t broken;      /* ended in another way, except by a stop of the collector */
    bool in_trouble;      /* a reason of the health report is about it */
};

/* The state of a sink in the collector's health report, from the best to the worst. */
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
    uint64_t series_refused, out_of_time; /* in samples; 0 from older collectors */
    uint64_t write_errors;                /* failed attempts to write; repeated if possible */
    int64_t in_flight;
    double fill; /* used share of its queue; at 1 it refuses records; negative: unknown */
    struct model_counts refused, failed;
};

/* A reason of the health report. Missing texts are empty, and missing numbers 0. */
struct model_reason {
    const char *word, *about, *error; /* `about`: name of the listener or sink */
    double seconds;
    uint64_t count;
    uint64_t limit; /* if not 0, `count` is in bytes, and this is its maximum */
};

/*
 * A sink that delivers blocks to a server. `figures` has those figures that its destination
 * reports.
 */
struct model_delivery {
    const char *name;
    double oldest;        /* seconds that its oldest record has waited for an answer */
    uint64_t spill_bytes; /* in its spill on disk */
    struct model_counts figures;
};

/* A host that sends to a listener. */
struct model_sender {
    const char *listener, *address;
    uint64_t datagrams, bytes;
    bool numbered; /* it numbers its datagrams, so the members below are known */
    uint64_t lost; /* with missing datagrams that can still arrive */
    uint64_t duplicated;
};

/* A sender with losses. `name` is from its own datagrams. */
struct model_loser {
    const char *listener, *address, *name;
    uint64_t lost, duplicated;
};

/*
 * A sender or a label that adds series to a sink, or a sender with samples outside of the time
 * limits.
 */
struct model_growth {
    const char *sink, *name;
    const char *kind;        /* "sender", "label" or "clock" */
    uint64_t refused, added; /* "sender": samples of refused series; new series */
    uint64_t values;         /* "label": number of different values */
    uint64_t out_of_time;    /* "clock": samples outside of the time limits */
};

struct model {
    double uptime;                /* seconds */
    const char *status;           /* of the health report */
    struct model_reason *reasons; /* the most important first */
    size_t reason_count;
    struct model_listener *listeners;
    struct model_sink *sinks;
    struct model_delivery *deliveries;
    struct model_sender *senders;
    struct model_loser *losers;
    struct model_growth *growths;
    size_t growth_count;
    size_t listener_count, sink_count, delivery_count, sender_count, loser_count;
    uint64_t replaced; /* number of senders that the collector's table has replaced */
    void *ledger_text, *levels_text, *senders_text, *health_text;
};

struct model_answer {
    const char *text;
    size_t size; /* bytes */
};

/* The collector's answers, each under the name of its request. */
struct model_answers {
    struct model_answer ledger, levels, senders, health;
};

/*
 * Reads the answers into a model. Ignores unknown members. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_BAD_INPUT).
 */
int model_read(struct model *model, const struct model_answers *answers, struct error *error);

/* Frees the model's memory and zeroes the model. A zeroed model is allowed. */
void model_clear(struct model *model);

/* Returns the value of the count with this name, or NULL. */
const uint64_t *model_find(const struct model_counts *counts, const char *name);

uint64_t model_sum(const struct model_counts *counts);

#endif
