/*
 * Tracks the blocks in flight ("flights") of a `kafka:` sink: which records wait, which records
 * librdkafka has, and the outcome of each record, from librdkafka's reports.
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

/* The maximum number of blocks in flight. */
#define KAFKA_FLIGHTS ((size_t)64)

/* The maximum size of a message without its value and key, in bytes. */
#define KAFKA_MESSAGE_HEAD ((size_t)80)

struct kafka_flight {
    struct delivery_block *block; /* NULL: unused */
    bool open;                    /* a record has no outcome yet */
    size_t waiting;               /* number of records to hand over to the library */
    size_t unreported;            /* number of messages that the library has */
    size_t messages,
        bytes;          /* number and bytes of the messages handed over since kafka_flights_begin */
    int64_t handed_ns;  /* monotonic: when kafka_flights_begin was called */
    uint64_t order;     /* later flights have higher numbers */
    int64_t until_ns;   /* monotonic: until when the block may wait to be handed over */
    struct error error; /* error of the first message that was not acknowledged; or empty */
};

struct kafka_flights {
    bool per_block;
    size_t most; /* maximum number of flights, ≤ KAFKA_FLIGHTS */
    struct delivery_figures *figures;

    struct kafka_flight all[KAFKA_FLIGHTS];
    uint64_t last_order;
    size_t handed;     /* number of flights of which the library has messages */
    size_t unreported; /* number of messages of those flights, including reported messages */
    size_t done[KAFKA_FLIGHTS]; /* ring of the finished flights, in the order in which they ended */
    size_t done_at, done_count;

    /*
     * The maximum messages and bytes that the library had at the same time, since it last had none.
     */
    size_t group_messages, group_bytes;
};

/* Adds a block, which may wait until `until_ns` (monotonic). Returns false if there is no room. */
bool kafka_flights_put(struct kafka_flights *flights, struct delivery_block *block,
                       int64_t until_ns);

/*
 * Returns the oldest waiting flight of which the library has no message, or KAFKA_FLIGHTS if there
 * is none.
 */
size_t kafka_flights_first_waiting(const struct kafka_flights *flights);

/* To be called before messages of the flight are handed over. */
void kafka_flights_begin(struct kafka_flights *flights, size_t at);

/*
 * Makes the next message, of at most `most` bytes, from the waiting records at or after *from. Sets
 * *from to the record after the message. The message counts as handed over, with `token`. Returns
 * false if no record waits.
 */
bool kafka_flights_next(struct kafka_flights *flights, size_t at, size_t *from, size_t most,
                        struct record_range *range, void **token);

/* For a message that was not handed over after all: its records wait again. */
void kafka_flights_return(struct kafka_flights *flights, void *token);

/* To be called after messages of the flight were handed over. */
void kafka_flights_end(struct kafka_flights *flights, size_t at);

/*
 * Processes the report of a message. If its records must be sent again in smaller requests, returns
 * the name of their topic, otherwise NULL. Ignores a second report and a report for an abandoned
 * flight.
 */
const char *kafka_flights_complete(struct kafka_flights *flights, void *token,
                                   const struct kafka_outcome *outcome);

/* Ends the flight. Its waiting records get `outcome`. */
void kafka_flights_refuse(struct kafka_flights *flights, size_t at,
                          const struct kafka_outcome *outcome);

/* Ends the waiting flights whose time is over. */
void kafka_flights_expire(struct kafka_flights *flights, int64_t now_ns);

/*
 * Returns when to call kafka_flights_take or kafka_flights_expire (monotonic), or INT64_MAX if only
 * after the next report.
 */
int64_t kafka_flights_due(const struct kafka_flights *flights);

/*
 * Ends all flights and ignores later reports. Calls `lend` for the block of each flight of which
 * the library still has messages.
 */
void kafka_flights_abandon(struct kafka_flights *flights,
                           void (*lend)(void *context, struct delivery_block *block),
                           void *context);

/* Returns the next finished block, or NULL. */
struct delivery_block *kafka_flights_take(struct kafka_flights *flights, struct error *error);

#endif
