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

/* A door that a thread of the pipeline waits at while it is shut. */
struct gate {
    _Atomic bool shut;
    _Atomic unsigned arrived; /* how often it was come to */
    _Atomic unsigned let;     /* how many may pass though it is shut */
    struct wakeup *wakeup;
};

struct flow {
    char directory[512];                       /* the test's own, removed by flow_tear_down */
    char output[520];                          /* a file in it, for a sink */
    const struct schema_ops *schema_from_file; /* the test's, before the opening; NULL: none */
    const struct notifier_backend *notifier;   /* the same; NULL: the system's best */
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
 * gates stay as they were set.
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
 * "--memory" with the least that these needs allow, so that rings are short and fill soon; in
 * `text` of FLOW_MEMORY_SIZE bytes.
 */
#define FLOW_MEMORY_SIZE 64
const char *flow_least_memory(const struct memory_needs *needs, char *text);

/* The same as far as pipeline_create, which must fail; gives its error. */
struct error flow_open_fails(struct flow *flow, const char *arguments);

void gate_shut(struct gate *gate);
void gate_open(struct gate *gate);

/* Lets one pass through a gate that stays shut. */
void gate_let_one(struct gate *gate);

/* Waits until the gate was come to so often. */
void gate_await_arrivals(struct gate *gate, unsigned count);

/* Where a listener is bound, with a loopback host to send to. */
struct address flow_address(const struct flow *flow, size_t listener);

/* Sends `count` Riemann messages, each one event whose metric is its number, from `first` on. */
void flow_send(struct flow *flow, size_t listener, uint64_t first, size_t count);

/*
 * The same to a listener that has received `first` already, so paced that the kernel's smallest
 * buffer drops none; waits until all but the last FLOW_CHUNK have been received.
 */
#define FLOW_CHUNK 200
void flow_send_paced(struct flow *flow, size_t listener, uint64_t first, size_t count);

/* The same to the only listener of a flow, so paced that this sink keeps up, too. */
void flow_send_as_written(struct flow *flow, size_t sink, size_t count);

/*
 * Sends the first listener messages that need a large batch when decoded, of which there are few,
 * so paced that they are received and, where the gate is open, written.
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

/* Lines that contain `text`. */
size_t lines_with(const struct lines *lines, const char *text);

/*
 * Notes in seen[n] how many lines have the value n, for n below `limit`, of lines that contain
 * `text` ("" for all). Fails the test where a value is none of these.
 */
void lines_count_values(const struct lines *lines, const char *text, uint8_t *seen, size_t limit);

/* How many of `count` values are in the output's lines with `text`; each at most once. */
size_t flow_values(const struct flow *flow, const char *text, size_t count);

#endif
