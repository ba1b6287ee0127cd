#include "tests/support/pipeline/flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/options.h"
#include "collector/output/sink_thread.h"
#include "collector/platform/clock.h"
#include "collector/receive/sources.h"
#include "collector/senders/sequence.h"
#include "proto/generated/riemann.pb-c.h"
#include "proto/schemas.h"
#include "sinks/encoders/encoders.h"
#include "sinks/sinks.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

/* --- gates ------------------------------------------------------------------------------------ */

void gate_shut(struct gate *gate)
{
    atomic_store(&gate->shut, true);
}

void gate_open(struct gate *gate)
{
    atomic_store(&gate->shut, false);
    wakeup_signal(gate->wakeup);
}

void gate_let_one(struct gate *gate)
{
    atomic_fetch_add(&gate->let, 1);
    wakeup_signal(gate->wakeup);
}

void gate_await_arrivals(struct gate *gate, unsigned count)
{
    int64_t give_up = patience_until();
    while (atomic_load(&gate->arrived) < count)
        if (!patience(give_up))
            fail_msg("no thread came to the gate %u times", count);
}

static void gate_pass(struct gate *gate)
{
    atomic_fetch_add(&gate->arrived, 1);
    while (atomic_load(&gate->shut)) {
        if (atomic_load(&gate->let) != 0) {
            atomic_fetch_sub(&gate->let, 1);
            return;
        }
        wakeup_wait(gate->wakeup, NO_HANDLE, false, 1000);
    }
}

static void before_receive(void *context)
{
    gate_pass(&((struct flow *)context)->receiving);
}

static void before_write(void *context)
{
    gate_pass(&((struct flow *)context)->writing);
}

/* --- opening and closing ---------------------------------------------------------------------- */

static struct wakeup *new_wakeup(void)
{
    struct wakeup *wakeup = NULL;
    struct error error;
    assert_int_equal(wakeup_create(&wakeup, &error), 0);
    return wakeup;
}

int flow_set_up(void **state)
{
    struct flow *flow = calloc(1, sizeof *flow);
    assert_non_null(flow);
    if (scratch_make(state) != 0)
        return -1;
    snprintf(flow->output, sizeof flow->output, "%s", scratch_path("output"));
    snprintf(flow->directory, sizeof flow->directory, "%.*s",
             (int)(strlen(flow->output) - strlen("/output")), flow->output);
    flow->changed = new_wakeup();
    flow->receiving.wakeup = new_wakeup();
    flow->writing.wakeup = new_wakeup();
    flow->sender = udp_sender_open(ADDRESS_IPV4);
    *state = flow;
    return 0;
}

/* Frees the flow. After a failed test it is not freed, because its threads may still use it. */
int flow_tear_down(void **state)
{
    struct flow *flow = *state;
    if (flow->pipeline != NULL && flow->final == NULL)
        return scratch_remove(state);
    ledger_snapshot_free(flow->final);
    pipeline_destroy(flow->pipeline);
    config_free(&flow->config);
    udp_sender_close(flow->sender);
    wakeup_destroy(flow->changed);
    wakeup_destroy(flow->receiving.wakeup);
    wakeup_destroy(flow->writing.wakeup);
    free(flow);
    return scratch_remove(state);
}

/*
 * Returns the path that replaces the name at the beginning of `at`, such as "OUTPUT", and stores
 * the length of the name. Returns NULL if there is no such name.
 */
static const char *name_at(const struct flow *flow, const char *at, size_t *length)
{
    const struct {
        const char *name;
        const char *place;
    } names[] = {
        {"OUTPUT", flow->output}, {"DIRECTORY", flow->directory}, {"CAPTURES", TEST_CAPTURES}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        *length = strlen(names[i].name);
        if (strncmp(at, names[i].name, *length) == 0)
            return names[i].place;
    }
    return NULL;
}

