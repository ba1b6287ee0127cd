/*
 * A producer of librdkafka: made, served, and replaced by another one after a fatal error.
 *
 * All functions run in the sink's thread, and so do the callbacks of the library, within
 * kafka_producer_poll. The library's own threads only wake the sink's.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_PRODUCER_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_PRODUCER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "collector/contract/delivery_figures.h"
#include "collector/log/log.h"
#include "collector/platform/wakeup.h"
#include "sinks/destinations/kafka_flights.h"
#include "sinks/destinations/kafka_library.h"
#include "sinks/destinations/kafka_settings.h"
#include "sinks/destinations/kafka_statistics.h"
#include "sinks/destinations/kafka_topics.h"

/* Blocks that a producer may have when it is abandoned. */
#define KAFKA_LENT_MOST KAFKA_FLIGHTS

struct kafka_ending;

struct kafka_producer {
    /* Filled by the owner before it is started; the pointers stay valid until it has ended. */
    const struct kafka_library *library;
    const char *name; /* of the sink */
    struct wakeup *wakeup;
    struct kafka_settings settings;
    struct delivery_figures *figures;
    void (*report)(void *context, const rd_kafka_message_t *message); /* of each message */
    void *context;

    rd_kafka_t *handle;          /* NULL: it could not be made */
    struct kafka_ending *ending; /* of the handle */
    rd_kafka_queue_t *events;
    atomic_bool has_events; /* poll has something to take */
    bool is_fatal;          /* it takes nothing more */
    size_t message_size;    /* message.max.bytes: of a message with all that belongs to it */
    int64_t remake_ns;      /* when another one is tried, while there is none */
    struct kafka_topics *topics;
    struct kafka_statistics now, before_it; /* of the producer; of those before it */
    struct log_limit log;
};

/* Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG, or no memory). */
int kafka_producer_create(struct kafka_producer *producer, size_t topics, struct error *error);

/*
 * Ends a producer whose messages are all reported, or in memory that was lent to it. That takes
 * half a second at most: where the library takes longer, as while it looks up a name, a thread of
 * its own waits for it. Also after kafka_producer_create has failed.
 */
void kafka_producer_destroy(struct kafka_producer *producer);

/* Takes the reports and events that there are. */
void kafka_producer_poll(struct kafka_producer *producer);

/* Whether it takes messages. */
bool kafka_producer_takes(const struct kafka_producer *producer);

/*
 * Where it takes no messages: makes another one as soon as all messages are reported, whose number
 * `report` keeps in *unreported, and a failed attempt is a second ago.
 */
void kafka_producer_renew(struct kafka_producer *producer, const size_t *unreported);

/*
 * Has the library ask a broker for a topic that it takes no messages for, without waiting for the
 * answer: by itself it asks every five minutes.
 */
void kafka_producer_ask(const struct kafka_producer *producer, rd_kafka_topic_t *topic);

/*
 * The deadline is over. Waits up to `ms` milliseconds for the reports of all messages that it was
 * given, but for no broker: the library's threads may be looking up a name.
 */
void kafka_producer_abandon(struct kafka_producer *producer, int ms);

/*
 * The library may still read this memory, which is of malloc: it is freed when the producer has
 * ended. NULL is allowed.
 */
void kafka_producer_lend(struct kafka_producer *producer, const void *bytes, const void *keys);

/* Whether something was lent: it is to be given no further message. */
bool kafka_producer_is_left(const struct kafka_producer *producer);

/* When kafka_producer_poll or _renew has something to do; INT64_MAX: an event will say. */
int64_t kafka_producer_due(const struct kafka_producer *producer);

#endif
