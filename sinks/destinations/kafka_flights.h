/*
 * The blocks that a kafka sink has taken: what of them waits, what the library has, and what its
 * reports mean for their records.
 *
 * A message is a record, or, with `per_block`, as many records of a block as fit into one. A broker
 * that refuses a request as too large refuses all messages in it, and so they are all sent again,
 * less at a time, until one that is refused is a single record and was the only message. Only the
 * sink's thread.
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

/* Blocks at a time, at most. */
#define KAFKA_FLIGHTS ((size_t)64)

/* The most bytes of a message in addition to its value and key. */
#define KAFKA_MESSAGE_HEAD ((size_t)80)

/* A block that was taken. */
struct kafka_flight {
    struct delivery_block *block; /* NULL: none */
    bool open;                    /* some record of it has no fate yet */
    size_t waiting;               /* records that are to be handed over */
    size_t unreported;            /* messages that the library has */
    size_t messages, bytes;       /* that it was given since it had none of this block */
    int64_t handed_ns;            /* when */
    uint64_t order;               /* later flights have higher numbers */
    int64_t until_ns;             /* while it waits: when it is given back */
    struct error error;           /* of the first message that was not acknowledged; empty: none */
};

struct kafka_flights {
    bool per_block;
    size_t most; /* flights at a time */
    struct delivery_figures *figures;

    struct kafka_flight all[KAFKA_FLIGHTS];
    uint64_t last_order;
    size_t handed;              /* flights that the library has messages of */
    size_t unreported;          /* messages that it was given, of those flights */
    size_t done[KAFKA_FLIGHTS]; /* flights with all fates, in the order of these: a ring */
    size_t done_at, done_count;

    /* Since the library had nothing: the most messages and bytes that it had at a time. */
    size_t group_messages, group_bytes;
};

/* Takes a block that waits until then. Returns false where there is no room. */
bool kafka_flights_put(struct kafka_flights *flights, struct delivery_block *block,
                       int64_t until_ns);

/* The first flight that waits and that the library has nothing of; KAFKA_FLIGHTS: no flight. */
size_t kafka_flights_first_waiting(const struct kafka_flights *flights);

/* The library is about to be given messages of the flight. */
void kafka_flights_begin(struct kafka_flights *flights, size_t at);

/*
 * The next message of it with at most `most` bytes, from the record *from on, which is moved past
 * it. Returns false when there is none. It counts as given to the library, with `token`.
 */
bool kafka_flights_next(struct kafka_flights *flights, size_t at, size_t *from, size_t most,
                        struct record_range *range, void **token);

/* The same message is not given yet: it waits. */
void kafka_flights_return(struct kafka_flights *flights, void *token);

/* All that is given now was given. */
void kafka_flights_end(struct kafka_flights *flights, size_t at);

/*
 * The message has its report; a second one, or one of a flight that was given up, changes nothing.
 * Returns the name of the topic that took too much at a time, where its records wait again for
 * that; NULL: it did not.
 */
const char *kafka_flights_complete(struct kafka_flights *flights, void *token,
                                   const struct kafka_outcome *outcome);

/* Ends the flight: the records that wait get that outcome. */
void kafka_flights_refuse(struct kafka_flights *flights, size_t at,
                          const struct kafka_outcome *outcome);

/* Those that wait and whose time is over are given back. */
void kafka_flights_expire(struct kafka_flights *flights, int64_t now_ns);

/* When there is one to be taken or given back; INT64_MAX: a report will say. */
int64_t kafka_flights_due(const struct kafka_flights *flights);

/*
 * No further report counts. Each flight that the library still has messages of is handed to `lend`.
 */
void kafka_flights_abandon(struct kafka_flights *flights,
                           void (*lend)(void *context, struct delivery_block *block),
                           void *context);

/* The next block with all fates, or NULL. */
struct delivery_block *kafka_flights_take(struct kafka_flights *flights, struct error *error);

#endif