/* Copies a word to `to`, which has `size` bytes. Replaces names such as "OUTPUT" by paths. */
static void put_places(const struct flow *flow, const char *word, char *to, size_t size)
{
    size_t used = 0;
    while (*word != '\0') {
        size_t length;
        const char *place = name_at(flow, word, &length);
        if (place == NULL) {
            place = word;
            length = 1;
        }
        size_t placed = place == word ? 1 : strlen(place);
        assert_true(used + placed < size);
        memcpy(to + used, place, placed);
        used += placed;
        word += length;
    }
    to[used] = '\0';
}

/*
 * Parses the arguments. Splits them into words before it replaces names by paths, because a path
 * may contain a space.
 */
static void parse(struct flow *flow, const char *arguments, struct config *config)
{
    enum { WORDS = 32, WORD_SIZE = 1024 };
    static char words[WORDS][WORD_SIZE];
    char text[4096];
    char *argv[WORDS];
    int argc = 1;
    assert_true(strlen(arguments) < sizeof text);
    strcpy(text, arguments);
    strcpy(words[0], "sluice");
    argv[0] = words[0];
    for (char *word = text + strspn(text, " "), *next; *word != '\0'; word = next) {
        next = word + strcspn(word, " ");
        while (*next == ' ')
            *next++ = '\0';
        assert_true(argc < WORDS);
        put_places(flow, word, words[argc], WORD_SIZE);
        argv[argc] = words[argc];
        argc++;
    }
    const struct config_registry registry = {
        .sources = builtin_sources,
        .schemas = builtin_schemas,
        .schema_from_file = flow->schema_from_file,
        .destinations = builtin_destinations,
        .encoders = builtin_encoders,
        .local_syntax = "unix:PATH",
    };
    struct error error;
    if (options_parse(argc, argv, &registry, config, &error) != OPTIONS_RUN)
        fail_msg("%s", error.text);
    config->notifier = flow->notifier;
}

static void wake(void *context)
{
    wakeup_signal(context);
}

static int create(struct flow *flow, const char *arguments, struct error *error)
{
    parse(flow, arguments, &flow->config);
    struct pipeline_options options = {
        .config = &flow->config,
        .notify = wake,
        .notify_context = flow->changed,
        .before_receive = before_receive,
        .before_write = before_write,
        .hook_context = flow,
    };
    return pipeline_create(&flow->pipeline, &options, error);
}

void flow_open(struct flow *flow, const char *arguments)
{
    struct error error;
    if (create(flow, arguments, &error) != 0 || pipeline_start(flow->pipeline, &error) != 0)
        fail_msg("%s", error.text);
}

struct config *flow_read_config(struct flow *flow, const char *arguments)
{
    struct config *config = calloc(1, sizeof *config);
    assert_non_null(config);
    parse(flow, arguments, config);
    return config;
}

bool flow_take_config(struct flow *flow, const char *arguments, struct error *error)
{
    return pipeline_apply_config(flow->pipeline, flow_read_config(flow, arguments), error) == 0;
}

const char *flow_least_memory(const struct memory_needs *needs, char *text)
{
    uint64_t size = 0;
    /* The plan is made for sinks that all write JSON to a stream. */
    static const struct destination_ops stream = {.scheme = "stream"};
    static const struct sink_settings settings = {.encoder = &encoder_json};
    const struct sink_thread_options options = {.destination = &stream, .settings = &settings};
    struct memory_needs all = *needs;
    size_t of_one;
    assert_true(sink_thread_memory(&options, &of_one));
    all.sink_memory = all.sinks * of_one;
    if (all.spread_window == 0)
        all.spread_window = sequence_spread_window(0);
    struct memory_plan plan;
    do
        size += (uint64_t)64 * 1024;
    while (memory_plan_make(&plan, size, &all, NULL) != 0);
    snprintf(text, FLOW_MEMORY_SIZE, "--memory %lluKiB", (unsigned long long)size / 1024);
    return text;
}

struct error flow_open_fails(struct flow *flow, const char *arguments)
{
    struct error error;
    assert_int_not_equal(create(flow, arguments, &error), 0);
    assert_null(flow->pipeline);
    return error;
}

