/*
 * What a delivery says of its connections and requests beside the ledger: figures with names, a row
 * each. --metrics, the status page, sluice-top and the reference are made of these rows. No sum is
 * about them, and they begin anew with each sink that is opened.
 *
 * The sink owns them, and its destination raises and sets them, each by one thread at a time; any
 * thread may read. To add one: a row, and the destinations that have it.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_DELIVERY_FIGURES_H
#define SLUICE_COLLECTOR_CONTRACT_DELIVERY_FIGURES_H

#include <stdint.h>

#include "collector/base/counter.h"
#include "collector/base/histogram.h"

/*
 * FIGURE(CONSTANT, "prefix", "of", "name", TYPE, "labels", "help"): as a row of the metrics
 * (collector/metrics/metrics_rows.h). What is called "..._seconds" is kept in nanoseconds.
 */
#define DELIVERY_FIGURES(FIGURE)                                                                   \
    FIGURE(CONNECTIONS, "sluice_", "sink_", "connections", GAUGE, "sink",                          \
           "Connections of a delivery to brokers or servers that are open.")                       \
    FIGURE(CONNECTS, "sluice_", "sink_", "connects", COUNTER, "sink",                              \
           "Connections that a delivery has made.")                                                \
    FIGURE(REQUESTS, "sluice_", "sink_", "requests", COUNTER, "sink",                              \
           "Requests that a delivery has begun.")                                                  \
    FIGURE(REQUESTS_IN_FLIGHT, "sluice_", "sink_", "requests_in_flight", GAUGE, "sink",            \
           "Requests of a delivery that have no answer yet.")                                      \
    FIGURE(REQUEST_RETRIES, "sluice_", "sink_", "request_retries", COUNTER, "sink",                \
           "Requests of a delivery that repeated an earlier one.")                                 \
    FIGURE(REQUEST_ERRORS, "sluice_", "sink_", "request_errors", COUNTER, "sink",                  \
           "Requests of a delivery that could not be sent, or that nobody answered.")              \
    FIGURE(MESSAGES, "sluice_", "sink_", "messages_in_flight", GAUGE, "sink",                      \
           "Messages of a delivery that were handed over and are not acknowledged yet.")           \
    FIGURE(                                                                                        \
        ROUND_TRIP, "sluice_", "sink_", "round_trip_seconds", GAUGE, "sink",                       \
        "From a request to a broker to its answer, the mean over the last five seconds with one.") \
    FIGURE(RESTARTS, "sluice_", "sink_", "producer_restarts", COUNTER, "sink",                     \
           "Producers of Kafka that were made anew after a fatal error.")

#define DELIVERY_FIGURE_CONSTANT(constant, ...) FIGURE_##constant,
enum delivery_figure { DELIVERY_FIGURES(DELIVERY_FIGURE_CONSTANT) FIGURE_COUNT };

/* Requests by the class of their answer's status. */
#define DELIVERY_ANSWERS(ANSWER)                                                                   \
    ANSWER(2XX, "2xx")                                                                             \
    ANSWER(3XX, "3xx")                                                                             \
    ANSWER(4XX, "4xx")                                                                             \
    ANSWER(5XX, "5xx")
#define DELIVERY_ANSWER_CONSTANT(constant, name) ANSWER_##constant,
enum delivery_answer { DELIVERY_ANSWERS(DELIVERY_ANSWER_CONSTANT) ANSWER_COUNT };

struct delivery_figures {
    struct counter values[FIGURE_COUNT];
    struct counter answers[ANSWER_COUNT];
    struct histogram request_time; /* of a request, or of a block's messages, until all answers */
};

/* Which of them a destination has. */
#define DELIVERY_HAS(figure) (1U << (figure))
#define DELIVERY_HAS_ANSWERS (1U << FIGURE_COUNT)
#define DELIVERY_HAS_TIMES   (1U << (FIGURE_COUNT + 1))

/* The same as plain numbers, at one moment. */
struct delivery_figure_totals {
    unsigned has; /* 0: none, it is no delivery */
    uint64_t values[FIGURE_COUNT];
    uint64_t answers[ANSWER_COUNT];
    struct histogram_totals request_time;
};

static inline void delivery_figure_add(struct delivery_figures *figures, enum delivery_figure which,
                                       uint64_t amount)
{
    counter_add(&figures->values[which], amount);
}

static inline void delivery_figure_set(struct delivery_figures *figures, enum delivery_figure which,
                                       uint64_t value)
{
    counter_set(&figures->values[which], value);
}

/* Adds what `figures` say, of those in `has`, to the totals; of a time the longest counts. */
void delivery_figures_add_to(const struct delivery_figures *figures, unsigned has,
                             struct delivery_figure_totals *totals);

/* As the metrics name it: "connections", and for the status page, too. */
extern const char *const delivery_figure_names[FIGURE_COUNT];
extern const char *const delivery_answer_names[ANSWER_COUNT];

#endif
