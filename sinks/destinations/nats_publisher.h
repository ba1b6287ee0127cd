/*
 * Publishes blocks to NATS in a separate thread, so that only this thread waits for connections,
 * name lookups and slow servers.
 *
 * All functions are for the sink's thread, and only create and destroy may block. `sink` is
 * signalled when a block is done.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_NATS_PUBLISHER_H
#define SLUICE_SINKS_DESTINATIONS_NATS_PUBLISHER_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/broker_options.h"
#include "collector/contract/client_tls.h"
#include "collector/contract/delivery.h"
#include "collector/contract/delivery_figures.h"
#include "collector/platform/wakeup.h"
#include "sinks/destinations/broker_place.h"
#include "sinks/destinations/nats_library.h"

struct nats_publisher;

struct nats_publisher_options {
    const struct nats_library *library;
    const char *name; /* the sink's name, for the log */
    const struct broker_place *place;
    const struct broker_options *broker;
    const struct client_tls *tls;
    unsigned headers;    /* bits of enum message_header */
    bool per_block;      /* a message is a block; otherwise a record */
    bool strips_newline; /* a message of one record loses the newline at its end */
    uint64_t timeout_ns; /* time limit for publishing a block; a third of it is the time limit for
                            an answer */
    struct wakeup *sink;
};

/* `library` and `sink` must outlive the publisher. Returns 0, or -1 with `error` filled. */
int nats_publisher_create(const struct nats_publisher_options *options, struct nats_publisher **out,
                          struct error *error);

/*
 * Closes the connection and ends the thread. If that takes long, a separate thread continues it.
 * NULL is allowed.
 */
void nats_publisher_destroy(struct nats_publisher *publisher);

/* Adds a block. Returns false if there is no room. */
bool nats_publisher_put(struct nats_publisher *publisher, struct delivery_block *block);

/* Removes a block that is done. Returns NULL if there is none. */
struct delivery_block *nats_publisher_take(struct nats_publisher *publisher, struct error *error);

/* Returns true if there is no connection; `error` then has the reason. */
bool nats_publisher_is_away(struct nats_publisher *publisher, struct error *error);

/* Returns when to call nats_publisher_expire (monotonic); INT64_MAX if no block is in flight. */
int64_t nats_publisher_due(struct nats_publisher *publisher);

/* Ends the blocks whose time is over, or, with `all`, all blocks. */
void nats_publisher_expire(struct nats_publisher *publisher, bool all);

/* The figures of the publisher's connection (NATS_FIGURES). They are valid until destroy. */
#define NATS_FIGURES                                                                               \
    (DELIVERY_HAS(FIGURE_CONNECTIONS) | DELIVERY_HAS(FIGURE_CONNECTS) |                            \
     DELIVERY_HAS(FIGURE_MESSAGES) | DELIVERY_HAS_TIMES)
const struct delivery_figures *nats_publisher_figures(const struct nats_publisher *publisher);

/* Returns the bytes that a publisher allocates, without those of the library. */
size_t nats_publisher_memory(void);

#endif
