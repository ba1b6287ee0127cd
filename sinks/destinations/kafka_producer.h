/*
 * A producer of librdkafka, which is replaced after a fatal error.
 *
 * All functions run in the sink's thread. So do the library's callbacks, within
 * kafka_producer_poll. The library's own threads only wake the sink's thread.
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
#include "sinks/destinations/kafka_reason.h"
#include "sinks/destinations/kafka_settings.h"
#include "sinks/destinations/kafka_statistics.h"
#include "sinks/destinations/kafka_topics.h"

/*
 * The maximum number of blocks that librdkafka's threads may still read after a producer did not
 * end in time. The sink continues without that producer.
 */
#define KAFKA_LENT_MOST KAFKA_FLIGHTS

struct kafka_ending;

struct kafka_producer {
    /*
     * Set by the owner before kafka_producer_create. The pointers stay valid until
     * kafka_producer_destroy has returned.
     */
    const struct kafka_library *library;
    const char *name; /* name of the sink */
    struct wakeup *wakeup;
    struct kafka_settings settings;
    struct delivery_figures *figures;
    /* Called with the report of each message. */
    void (*report)(void *context, const rd_kafka_message_t *message);
    void *context;

    rd_kafka_t *handle;          /* NULL: it could not be created */
    struct kafka_ending *ending; /* state for the end of the handle */
    rd_kafka_queue_t *events;
    atomic_bool has_events; /* kafka_producer_poll may have something to do */
    bool is_fatal;          /* after a fatal error: it accepts no more messages */
    size_t message_size;    /* message.max.bytes, the limit for a message with key and headers */
    int64_t remake_ns;      /* monotonic: when to try to create a handle, if there is none */
    struct kafka_topics *topics;
    struct kafka_statistics now,
        before_it; /* counts of the current producer; sums of all earlier producers */
    struct log_limit log;
    bool is_away; /* all brokers were reported as down, and no broker has answered since */
    struct error last_error;             /* the library's last error with a cause */
    char certificate[KAFKA_REASON_SIZE]; /* why the last certificate was refused; or "" */

    /* If messages get no report for a second, the library's log is searched for the reason. */
    int64_t quiet_ns; /* monotonic: since when messages wait without a report; 0: none wait */
    bool reads_log;
    char refusal[KAFKA_REASON_SIZE]; /* the reason found; "" if none, or if a message was accepted
                                        since */
};

/* Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG, or out of memory). */
int kafka_producer_create(struct kafka_producer *producer, size_t topics, struct error *error);

/*
 * Ends a producer. Each of its messages is reported, or its memory was given to
 * kafka_producer_lend. Waits at most half a second; if the library takes longer, for example during
 * a name lookup, a separate thread waits for it. To be called even if kafka_producer_create failed.
 */
void kafka_producer_destroy(struct kafka_producer *producer);

/* Handles the reports and events that are available. */
void kafka_producer_poll(struct kafka_producer *producer);

/*
 * To be called whenever `is_waiting` (messages wait for reports) may have changed, and at
 * kafka_producer_due.
 */
void kafka_producer_watch(struct kafka_producer *producer, bool is_waiting);

/*
 * Returns true if no broker is reachable, or no broker accepts the messages. Then stores the last
 * reason in `error`, unless that is NULL.
 */
bool kafka_producer_is_away(const struct kafka_producer *producer, struct error *error);

/* Returns true if the producer accepts messages. */
bool kafka_producer_takes(const struct kafka_producer *producer);

/*
 * If the producer accepts no more messages, replaces it after all its messages are reported
 * (`report` has set *unreported to 0), at most once a second.
 */
void kafka_producer_renew(struct kafka_producer *producer, const size_t *unreported);

/*
 * Makes the library query a broker for a missing topic now, without waiting for the answer. By
 * itself the library queries every five minutes.
 */
void kafka_producer_ask(const struct kafka_producer *producer, rd_kafka_topic_t *topic);

/*
 * Gives up all messages, and waits up to `ms` milliseconds for their reports. Does not wait for the
 * library's threads, which may be in a name lookup.
 */
void kafka_producer_abandon(struct kafka_producer *producer, int ms);

/*
 * Takes over memory (from malloc, or NULL) that the library may still read. It is freed after the
 * producer has ended.
 */
void kafka_producer_lend(struct kafka_producer *producer, const void *bytes, const void *keys);

/*
 * Returns true if kafka_producer_lend was called. Then the producer must not get another message.
 */
bool kafka_producer_is_left(const struct kafka_producer *producer);

/*
 * Returns when to call kafka_producer_poll, _watch and _renew (monotonic); INT64_MAX: at the next
 * event.
 */
int64_t kafka_producer_due(const struct kafka_producer *producer);

#endif
