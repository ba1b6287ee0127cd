/*
 * A whole collector inside a test: a pipeline made from command-line arguments, senders, its output
 * file, and gates that slow it down where a test wants it slow.
 *
 * Fails the running cmocka test where something does not happen in time.
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

/* A gate. While it is shut, a thread of the pipeline that comes to it waits. */
struct gate {
    _Atomic bool shut;
    _Atomic unsigned arrived; /* how often a thread has come to the gate */
    _Atomic unsigned let;     /* how many may pass while the gate is shut */
    struct wakeup *wakeup;
};

struct flow {
    char directory[512];                       /* the test's own folder, removed by
                                                  flow_tear_down */
    char output[520];                          /* path of a file in that folder, for a sink */
    const struct schema_ops *schema_from_file; /* set by the test before flow_open; NULL: none */
    const struct notifier_backend *notifier;   /* set by the test before flow_open; NULL: the
                                                  system's best */
    struct config config;
    struct pipeline *pipeline;
    struct ledger_snapshot *final; /* after flow_finish */
    struct wakeup *changed;
    struct udp_sender *sender; /* IPv4 */
    struct gate receiving;     /* passed before each receive */
    struct gate writing;       /* passed before each write */
};

/* A cmocka setup and teardown: *state is a struct flow that is not yet open. */
int flow_set_up(void **state);
int flow_tear_down(void **state);

/*
 * Makes and starts the pipeline of these arguments, separated by blanks, in which "OUTPUT" stands
 * for the output file, "DIRECTORY" for its directory and "CAPTURES" for the folder of captures. The
 * gates are not changed.
 */
void flow_open(struct flow *flow, const char *arguments);

/* The configuration of other arguments, for pipeline_apply_config, which takes it over. */
struct config *flow_read_config(struct flow *flow, const char *arguments);

/*
 * Has the running pipeline take over the configuration of other arguments. Returns false with
 * `error` filled where it does not.
 */
bool flow_take_config(struct flow *flow, const char *arguments, struct error *error);

/*
 * The option "--memory" with the smallest size that these needs allow, so that queues are short and
 * fill soon. Written to `text`, which has FLOW_MEMORY_SIZE bytes.
 */
#define FLOW_MEMORY_SIZE 64
const char *flow_least_memory(const struct memory_needs *needs, char *text);

/* As flow_open, but pipeline_create must fail. Returns its error. */
struct error flow_open_fails(struct flow *flow, const char *arguments);

void gate_shut(struct gate *gate);
void gate_open(struct gate *gate);

/* Lets one thread pass through a gate that stays shut. */
void gate_let_one(struct gate *gate);

/* Waits until threads have come to the gate `count` times. */
void gate_await_arrivals(struct gate *gate, unsigned count);

/* The address of a listener; its host is a loopback address to send to. */
struct address flow_address(const struct flow *flow, size_t listener);

/* Sends `count` Riemann messages, each one event whose metric is its number, from `first` on. */
void flow_send(struct flow *flow, size_t listener, uint64_t first, size_t count);

/*
 * As flow_send, to a listener that has already received `first` datagrams. Pauses keep the kernel's
 * smallest buffer from dropping any; waits until all but the last FLOW_CHUNK have been received.
 */
#define FLOW_CHUNK 200
void flow_send_paced(struct flow *flow, size_t listener, uint64_t first, size_t count);

/* As flow_send, to the only listener of a flow, with pauses so that this sink is not too slow. */
void flow_send_as_written(struct flow *flow, size_t sink, size_t count);

/*
 * Sends to the first listener messages that need a large batch when decoded. There are few large
 * batches, so it waits until they are received and, if the gate is open, written.
 */
void flow_send_large(struct flow *flow, uint64_t count);

/* Waits until a listener has received `count` datagrams. */
void flow_await_received(struct flow *flow, size_t listener, uint64_t count);

/* Waits until a sink has been offered `count` records. */
void flow_await_offered(struct flow *flow, size_t sink, uint64_t count);

/* Waits until a sink has written `count` records. */
void flow_await_written(struct flow *flow, size_t sink, uint64_t count);

/* Waits until the pipeline's state is this one. */
void flow_await_state(struct flow *flow, enum pipeline_state state);

/*
 * Stops with `timeout_ms` to flush, waits for the end, and checks that the ledger balances. The
 * final ledger is then in flow->final.
 */
void flow_finish(struct flow *flow, int timeout_ms);

/* Datagrams of a listener that were received but not decoded. */
uint64_t flow_refused_datagrams(const struct flow *flow, size_t listener);

/* Records of a sink that its rings refused. */
uint64_t flow_refused_records(const struct flow *flow, size_t sink);

/* A file's lines: how many, whether the last one is whole, and what numbers they hold. */
struct lines {
    size_t count;
    bool whole;
    char *text;
    size_t size;
};

/* Reads the file; free with lines_free. */
struct lines lines_read(const char *path);
void lines_free(struct lines *lines);

/* The number of lines that contain `text`. */
size_t lines_with(const struct lines *lines, const char *text);

/*
 * Counts values in lines that contain `text` ("": all lines): seen[n] is the number of lines with
 * the value n. Fails the test if a value is not below `limit`.
 */
void lines_count_values(const struct lines *lines, const char *text, uint8_t *seen, size_t limit);

/*
 * The number of values below `count` in the output's lines with `text`. Each may occur at most
 * once.
 */
size_t flow_values(const struct flow *flow, const char *text, size_t count);

#endif
