/*
 * The blocks of a kafka sink: which records wait, which the library has, and what its reports mean
 * for them.
 *
 * A message is a record, or, with `per_block`, the records of a block that fit into one message. A
 * broker that refuses a request as too large refuses all messages in it. These messages are sent
 * again in smaller requests, until a refused message is a single record and was the only one of its
 * request. Only the sink's thread uses this.
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

/* The maximum number of blocks in flight at a time. */
#define KAFKA_FLIGHTS ((size_t)64)

/* The maximum number of bytes of a message in addition to its value and key. */
#define KAFKA_MESSAGE_HEAD ((size_t)80)

struct kafka_flight {
    struct delivery_block *block; /* NULL: none */
    bool open;                    /* some record has no outcome yet */
    size_t waiting;               /* records that have to be handed over */
    size_t unreported;            /* messages that the library has */
    size_t messages, bytes;       /* messages handed over since kafka_flights_begin, and their
                                     bytes */
    int64_t handed_ns;            /* when kafka_flights_begin was called; monotonic */
    uint64_t order;               /* later flights have higher numbers */
    int64_t until_ns;             /* end of the block's wait to be handed over; monotonic */
    struct error error;           /* the error of the first message that was not acknowledged; or
                                     empty */
};

struct kafka_flights {
    bool per_block;
    size_t most; /* the maximum number of flights at a time, ≤ KAFKA_FLIGHTS */
    struct delivery_figures *figures;

    struct kafka_flight all[KAFKA_FLIGHTS];
    uint64_t last_order;
    size_t handed;              /* flights of which the library has messages */
    size_t unreported;          /* messages of those flights, also reported ones */
    size_t done[KAFKA_FLIGHTS]; /* a ring of flights of which all records have outcomes, in the
                                   order in which they ended */
    size_t done_at, done_count;

    /*
     * The largest numbers of messages and bytes that the library had at the same time, since it
     * last had no message.
     */
    size_t group_messages, group_bytes;
};

/* Adds a block that waits until `until_ns` (monotonic). Returns false if there is no room. */
bool kafka_flights_put(struct kafka_flights *flights, struct delivery_block *block,
                       int64_t until_ns);

/* Returns the oldest waiting flight of which the library has no message; KAFKA_FLIGHTS: none. */
size_t kafka_flights_first_waiting(const struct kafka_flights *flights);

/* To be called before messages of the flight are handed over. */
void kafka_flights_begin(struct kafka_flights *flights, size_t at);

/*
 * Makes the next message, of at most `most` bytes, beginning at record *from or after it. Sets
 * *from to the record after the message. The message counts as handed over, with `token`. Returns
 * false if no record waits.
 */
bool kafka_flights_next(struct kafka_flights *flights, size_t at, size_t *from, size_t most,
                        struct record_range *range, void **token);

/* Takes back a message that was not handed over after all: its records wait again. */
void kafka_flights_return(struct kafka_flights *flights, void *token);

/* To be called after the messages were handed over. */
void kafka_flights_end(struct kafka_flights *flights, size_t at);

/*
 * Processes the report of a message. If its records must be sent again in smaller requests, returns
 * the name of their topic, else NULL. A second report, or a report for an abandoned flight, is
 * ignored.
 */
const char *kafka_flights_complete(struct kafka_flights *flights, void *token,
                                   const struct kafka_outcome *outcome);

/* Ends the flight. Its waiting records get the outcome `outcome`. */
void kafka_flights_refuse(struct kafka_flights *flights, size_t at,
                          const struct kafka_outcome *outcome);

/* Ends the waiting flights whose time is over, so that their blocks are given back. */
void kafka_flights_expire(struct kafka_flights *flights, int64_t now_ns);

/*
 * Returns when a block can be taken or expires (monotonic); INT64_MAX: not before the next report.
 */
int64_t kafka_flights_due(const struct kafka_flights *flights);

/*
 * Ends all flights and ignores later reports. Calls `lend` for each flight of which the library
 * still has messages.
 */
void kafka_flights_abandon(struct kafka_flights *flights,
                           void (*lend)(void *context, struct delivery_block *block),
                           void *context);

/* Returns the next block of which all records have outcomes, or NULL. */
struct delivery_block *kafka_flights_take(struct kafka_flights *flights, struct error *error);

#endif
