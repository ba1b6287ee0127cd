/*
 * Tracks the messages of the blocks in flight ("flights") of a `nats:` sink: which message is
 * published next, which messages wait for answers, and which blocks are done. Independent of
 * connections.
 *
 * The sink's thread adds and removes blocks, the publisher's thread publishes, and the library's
 * thread delivers answers. Each holds the publisher's lock. The outcome of a published message is
 * unknown until its answer. A token in the answer names the message. An answer that comes too late
 * or twice is ignored.
 *
 * A message is a record, or, with `per_block`, the block. A block is halved until each part is
 * within the server's limit, and further if a stream refuses a message as too large, down to single
 * records. A block that is sent again is divided as finely as before, even if the limit has been
 * raised, so that its messages have the same IDs.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_NATS_FLIGHTS_H
#define SLUICE_SINKS_DESTINATIONS_NATS_FLIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/delivery.h"
#include "sinks/destinations/nats_token.h"
#include "sinks/destinations/record_range.h"

/* The maximum number of blocks in flight. */
#define NATS_FLIGHTS 64

struct nats_flight {
    struct delivery_block *block; /* NULL: unused */
    uint64_t order;               /* later flights have higher numbers; part of the token */
    size_t waiting;               /* number of records to publish */
    size_t unanswered;            /* number of published messages without an answer */
    bool published;               /* at least one message was published */
    int64_t begun_ns;   /* when the first message was published; all times here are monotonic */
    size_t at;          /* no record before this index waits to be published */
    int64_t until_ns;   /* the block is done at this time, even without all answers */
    bool done;          /* the block can be taken out */
    struct error error; /* error of the first message that was not acknowledged; or empty */
};

/*
 * NATS_LIMITS: number of subjects whose limits are remembered. A limit is forgotten after
 * NATS_LIMIT_LASTS_NS, because the server's limit may have been raised.
 */
#define NATS_LIMITS         ((size_t)16)
#define NATS_LIMIT_LASTS_NS (INT64_C(600) * 1000000000)

/* The maximum size of a message, learned from a stream's refusals. */
struct nats_limit {
    char subject[DELIVERY_ROUTE_SIZE];
    size_t most;      /* in bytes */
    int64_t until_ns; /* when the limit is forgotten */
};

struct nats_flights {
    bool per_block; /* a message is a block; otherwise a record */
    size_t most; /* the server's limit for a message of several records in bytes, or 0 if unknown */
    struct nats_limit limits[NATS_LIMITS]; /* a ring */
    size_t learned;                        /* number of limits ever added */
    int64_t now_ns;                        /* time of the last publication */
    int64_t unsent_ns;                     /* how long a block may wait to be published */
    int64_t unanswered_ns;                 /* how long a published block may wait for answers */
    uint64_t last_order;
    size_t unanswered;     /* published messages without an answer, of flights that are not done */
    int64_t last_begun_ns; /* begun_ns of the block taken out last; 0 if it lacked answers */
    struct nats_flight all[NATS_FLIGHTS];
};

/* Adds a block. Returns false if there is no room. */
bool nats_flights_put(struct nats_flights *flights, struct delivery_block *block, int64_t now_ns);

/*
 * Sets *token to the next message, which counts as published from now on. Returns false if no
 * record waits.
 */
bool nats_flights_next(struct nats_flights *flights, struct nats_token *token, int64_t now_ns);

/*
 * Returns the block of a message, with the message's records in *range, or NULL if the block is no
 * longer in flight.
 */
struct delivery_block *nats_flights_block(const struct nats_flights *flights,
                                          const struct nats_token *token,
                                          struct record_range *range);

enum nats_progress {
    NATS_GOES_ON,
    NATS_BLOCK_DONE,
    NATS_DIVIDED, /* too large: the message's halves must be published instead */
};

/* Applies the outcome of a message; `why` is NULL if the message was acknowledged. */
enum nats_progress nats_flights_answer(struct nats_flights *flights, const struct nats_token *token,
                                       enum delivery_outcome outcome, enum delivery_reason reason,
                                       const char *why);

/*
 * For a subject to which the server does not permit publishing: refuses all messages that were
 * published to it. Returns true if a block is done now.
 */
bool nats_flights_deny(struct nats_flights *flights, const char *subject, const char *why);

/* Ends the blocks whose time is over at `now_ns` (INT64_MAX: all). */
void nats_flights_expire(struct nats_flights *flights, int64_t now_ns);

/*
 * To be called when the connection was lost. If an answer is missing, ends all blocks, so that they
 * are sent again in their order. Returns true if blocks were ended.
 */
bool nats_flights_lose(struct nats_flights *flights);

/* Returns when the time of the next block is over, or INT64_MAX if no block is in flight. */
int64_t nats_flights_due(const struct nats_flights *flights);

/* Removes the oldest of the blocks that are done. Returns NULL if there is none. */
struct delivery_block *nats_flights_take(struct nats_flights *flights, struct error *error);

#endif
