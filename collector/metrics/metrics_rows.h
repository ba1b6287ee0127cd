/*
 * The metrics that are not terms or measures of the ledger, one row each. The page and the manual
 * are generated from these rows.
 *
 * To add a metric: add a row, and the code that writes its samples, in metrics_levels.c, or in
 * metrics_page.c for metrics of the process.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_ROWS_H
#define SLUICE_COLLECTOR_METRICS_METRICS_ROWS_H

#include "collector/contract/delivery_figures.h"
#include "collector/ledger/ledger.h"
#include "collector/metrics/metrics_text.h"

/*
 * ROW(CONSTANT, "prefix", "of", "what", TYPE, "labels", "help"), with the texts of struct metric.
 * Names and help of the process' rows are those of Prometheus' client libraries.
 */
#define METRICS_ROWS(ROW)                                                                          \
    ROW(BUILD, "sluice_", "", "build", INFO, "version", "Version of the program.")                 \
    ROW(UPTIME, "sluice_", "", "uptime_seconds", GAUGE, "",                                        \
        "Time since the ledger began to count.")                                                   \
    ROW(LISTENER, "sluice_", "", "listener", INFO, "listener,kind,schema,kernel_drops_unit",       \
        "Facts about a listener; kernel_drops_unit: the unit of its drops.")                       \
    ROW(KERNEL_DROPS_AND_FILTERED, "sluice_", "listener_", KERNEL_DROPS_AND_FILTERED, COUNTER,     \
        "listener", KERNEL_DROPS_AND_FILTERED_HELP)                                                \
    ROW(LISTENER_REFUSED, "sluice_", "listener_", "refused", COUNTER, "listener,reason",           \
        "Datagrams that were not decoded, by reason.")                                             \
    ROW(SOCKETS, "sluice_", "listener_", "sockets", GAUGE, "listener",                             \
        "Sockets of a listener, one for each receiver.")                                           \
    ROW(RECEIVE_BUFFER, "sluice_", "listener_", "receive_buffer_bytes", GAUGE, "listener",         \
        "Receive buffer that the kernel granted for each socket.")                                 \
    ROW(RECEIVE_BUFFER_ASKED, "sluice_", "listener_", "receive_buffer_asked_bytes", GAUGE,         \
        "listener", "Receive buffer requested for each socket.")                                   \
    ROW(OPEN, "sluice_", "listener_", "open_connections", GAUGE, "listener",                       \
        "Open connections of a listener.")                                                         \
    ROW(OPEN_LIMIT, "sluice_", "listener_", "open_connections_limit", GAUGE, "listener",           \
        "Connections that may be open at the same time.")                                          \
    ROW(SINK_REFUSED, "sluice_", "sink_", "refused", COUNTER, "sink,reason",                       \
        "Records that a sink's queues refused, by reason.")                                        \
    ROW(SINK_FAILED, "sluice_", "sink_", "failed", COUNTER, "sink,reason",                         \
        "Records queued that were not written, by reason.")                                        \
    ROW(IN_FLIGHT, "sluice_", "sink_", "in_flight_records", GAUGE, "sink",                         \
        "Records queued whose outcome is not known yet.")                                          \
    ROW(QUEUE, "sluice_", "sink_", "queue_batches", GAUGE, "sink",                                 \
        "Batches waiting in a sink's queues.")                                                     \
    ROW(QUEUE_LIMIT, "sluice_", "sink_", "queue_limit_batches", GAUGE, "sink",                     \
        "Most batches that a sink's queues hold.")                                                 \
    ROW(QUEUE_LARGE, "sluice_", "sink_", "queue_large_batches", GAUGE, "sink",                     \
        "Large batches waiting in a sink's queues.")                                               \
    ROW(QUEUE_LARGE_LIMIT, "sluice_", "sink_", "queue_large_limit_batches", GAUGE, "sink",         \
        "Most large batches that a sink's queues hold.")                                           \
    ROW(QUEUE_FILL, "sluice_", "sink_", "queue_fill_ratio", GAUGE, "sink",                         \
        "Used part of what a listener can have of a sink's fullest queue; 1: it refuses records.") \
    ROW(WAITING, "sluice_", "sink_", "waiting_seconds", GAUGE, "sink",                             \
        "Time for which the destination has accepted no data.")                                    \
    ROW(FAILING, "sluice_", "sink_", "failing_seconds", GAUGE, "sink",                             \
        "Time for which the destination has failed; it is retried.")                               \
    ROW(OLDEST, "sluice_", "sink_", "oldest_seconds", GAUGE, "sink",                               \
        "Age of a delivery's oldest record without an answer.")                                    \
    ROW(SPILL, "sluice_", "sink_", "spill_bytes", GAUGE, "sink", "Bytes in a spill.")              \
    ROW(SPILL_LIMIT, "sluice_", "sink_", "spill_limit_bytes", GAUGE, "sink",                       \
        "Most bytes that a spill may hold.")                                                       \
    DELIVERY_FIGURES(ROW)                                                                          \
    ROW(ANSWERS, "sluice_", "sink_", "answers", COUNTER, "sink,class",                             \
        "Answers to a delivery's requests, by class of status.")                                   \
    ROW(REQUEST_TIME, "sluice_", "sink_", "request_seconds", HISTOGRAM, "sink",                    \
        "Time from a delivery's request, or a block's messages, to the last answer.")              \
    ROW(ENDED, "sluice_", "sink_", "ended", GAUGE, "sink", "1: the sink has ended for good.")      \
    ROW(DROPPED, "sluice_", "dead_letters_", "dropped", COUNTER, "reason",                         \
        "Dead letters that were not kept, by reason.")                                             \
    ROW(BATCHES, "sluice_", "", "batches", GAUGE, "size", "All batches, by size.")                 \
    ROW(BATCHES_FREE, "sluice_", "", "batches_free", GAUGE, "size", "Free batches, by size.")      \
    ROW(CPU, "process_", "", "cpu_seconds", COUNTER, "",                                           \
        "Total user and system CPU time spent in seconds.")                                        \
    ROW(STARTED, "process_", "", "start_time_seconds", GAUGE, "",                                  \
        "Start time of the process since unix epoch in seconds.")                                  \
    ROW(RESIDENT, "process_", "", "resident_memory_bytes", GAUGE, "",                              \
        "Resident memory size in bytes.")                                                          \
    ROW(VIRTUAL, "process_", "", "virtual_memory_bytes", GAUGE, "",                                \
        "Virtual memory size in bytes.")                                                           \
    ROW(VIRTUAL_MOST, "process_", "", "virtual_memory_max_bytes", GAUGE, "",                       \
        "Maximum amount of virtual memory available in bytes.")                                    \
    ROW(FILES, "process_", "", "open_fds", GAUGE, "", "Number of open file descriptors.")          \
    ROW(FILES_MOST, "process_", "", "max_fds", GAUGE, "",                                          \
        "Maximum number of open file descriptors.")

#define METRICS_ROW_CONSTANT(constant, prefix, of, what, type, labels, help) ROW_##constant,
enum metrics_row_index { METRICS_ROWS(METRICS_ROW_CONSTANT) METRICS_ROW_COUNT };

struct metrics_row {
    struct metric metric;
    const char *labels; /* "listener,reason"; empty: none */
    const char *help;   /* a sentence */
};
extern const struct metrics_row metrics_rows[METRICS_ROW_COUNT];

/* Begins the family of a row, and returns the row's metric. */
const struct metric *metrics_rows_begin(struct metrics_text *text, enum metrics_row_index row);

/* Returns the metric of a ledger's term; `of` is "listener_" or "sink_". */
struct metric metric_of_term(const char *of, const struct ledger_term *term);

#endif