/* --- sending ---------------------------------------------------------------------------------- */

struct address flow_address(const struct flow *flow, size_t listener)
{
    struct address bound = pipeline_address(flow->pipeline, listener);
    struct address to = loopback(bound.family);
    to.port = bound.port;
    return to;
}

void flow_send(struct flow *flow, size_t listener, uint64_t first, size_t count)
{
    struct address to = flow_address(flow, listener);
    Sluice__Riemann__Event event = SLUICE__RIEMANN__EVENT__INIT;
    Sluice__Riemann__Event *events[] = {&event};
    Sluice__Riemann__Msg msg = SLUICE__RIEMANN__MSG__INIT;
    uint8_t service[] = "requests";
    event.has_service = 1;
    event.service = (ProtobufCBinaryData){sizeof service - 1, service};
    event.has_metric_sint64 = 1;
    msg.n_events = 1;
    msg.events = events;
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[64];
        event.metric_sint64 = (int64_t)(first + i);
        udp_sender_send(flow->sender, &to, bytes, sluice__riemann__msg__pack(&msg, bytes));
    }
}

void flow_send_paced(struct flow *flow, size_t listener, uint64_t first, size_t count)
{
    for (size_t sent = 0; sent < count;) {
        size_t chunk = count - sent < FLOW_CHUNK ? count - sent : FLOW_CHUNK;
        flow_await_received(flow, listener, first + sent);
        flow_send(flow, listener, first + sent, chunk);
        sent += chunk;
    }
}

void flow_send_as_written(struct flow *flow, size_t sink, size_t count)
{
    for (size_t sent = 0; sent < count; sent += FLOW_CHUNK) {
        flow_send(flow, 0, sent, FLOW_CHUNK);
        flow_await_written(flow, sink, sent + FLOW_CHUNK);
    }
}

/* --- waiting ---------------------------------------------------------------------------------- */

typedef uint64_t reading(const struct ledger_snapshot *snapshot, size_t index);

static uint64_t received(const struct ledger_snapshot *snapshot, size_t listener)
{
    return snapshot->listeners[listener].received;
}

static uint64_t offered(const struct ledger_snapshot *snapshot, size_t sink)
{
    return snapshot->sinks[sink].offered;
}

static uint64_t written(const struct ledger_snapshot *snapshot, size_t sink)
{
    return snapshot->sinks[sink].written;
}

static uint64_t read_now(struct flow *flow, reading *read, size_t index)
{
    struct ledger_snapshot *snapshot = pipeline_snapshot(flow->pipeline);
    assert_non_null(snapshot);
    uint64_t value = read(snapshot, index);
    ledger_snapshot_free(snapshot);
    return value;
}

static void await(struct flow *flow, reading *read, size_t index, uint64_t count, const char *what)
{
    int64_t give_up = patience_until();
    while (read_now(flow, read, index) < count) {
        if (clock_monotonic_ns() > give_up)
            fail_msg("not %llu %s in time", (unsigned long long)count, what);
        wakeup_wait(flow->changed, NO_HANDLE, false, 1);
    }
}

void flow_await_received(struct flow *flow, size_t listener, uint64_t count)
{
    await(flow, received, listener, count, "datagrams received");
}

void flow_await_offered(struct flow *flow, size_t sink, uint64_t count)
{
    await(flow, offered, sink, count, "records offered");
}

void flow_await_written(struct flow *flow, size_t sink, uint64_t count)
{
    await(flow, written, sink, count, "records written");
}

void flow_await_state(struct flow *flow, enum pipeline_state state)
{
    int64_t give_up = patience_until();
    while (pipeline_state(flow->pipeline) != state) {
        if (clock_monotonic_ns() > give_up)
            fail_msg("the pipeline is not in state %d in time", (int)state);
        wakeup_wait(flow->changed, NO_HANDLE, false, 1000);
    }
}

