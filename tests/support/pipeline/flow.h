/*
 * Runs a whole collector inside a test: a pipeline made from command-line arguments, a sender, an
 * output file, and gates that can stop the pipeline's threads.
 *
 * Fails the running cmocka test if an expected event does not happen in time.
 */
#ifndef SLUICE_TESTS_SUPPORT_PIPELINE_FLOW_H
#define SLUICE_TESTS_SUPPORT_PIPELINE_FLOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/config/config.h"
#include "collector/ledger/ledger.h"
#include "collector/pipeline/memory_plan.h"
#include "collector/pipeline/pipeline.h"
#include "collector/platform/wakeup.h"
#include "tests/support/platform/udp_sender.h"

/* A gate. While it is shut, threads of the pipeline that reach it wait. */
struct gate {
    _Atomic bool shut;
    /* Number of times that a thread has reached the gate. */
    _Atomic unsigned arrived;
    /* The number of threads that may still pass while the gate is shut. */
    _Atomic unsigned let;
    struct wakeup *wakeup;
};

struct flow {
    char directory[512]; /* the test's own folder, removed by
                            flow_tear_down */
    char output[520];    /* path of a file in that folder, for a sink */
    /* A schema for files, or NULL. Set before flow_open. */
    const struct schema_ops *schema_from_file;
    /* The notifier of the pipeline, or NULL for the system's default. Set before flow_open. */
    const struct notifier_backend *notifier;
    struct config config;
    struct pipeline *pipeline;
    struct ledger_snapshot *final; /* the last ledger; set by flow_finish */
    struct wakeup *changed;
    struct udp_sender *sender; /* IPv4 */
    struct gate receiving;     /* each receive passes this gate */
    struct gate writing;       /* each write passes this gate */
};

/* A cmocka setup and teardown. *state is a struct flow that is not open yet. */
int flow_set_up(void **state);
int flow_tear_down(void **state);

/*
 * Creates and starts a pipeline with these arguments, separated by spaces. "OUTPUT" is replaced by
 * the path of the output file, "DIRECTORY" by its directory and "CAPTURES" by the folder of
 * captures. The gates are not changed.
 */
void flow_open(struct flow *flow, const char *arguments);

/* Returns the configuration of these arguments. pipeline_apply_config takes ownership of it. */
struct config *flow_read_config(struct flow *flow, const char *arguments);

/*
 * Applies the configuration of these arguments to the running pipeline. Returns false and fills
 * `error` if the pipeline refuses it.
 */
bool flow_take_config(struct flow *flow, const char *arguments, struct error *error);

/*
 * Writes the option "--memory=" to `text`, which has FLOW_MEMORY_SIZE bytes. Its value is the
 * smallest size that `needs` allow, so queues are short and fill quickly.
 */
#define FLOW_MEMORY_SIZE 64
const char *flow_least_memory(const struct memory_needs *needs, char *text);

/* The same as flow_open, but pipeline_create must fail. Returns its error. */
struct error flow_open_fails(struct flow *flow, const char *arguments);

void gate_shut(struct gate *gate);
void gate_open(struct gate *gate);

/* Lets one thread pass the gate, which stays shut. */
void gate_let_one(struct gate *gate);

/* Waits until threads have reached the gate `count` times. */
void gate_await_arrivals(struct gate *gate, unsigned count);

/* Returns the address of a listener to which a test can send. The host is a loopback address. */
struct address flow_address(const struct flow *flow, size_t listener);

/*
 * Sends `count` Riemann messages of one event each. The metrics of the events are `first`, `first`
 * + 1 and so on.
 */
void flow_send(struct flow *flow, size_t listener, uint64_t first, size_t count);

/*
 * The same as flow_send, to a listener that has already received `first` datagrams. Waits after
 * each FLOW_CHUNK datagrams, so that even the smallest kernel buffer drops no datagram. On return,
 * the last FLOW_CHUNK datagrams may not have been received yet.
 */
#define FLOW_CHUNK 200
void flow_send_paced(struct flow *flow, size_t listener, uint64_t first, size_t count);

/*
 * Sends messages as flow_send does, to the only listener of a flow. Pauses so often that the sink
 * can keep up.
 */
void flow_send_as_written(struct flow *flow, size_t sink, size_t count);

/*
 * Sends messages that need a large batch to the first listener. There are few large batches, so it
 * waits until the messages are received and, if the gate `writing` is open, written.
 */
void flow_send_large(struct flow *flow, uint64_t count);

/* Waits until a listener has received `count` datagrams. */
void flow_await_received(struct flow *flow, size_t listener, uint64_t count);

/* Waits until a sink has been offered `count` records. */
void flow_await_offered(struct flow *flow, size_t sink, uint64_t count);

/* Waits until a sink has written `count` records. */
void flow_await_written(struct flow *flow, size_t sink, uint64_t count);

/* Waits until the pipeline reaches this state. */
void flow_await_state(struct flow *flow, enum pipeline_state state);

/*
 * Stops the pipeline with `timeout_ms` to flush, and waits for its end. Checks that the ledger
 * balances, and stores it in flow->final.
 */
void flow_finish(struct flow *flow, int timeout_ms);

/* Returns the number of datagrams that a listener received but could not decode. */
uint64_t flow_refused_datagrams(const struct flow *flow, size_t listener);

/* Returns the number of records that the sink's queues refused. */
uint64_t flow_refused_records(const struct flow *flow, size_t sink);

/* The lines of a file. `whole` is false if the last line has no newline. */
struct lines {
    size_t count;
    bool whole;
    char *text;
    size_t size;
};

/* Reads the file; free with lines_free. */
struct lines lines_read(const char *path);
void lines_free(struct lines *lines);

/* Returns the number of lines that contain `text`. */
size_t lines_with(const struct lines *lines, const char *text);

/*
 * Sets seen[n] to the number of lines that contain `text` and have the value n. An empty `text` is
 * in all lines. Fails the test if a value is `limit` or more.
 */
void lines_count_values(const struct lines *lines, const char *text, uint8_t *seen, size_t limit);

/*
 * Returns how many values the output's lines that contain `text` have. Fails the test if a value
 * occurs twice, or if it is `count` or more.
 */
size_t flow_values(const struct flow *flow, const char *text, size_t count);

#endif
