/*
 * The metrics that are not terms or measures of the ledger, one row each. The page and the manual
 * are generated from these rows.
 *
 * To add a metric, add a row, and the code that writes its samples: in metrics_ledger.c for
 * counters of the ledger, in metrics_levels.c for levels, or in metrics_page.c for the process.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_ROWS_H
#define SLUICE_COLLECTOR_METRICS_METRICS_ROWS_H

#include "collector/contract/delivery_figures.h"
#include "collector/ledger/ledger.h"
#include "collector/metrics/metrics_text.h"

/*
 * ROW(CONSTANT, "prefix", "of", "what", TYPE, "labels", "help", "what to do"), with the texts of
 * struct metric.
 * Names and help of the process' rows are those of Prometheus' client libraries.
 */
#define METRICS_ROWS(ROW)                                                                          \
    ROW(BUILD, "sluice_", "", "build", INFO, "version", "Version of the program.",                 \
        "nothing; compare the versions of several machines")                                       \
    ROW(SANDBOX, "sluice_", "", "sandbox", INFO, "level,means",                                    \
        "Restrictions of the process; level: on, partial or off; means: which, or why none.",      \
        "if it is not on, look at means: the manual names what each system has")                   \
    ROW(UPTIME, "sluice_", "", "uptime_seconds", GAUGE, "",                                        \
        "Time since the ledger began to count.",                                                   \
        "if it falls without a planned restart, look in the log for how the last process ended")   \
    ROW(LISTENER, "sluice_", "", "listener", INFO, "listener,kind,schema,kernel_drops_unit",       \
        "Facts about a listener; kernel_drops_unit: the unit in which its drops are counted now.", \
        "nothing; join it to other metrics by its label listener")                                 \
    ROW(KERNEL_DROPS_AND_FILTERED, "sluice_", "listener_", KERNEL_DROPS_AND_FILTERED, COUNTER,     \
        "listener", KERNEL_DROPS_AND_FILTERED_HELP,                                                \
        "to see the kernel's drops only, use kernel_filter=off")                                   \
    ROW(LISTENER_REFUSED, "sluice_", "listener_", "refused", COUNTER, "listener,reason",           \
        "Datagrams that were not decoded, by reason.", "run sluice explain with the reason")       \
    ROW(SOCKETS, "sluice_", "listener_", "sockets", GAUGE, "listener",                             \
        "Sockets of a listener, one for each receiver.", "nothing; receivers= sets it")            \
    ROW(RECEIVE_BUFFER, "sluice_", "listener_", "receive_buffer_bytes", GAUGE, "listener",         \
        "Receive buffer that the kernel granted for each socket.",                                 \
        "if it is less than requested, raise net.core.rmem_max, or give the program "              \
        "CAP_NET_ADMIN")                                                                           \
    ROW(RECEIVE_BUFFER_ASKED, "sluice_", "listener_", "receive_buffer_asked_bytes", GAUGE,         \
        "listener", "Receive buffer requested for each socket.",                                   \
        "nothing; receive_buffer= sets it")                                                        \
    ROW(OPEN, "sluice_", "listener_", "open_connections", GAUGE, "listener",                       \
        "Open connections of a listener.",                                                         \
        "if it is near open_connections_limit, raise max_connections=")                            \
    ROW(OPEN_LIMIT, "sluice_", "listener_", "open_connections_limit", GAUGE, "listener",           \
        "Connections that may be open at the same time.", "nothing; max_connections= sets it")     \
    ROW(SINK_REFUSED, "sluice_", "sink_", "refused", COUNTER, "sink,reason",                       \
        "Records that a sink's queues refused, by reason.", "run sluice explain with the reason")  \
    ROW(SINK_FAILED, "sluice_", "sink_", "failed", COUNTER, "sink,reason",                         \
        "Records queued that were not written, by reason.", "run sluice explain with the reason")  \
    ROW(IN_FLIGHT, "sluice_", "sink_", "in_flight_records", GAUGE, "sink",                         \
        "Records queued whose outcome is not known yet.",                                          \
        "nothing, if it falls again; otherwise look at waiting_seconds and failing_seconds")       \
    ROW(QUEUE, "sluice_", "sink_", "queue_batches", GAUGE, "sink",                                 \
        "Batches waiting in a sink's queues.",                                                     \
        "nothing; queue_fill_ratio says how full the queue is")                                    \
    ROW(QUEUE_LIMIT, "sluice_", "sink_", "queue_limit_batches", GAUGE, "sink",                     \
        "Most batches that a sink's queues hold.", "nothing; --memory sets it")                    \
    ROW(QUEUE_LARGE, "sluice_", "sink_", "queue_large_batches", GAUGE, "sink",                     \
        "Large batches waiting in a sink's queues.",                                               \
        "nothing; queue_fill_ratio says how full the queue is")                                    \
    ROW(QUEUE_LARGE_LIMIT, "sluice_", "sink_", "queue_large_limit_batches", GAUGE, "sink",         \
        "Most large batches that a sink's queues hold.", "nothing; --memory sets it")              \
    ROW(QUEUE_FILL, "sluice_", "sink_", "queue_fill_ratio", GAUGE, "sink",                         \
        "Used part of what a listener can have of a sink's fullest queue; 1: it refuses records.", \
        "if it is near 1 for minutes, repair the destination if it fails or waits; otherwise use " \
        "a faster sink, or raise --memory")                                                        \
    ROW(SERIES, "sluice_", "sink_", "series", GAUGE, "sink",                                       \
        "Series that a sink with max_series= knows.",                                              \
        "if it is near series_limit, see series_refused")                                          \
    ROW(SERIES_LIMIT, "sluice_", "sink_", "series_limit", GAUGE, "sink",                           \
        "Most series that a sink writes (max_series=).", "nothing; max_series= sets it")           \
    ROW(SERIES_OF_SENDER, "sluice_", "sink_", "sender_series_refused", GAUGE, "sink,sender",       \
        "Samples of refused series since a sink's start, for the senders with the most.",          \
        "check the labels of this sender, or limit it with max_series_per_sender=")                \
    ROW(LABEL_VALUES, "sluice_", "sink_", "label_values", GAUGE, "sink,label",                     \
        "Different values, within a quarter, that new and refused series had in a label since a "  \
        "sink's start, for the labels with the most.",                                             \
        "leave a label with ever new values out (drop_label=)")                                    \
    ROW(TIME_OF_SENDER, "sluice_", "sink_", "sender_out_of_time", GAUGE, "sink,sender",            \
        "Samples outside max_age= and max_ahead= since a sink's start, for the senders with the "  \
        "most.",                                                                                   \
        "correct the clock of this sender")                                                        \
    ROW(WAITING, "sluice_", "sink_", "waiting_seconds", GAUGE, "sink",                             \
        "Time for which the destination has accepted no data.",                                    \
        "check that the sink's reader or far end is running")                                      \
    ROW(FAILING, "sluice_", "sink_", "failing_seconds", GAUGE, "sink",                             \
        "Time for which the destination has failed; it is retried.",                               \
        "look in the log for the error")                                                           \
    ROW(OLDEST, "sluice_", "sink_", "oldest_seconds", GAUGE, "sink",                               \
        "Age of a delivery's oldest record without an answer.",                                    \
        "if it grows, look in the log for the delivery's error, or use a faster far end")          \
    ROW(SPILL, "sluice_", "sink_", "spill_bytes", GAUGE, "sink", "Bytes in a spill.",              \
        "nothing, if it falls; otherwise look in the log for the delivery's error")                \
    ROW(SPILL_LIMIT, "sluice_", "sink_", "spill_limit_bytes", GAUGE, "sink",                       \
        "Most bytes that a spill may hold.", "nothing; spill_size= sets it")                       \
    DELIVERY_FIGURES(ROW)                                                                          \
    ROW(ANSWERS, "sluice_", "sink_", "answers", COUNTER, "sink,class",                             \
        "Answers to a delivery's requests, by class of status.",                                   \
        "4xx: check the token and what is sent; 5xx: look in the log of the far end")              \
    ROW(REQUEST_TIME, "sluice_", "sink_", "request_seconds", HISTOGRAM, "sink",                    \
        "Time from a delivery's request, or a block's messages, to the last answer.",              \
        "if it is long, look for a slow network or far end")                                       \
    ROW(ENDED, "sluice_", "sink_", "ended", GAUGE, "sink", "1: the sink has ended for good.",      \
        "look in the log for the reason, and restart the reader and sluice")                       \
    ROW(DROPPED, "sluice_", "dead_letters_", "dropped", COUNTER, "reason",                         \
        "Dead letters that were not kept, by reason.", "run sluice explain with the reason")       \
    ROW(BATCHES, "sluice_", "", "batches", GAUGE, "size", "All batches, by size.",                 \
        "nothing; --memory sets it")                                                               \
    ROW(BATCHES_FREE, "sluice_", "", "batches_free", GAUGE, "size", "Free batches, by size.",      \
        "if it is 0 for long, repair the sink that fails or waits, or raise --memory")             \
    ROW(CPU, "process_", "", "cpu_seconds", COUNTER, "",                                           \
        "Total user and system CPU time spent in seconds.",                                        \
        "if its rate is near the number of receivers and sinks, add processors and receivers=")    \
    ROW(STARTED, "process_", "", "start_time_seconds", GAUGE, "",                                  \
        "Start time of the process since unix epoch in seconds.",                                  \
        "if it changes without a planned restart, look in the log for how the last process ended") \
    ROW(RESIDENT, "process_", "", "resident_memory_bytes", GAUGE, "",                              \
        "Resident memory size in bytes.",                                                          \
        "nothing, if it does not grow for ever; --memory sets the largest part")                   \
    ROW(VIRTUAL, "process_", "", "virtual_memory_bytes", GAUGE, "",                                \
        "Virtual memory size in bytes.", "nothing; memory that is not used counts here, too")      \
    ROW(VIRTUAL_MOST, "process_", "", "virtual_memory_max_bytes", GAUGE, "",                       \
        "Maximum amount of virtual memory available in bytes.", "nothing; ulimit -v sets it")      \
    ROW(FILES, "process_", "", "open_fds", GAUGE, "", "Number of open file descriptors.",          \
        "if it is near process_max_fds, raise the limit of open files")                            \
    ROW(FILES_MOST, "process_", "", "max_fds", GAUGE, "",                                          \
        "Maximum number of open file descriptors.",                                                \
        "nothing; ulimit -n, or LimitNOFILE= of the service, sets it")

#define METRICS_ROW_CONSTANT(constant, ...) ROW_##constant,
enum metrics_row_index { METRICS_ROWS(METRICS_ROW_CONSTANT) METRICS_ROW_COUNT };

struct metrics_row {
    struct metric metric;
    const char *labels; /* "listener,reason"; empty: none */
    const char *help;   /* a sentence */
    const char *remedy; /* what to do; not empty */
};
extern const struct metrics_row metrics_rows[METRICS_ROW_COUNT];

/* Begins the family of a row, and returns the row's metric. */
const struct metric *metrics_rows_begin(struct metrics_text *text, enum metrics_row_index row);

/* Returns the metric of a ledger's term; `of` is "listener_", "sink_" or "dead_letters_". */
struct metric metric_of_term(const char *of, const struct ledger_term *term);

#endif
