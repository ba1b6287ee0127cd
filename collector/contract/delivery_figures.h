/*
 * Figures about a delivery's connections and requests. Each row defines a figure; --metrics, the
 * status page, sluice-top and the glossary are generated from the rows. The figures are not part of
 * the ledger's sums, and start at 0 when a sink is opened.
 *
 * The sink owns the figures, and its destination writes them. Each figure has one writing thread at
 * a time; any thread may read. To add a figure, add a row, and set the figure in the destinations
 * that have it.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_DELIVERY_FIGURES_H
#define SLUICE_COLLECTOR_CONTRACT_DELIVERY_FIGURES_H

#include <stdint.h>

#include "collector/base/counter.h"
#include "collector/base/histogram.h"

/*
 * FIGURE(CONSTANT, "prefix", "of", "name", TYPE, "labels", "help", "what to do"), as in
 * collector/metrics/metrics_rows.h. Figures named "..._seconds" are in nanoseconds here.
 */
#define DELIVERY_FIGURES(FIGURE)                                                                   \
    FIGURE(CONNECTIONS, "sluice_", "sink_", "connections", GAUGE, "sink",                          \
           "Open connections of a delivery to brokers or servers.",                                \
           "if it is 0, look in the log for the error")                                            \
    FIGURE(CONNECTS, "sluice_", "sink_", "connects", COUNTER, "sink",                              \
           "Connections that a delivery has made; of kafka: sinks also attempts that failed.",     \
           "nothing, if it is constant; if it grows, look in the log for why connections end")     \
    FIGURE(REQUESTS, "sluice_", "sink_", "requests", COUNTER, "sink",                              \
           "Requests that a delivery has begun.", "nothing; its rate is that of the blocks")       \
    FIGURE(REQUESTS_IN_FLIGHT, "sluice_", "sink_", "requests_in_flight", GAUGE, "sink",            \
           "Requests of a delivery that have no answer yet.",                                      \
           "nothing, if it is below in_flight=; otherwise the far end is slow")                    \
    FIGURE(REQUEST_RETRIES, "sluice_", "sink_", "request_retries", COUNTER, "sink",                \
           "Requests of a delivery that repeated an earlier one.",                                 \
           "if it grows, look in the log for the far end's error")                                 \
    FIGURE(REQUEST_ERRORS, "sluice_", "sink_", "request_errors", COUNTER, "sink",                  \
           "Requests of a delivery that could not be sent or got no answer.",                      \
           "if it grows, look in the log for the error")                                           \
    FIGURE(MESSAGES, "sluice_", "sink_", "messages_in_flight", GAUGE, "sink",                      \
           "Messages of a delivery that were sent, or wait in its library to be sent, and are "    \
           "not acknowledged yet.",                                                                \
           "nothing, if it falls again; otherwise the broker is slow, or away if "                 \
           "connections is 0")                                                                     \
    FIGURE(ROUND_TRIP, "sluice_", "sink_", "round_trip_seconds", GAUGE, "sink",                    \
           "Mean time from a request to a broker to its answer, over the last five seconds that "  \
           "had one.",                                                                             \
           "if it is long, look for a slow network or broker")                                     \
    FIGURE(RESTARTS, "sluice_", "sink_", "producer_restarts", COUNTER, "sink",                     \
           "Kafka producers that were replaced after a fatal error.",                              \
           "look in the log for the fatal error")

#define DELIVERY_FIGURE_CONSTANT(constant, ...) FIGURE_##constant,
enum delivery_figure { DELIVERY_FIGURES(DELIVERY_FIGURE_CONSTANT) FIGURE_COUNT };

/* Classes of HTTP status. Answers are counted by class. */
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
    /* Nanoseconds from a request, or from a block's messages, to the last answer. */
    struct histogram request_time;
};

/* Bits that say which figures a destination has. */
#define DELIVERY_HAS(figure) (1U << (figure))
#define DELIVERY_HAS_ANSWERS (1U << FIGURE_COUNT)
#define DELIVERY_HAS_TIMES   (1U << (FIGURE_COUNT + 1))

/* A copy of the figures at one moment. */
struct delivery_figure_totals {
    unsigned has; /* 0: the sink is not a delivery */
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

/* Adds the figures in `has` to the totals, except the round trip: its total is the longest one. */
void delivery_figures_add_to(const struct delivery_figures *figures, unsigned has,
                             struct delivery_figure_totals *totals);

/* The names of figures in the metrics and on the status page, such as "connections". */
extern const char *const delivery_figure_names[FIGURE_COUNT];
extern const char *const delivery_answer_names[ANSWER_COUNT];

#endif
