/*
 * The blocks of a kafka sink: which records wait, which the library has, and what its reports mean
 * for them.
 *
 * A message is a record, or, with `per_block`, the records of a block that fit into one message. A
 * broker that refuses a request as too large refuses all messages in it. They are sent again in
 * smaller requests, until a refused message is a single record and was the only one of its request.
 * Only the sink's thread uses this.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_FLIGHTS_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_FLIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/delivery.h"
#include "collector/contract/delivery_figures.h"
#include "sinks/destinations/kafka_outcome.h"
#include "sinks/destinations/record_range.h"

/* The most blocks at a time. */
#define KAFKA_FLIGHTS ((size_t)64)

/* The most bytes of a message in addition to its value and key. */
#define KAFKA_MESSAGE_HEAD ((size_t)80)

struct kafka_flight {
    struct delivery_block *block; /* NULL: none */
    bool open;                    /* some record has no outcome yet */
    size_t waiting;               /* records that have to be handed over */
    size_t unreported;            /* messages that the library has */
    size_t messages, bytes;       /* handed over since all earlier ones were reported */
    int64_t handed_ns;            /* the time of that; monotonic */
    uint64_t order;               /* later flights have higher numbers */
    int64_t until_ns;             /* if it still waits then, it is given back; monotonic */
    struct error error;           /* of the first message that was not acknowledged; or empty */
};

struct kafka_flights {
    bool per_block;
    size_t most; /* flights at a time, ≤ KAFKA_FLIGHTS */
    struct delivery_figures *figures;

    struct kafka_flight all[KAFKA_FLIGHTS];
    uint64_t last_order;
    size_t handed;              /* flights of which the library has messages */
    size_t unreported;          /* messages of those flights that were handed over */
    size_t done[KAFKA_FLIGHTS]; /* flights with all outcomes, the first done first: a ring */
    size_t done_at, done_count;

    /* The most messages and bytes that the library had at a time, since all were reported. */
    size_t group_messages, group_bytes;
};

/* Adds a block that waits until `until_ns` (monotonic). Returns false if there is no room. */
bool kafka_flights_put(struct kafka_flights *flights, struct delivery_block *block,
                       int64_t until_ns);

/* The oldest waiting flight of which the library has no message; KAFKA_FLIGHTS: none. */
size_t kafka_flights_first_waiting(const struct kafka_flights *flights);

/* To be called before messages of the flight are handed over. */
void kafka_flights_begin(struct kafka_flights *flights, size_t at);

/*
 * The next message of at most `most` bytes, from the record *from on; *from is set to the record
 * after it. Returns false if there is none. The message counts as handed over, with `token`.
 */
bool kafka_flights_next(struct kafka_flights *flights, size_t at, size_t *from, size_t most,
                        struct record_range *range, void **token);

/* That message is not handed over after all: its records wait. */
void kafka_flights_return(struct kafka_flights *flights, void *token);

/* To be called after the messages were handed over. */
void kafka_flights_end(struct kafka_flights *flights, size_t at);

/*
 * A message is reported. If its records must be sent again in smaller requests, returns the name of
 * their topic, else NULL. A second report, or one of an abandoned flight, is ignored.
 */
const char *kafka_flights_complete(struct kafka_flights *flights, void *token,
                                   const struct kafka_outcome *outcome);

/* Ends the flight: the records that wait get that outcome. */
void kafka_flights_refuse(struct kafka_flights *flights, size_t at,
                          const struct kafka_outcome *outcome);

/* Gives back the waiting flights whose time is over. */
void kafka_flights_expire(struct kafka_flights *flights, int64_t now_ns);

/* When a block can be taken or expires (monotonic); INT64_MAX: not before the next report. */
int64_t kafka_flights_due(const struct kafka_flights *flights);

/*
 * Ends all flights and ignores later reports. Calls `lend` for each flight of which the library
 * still has messages.
 */
void kafka_flights_abandon(struct kafka_flights *flights,
                           void (*lend)(void *context, struct delivery_block *block),
                           void *context);

/* The next block with all outcomes, or NULL. */
struct delivery_block *kafka_flights_take(struct kafka_flights *flights, struct error *error);

#endif