void flow_finish(struct flow *flow, int timeout_ms)
{
    pipeline_stop(flow->pipeline, clock_monotonic_ns() + (int64_t)timeout_ms * 1000000);
    flow_await_state(flow, PIPELINE_FINISHED);
    flow->final = pipeline_finish(flow->pipeline);
    assert_non_null(flow->final);
    assert_true(ledger_balances(flow->final));
}

uint64_t flow_refused_datagrams(const struct flow *flow, size_t listener)
{
    uint64_t sum = 0;
    for (int i = 0; i < REASON_COUNT; i++)
        sum += flow->final->listeners[listener].reasons[i];
    return sum;
}

uint64_t flow_refused_records(const struct flow *flow, size_t sink)
{
    uint64_t sum = 0;
    for (int i = 0; i < REFUSAL_COUNT; i++)
        sum += flow->final->sinks[sink].refused[i];
    return sum;
}

void flow_send_large(struct flow *flow, uint64_t count)
{
    struct address to = flow_address(flow, 0);
    static const uint8_t event_of_metric_1[] = {0x32, 0x02, 0x68, 0x02};
    uint8_t events[300 * sizeof event_of_metric_1];
    for (size_t i = 0; i < sizeof events; i += sizeof event_of_metric_1)
        memcpy(events + i, event_of_metric_1, sizeof event_of_metric_1);
    for (uint64_t i = 1; i <= count; i++) {
        udp_sender_send(flow->sender, &to, events, sizeof events);
        flow_await_received(flow, 0, i);
        if (!atomic_load(&flow->writing.shut))
            flow_await_written(flow, 0, i);
    }
}

/* --- reading the output ----------------------------------------------------------------------- */

struct lines lines_read(const char *path)
{
    struct lines lines = {.whole = true};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    lines.size = (size_t)ftell(file);
    rewind(file);
    lines.text = malloc(lines.size + 1);
    assert_non_null(lines.text);
    assert_int_equal(fread(lines.text, 1, lines.size, file), lines.size);
    lines.text[lines.size] = '\0';
    fclose(file);
    for (size_t i = 0; i < lines.size; i++)
        lines.count += lines.text[i] == '\n';
    lines.whole = lines.size == 0 || lines.text[lines.size - 1] == '\n';
    return lines;
}

void lines_free(struct lines *lines)
{
    free(lines->text);
}

/* Returns the line at *at as a string, and moves *at to the next line. Returns NULL at the end. */
static char *next_line(const struct lines *lines, size_t *at)
{
    if (*at == lines->size)
        return NULL;
    char *line = lines->text + *at;
    char *end = memchr(line, '\n', lines->size - *at);
    assert_non_null(end);
    *end = '\0';
    *at += (size_t)(end - line) + 1;
    return line;
}

static void put_back_newline(const struct lines *lines, size_t at)
{
    lines->text[at - 1] = '\n';
}

size_t lines_with(const struct lines *lines, const char *text)
{
    size_t count = 0;
    size_t at = 0;
    for (const char *line; (line = next_line(lines, &at)) != NULL;) {
        count += strstr(line, text) != NULL;
        put_back_newline(lines, at);
    }
    return count;
}

void lines_count_values(const struct lines *lines, const char *text, uint8_t *seen, size_t limit)
{
    static const char key[] = "\"value\":";
    size_t at = 0;
    for (const char *line; (line = next_line(lines, &at)) != NULL;) {
        if (strstr(line, text) != NULL) {
            const char *value = strstr(line, key);
            assert_non_null(value);
            unsigned long long number = strtoull(value + sizeof key - 1, NULL, 10);
            assert_true(number < limit);
            seen[number]++;
        }
        put_back_newline(lines, at);
    }
}

size_t flow_values(const struct flow *flow, const char *text, size_t count)
{
    struct lines lines = lines_read(flow->output);
    assert_true(lines.whole);
    uint8_t *seen = calloc(count, 1);
    assert_non_null(seen);
    lines_count_values(&lines, text, seen, count);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(seen[i] <= 1);
        found += seen[i];
    }
    free(seen);
    lines_free(&lines);
    return found;
}
