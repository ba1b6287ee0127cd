#include "collector/config_tests/config_test_run.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/base/rule.h"
#include "collector/base/suggestion.h"
#include "collector/config/config.h"
#include "collector/config_tests/config_test_feed.h"
#include "collector/config_tests/config_test_file.h"
#include "collector/config_tests/config_test_frame.h"
#include "collector/config_tests/config_test_output.h"
#include "collector/contract/destination.h"
#include "collector/pipeline/pipeline.h"
#include "collector/platform/clock.h"
#include "collector/platform/wakeup.h"
#include "collector/text/base64.h"
#include "collector/text/hex.h"

/* A test that takes longer than 30 s is stopped. */
#define LONGEST_NS INT64_C(30000000000)

struct running {
    const struct config_test_file *file;
    const struct config_test *test;
    const struct config *config;
    config_test_encoder *encode;
    struct error *error;

    const struct listener_config *original;
    struct listener_config listener; /* this copy and the copies below borrow their strings */
    struct sink_config *sinks;
    struct config_test_output *outputs;
    struct config copy;
    struct feed_item *items;
    struct growing_text *texts; /* for each input, its bytes or the path of its capture */
    struct config_test_feed feed;
    struct wakeup *wakeup;
};

static int refuse_at(const struct running *running, struct provenance_mark mark, const char *why)
{
    config_test_file_error(running->file, mark, why, running->error);
    return -1;
}

/* --- names ------------------------------------------------------------------------------------ */

/*
 * Returns true if `given` is `name`, perhaps without a colon at its end: "stdout" for "stdout:"
 * needs no quotation marks in YAML.
 */
static bool has_name(const char *name, const struct config_test_text *given)
{
    size_t length = strlen(name);
    if (length == given->size + 1 && name[length - 1] == ':')
        length--;
    return length == given->size && memcmp(name, given->data, length) == 0;
}

/*
 * Returns true if `given` names the sink. A command can be named by its program or by its command
 * line, "command:LINE".
 */
static bool is_sink(const struct sink_config *sink, const struct config_test_text *given)
{
    size_t scheme = strlen(sink->destination->scheme) + 1;
    if (has_name(sink->name, given))
        return true;
    if (sink->destination->place_is != PLACE_COMMAND || given->size <= scheme ||
        memcmp(given->data, sink->url, scheme) != 0)
        return false;
    const struct config_test_text line = {.data = given->data + scheme,
                                          .size = given->size - scheme};
    return has_name(sink->path, &line);
}

static void set_unknown(const struct config_test_file *file, const struct config_test_text *given,
                        const char *what, const struct suggestion *suggestion, struct error *error)
{
    char text[QUOTED_SIZE];
    struct parse_error fault;
    parse_error_set(&fault, 0, "%s is not a %s of %s", quoted(given->data, given->size, text), what,
                    file->config);
    parse_error_suggest(&fault, suggestion_found(suggestion));
    config_test_file_error(file, given->mark, fault.text, error);
}

int config_test_find_sink(const struct config_test_file *file, const struct config *config,
                          const struct config_test_expectation *expectation, struct error *error)
{
    const struct config_test_text *given = &expectation->sink;
    struct suggestion suggestion;
    if (given->data == NULL && config->sink_count == 1)
        return 0;
    if (given->data == NULL) {
        config_test_file_error(file, expectation->mark,
                               "\"sink\" is missing: the configuration has several sinks", error);
        return -1;
    }
    suggestion_begin(&suggestion, given->data, given->size);
    for (size_t i = 0; i < config->sink_count; i++) {
        suggestion_offer(&suggestion, config->sinks[i].name);
        if (is_sink(&config->sinks[i], given))
            return (int)i;
    }
    set_unknown(file, given, "sink", &suggestion, error);
    return -1;
}

static int find_listener(struct running *running)
{
    const struct config *config = running->config;
    const struct config_test_text *given = &running->test->listener;
    struct suggestion suggestion;
    if (given->data == NULL && config->listener_count != 1)
        return refuse_at(running, running->test->mark,
                         "\"listener\" is missing: the configuration has several listeners");
    running->original = &config->listeners[0];
    if (given->data == NULL)
        return 0;
    suggestion_begin(&suggestion, given->data, given->size);
    for (size_t i = 0; i < config->listener_count; i++) {
        running->original = &config->listeners[i];
        suggestion_offer(&suggestion, running->original->name);
        if (has_name(running->original->name, given))
            return 0;
    }
    set_unknown(running->file, given, "listener", &suggestion, running->error);
    return -1;
}

/* --- inputs ----------------------------------------------------------------------------------- */

static bool is_blank_char(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static int read_hex(const struct running *running, const struct config_test_input *input,
                    struct growing_text *to)
{
    int high = -1;
    for (size_t i = 0; i < input->text.size; i++) {
        int digit = hex_digit_value(input->text.data[i]);
        if (is_blank_char(input->text.data[i]) && high < 0)
            continue;
        if (digit < 0)
            return refuse_at(running, input->text.mark,
                             "\"hex\" must be pairs of hexadecimal digits");
        if (high < 0) {
            high = digit;
            continue;
        }
        const uint8_t byte = (uint8_t)(high << 4 | digit);
        growing_text_put(to, &byte, 1);
        high = -1;
    }
    return high < 0 ? 0
                    : refuse_at(running, input->text.mark, "\"hex\" has an odd number of digits");
}

static int read_base64(const struct running *running, const struct config_test_input *input,
                       struct growing_text *to)
{
    struct growing_text bare = {.data = NULL};
    size_t used = 0;
    for (size_t i = 0; i < input->text.size; i++)
        if (!is_blank_char(input->text.data[i]))
            growing_text_put(&bare, &input->text.data[i], 1);
    uint8_t *bytes = malloc(base64_most(bare.used) + 1);
    int result = bytes == NULL || bare.failed ? error_no_memory(running->error) : 0;
    if (result == 0 && base64_decode(bare.data, bare.used, bytes, &used) != bare.used)
        result = refuse_at(running, input->text.mark,
                           "\"base64\" is not valid base64 (RFC 4648, with padding)");
    if (result == 0)
        growing_text_put(to, bytes, used);
    free(bytes);
    growing_text_free(&bare);
    return result;
}

static const struct schema_config *find_schema(const struct running *running,
                                               const struct config_test_input *input)
{
    const struct listener_config *listener = running->original;
    struct suggestion suggestion;
    if (input->schema.data == NULL)
        return &listener->schemas[0];
    suggestion_begin(&suggestion, input->schema.data, input->schema.size);
    for (size_t i = 0; i < listener->schema_count; i++) {
        const struct schema_config *schema = &listener->schemas[i];
        const char *name = schema->from_file ? schema->message : schema->source;
        suggestion_offer(&suggestion, name);
        if (has_name(name, &input->schema))
            return schema;
    }
    set_unknown(running->file, &input->schema, "schema of the listener", &suggestion,
                running->error);
    return NULL;
}

static int read_json(const struct running *running, const struct config_test_input *input,
                     size_t number, struct growing_text *to)
{
    const struct schema_config *schema = find_schema(running, input);
    uint8_t *bytes;
    size_t size;
    struct error why;
    if (schema == NULL)
        return -1;
    if (running->encode(schema, input->text.data, &bytes, &size, &why) != 0) {
        /*
         * If the schema cannot be created, pipeline_check_schemas fills the error with the wrong
         * key. Otherwise the JSON is wrong.
         */
        if (pipeline_check_schemas(running->config, running->error) == 0)
            refuse_at(running, input->text.mark, why.text);
        return -1;
    }
    const struct config_test_frame frame = {
        .framing = schema->framing,
        .header = (size_t)schema->header,
        .schema = schema->from_file ? "" : schema->source,
        .number = (uint32_t)number,
    };
    if (config_test_feed_is_stream(running->original))
        config_test_frame_begin_stream(to, schema->framing);
    config_test_frame_put(to, &frame, bytes, size);
    free(bytes);
    return 0;
}

static int read_capture(const struct running *running, const struct config_test_input *input,
                        struct growing_text *to)
{
    if (config_test_feed_is_stream(running->original))
        return refuse_at(running, input->mark,
                         "a capture contains datagrams, but this listener accepts connections");
    char *path = config_test_file_path(running->file, input->text.data);
    if (path == NULL)
        return error_no_memory(running->error);
    growing_text_put(to, path, strlen(path) + 1);
    free(path);
    return 0;
}

static int read_input(struct running *running, size_t number)
{
    const struct config_test_input *input = &running->test->inputs[number];
    struct growing_text *text = &running->texts[number];
    struct feed_item *item = &running->items[number];
    int result = 0;
    switch (input->kind) {
    case CONFIG_TEST_INPUT_JSON:
        result = read_json(running, input, number, text);
        break;
    case CONFIG_TEST_INPUT_HEX:
        result = read_hex(running, input, text);
        break;
    case CONFIG_TEST_INPUT_BASE64:
        result = read_base64(running, input, text);
        break;
    case CONFIG_TEST_INPUT_CAPTURE:
        result = read_capture(running, input, text);
        break;
    case CONFIG_TEST_INPUT_NONE:
        break;
    }
    if (result != 0)
        return -1;
    *item =
        (struct feed_item){.data = (const uint8_t *)(text->used != 0 ? text->data : ""),
                           .size = text->used,
                           .capture = input->kind == CONFIG_TEST_INPUT_CAPTURE ? text->data : NULL,
                           .source = input->source,
                           .time_ns = input->time_ns};
    return text->failed ? error_no_memory(running->error) : 0;
}

static int check_length(const struct running *running, size_t number)
{
    const struct feed_item *item = &running->items[number];
    if (item->capture != NULL || item->size <= 65535 ||
        config_test_feed_is_stream(running->original))
        return 0;
    return refuse_at(running, running->test->inputs[number].mark,
                     "a datagram has at most 65,535 bytes");
}

static int read_inputs(struct running *running)
{
    size_t count = running->test->input_count;
    running->items = calloc(count, sizeof *running->items);
    running->texts = calloc(count, sizeof *running->texts);
    if (running->items == NULL || running->texts == NULL)
        return error_no_memory(running->error);
    for (size_t i = 0; i < count; i++)
        if (read_input(running, i) != 0 || check_length(running, i) != 0)
            return -1;
    running->feed.items = running->items;
    running->feed.count = count;
    return 0;
}

/* --- the pipeline ----------------------------------------------------------------------------- */

/* Copies the configuration, and replaces its input and outputs by those of the test. */
static int copy_config(struct running *running)
{
    const struct config *config = running->config;
    size_t count = config->sink_count;
    running->sinks = calloc(count, sizeof *running->sinks);
    running->outputs = calloc(count, sizeof *running->outputs);
    if (running->sinks == NULL || running->outputs == NULL)
        return error_no_memory(running->error);
    config_test_feed_join(&running->feed, running->original, &running->listener);
    for (size_t i = 0; i < count; i++) {
        running->sinks[i] = config->sinks[i];
        running->sinks[i].settings.encoding.host = running->test->hostname.data;
        config_test_output_join(&running->outputs[i], &running->sinks[i]);
    }
    running->copy = (struct config){
        .listeners = &running->listener,
        .listener_count = 1,
        .sinks = running->sinks,
        .sink_count = count,
        .sources = config->sources,
        .schemas = config->schemas,
        .limits.stop_timeout_ns = config->limits.stop_timeout_ns,
        .limits.stall_timeout_ns = config->limits.stall_timeout_ns,
        .log = config->log,
        .threads = THREADS_EACH,
    };
    return 0;
}

static void wake_runner(void *context)
{
    struct running *running = context;
    wakeup_signal(running->wakeup);
}

static bool wait_until_finished(struct running *running, struct pipeline *pipeline)
{
    int64_t limit = clock_monotonic_ns() + LONGEST_NS;
    while (pipeline_state(pipeline) != PIPELINE_FINISHED) {
        int64_t left = limit - clock_monotonic_ns();
        if (left <= 0)
            return false;
        wakeup_wait(running->wakeup, NO_HANDLE, false, (int)(left / 1000000) + 1);
    }
    return true;
}

static int take_outcome(struct running *running, const struct ledger_snapshot *ledger,
                        struct config_test_outcome *outcome)
{
    if (!ledger_balances(ledger)) {
        error_set(running->error, EXIT_CODE_INTERNAL, "%s: the ledger does not balance",
                  running->test->name.data);
        return -1;
    }
    RULE(ledger->listener_count == 1 && ledger->sink_count == running->copy.sink_count,
         "the ledger of a test has its listener and its sinks");
    memcpy(outcome->refused, ledger->listeners[0].reasons, sizeof outcome->refused);
    outcome->sinks = calloc(running->copy.sink_count, sizeof *outcome->sinks);
    if (outcome->sinks == NULL)
        return error_no_memory(running->error);
    outcome->sink_count = running->copy.sink_count;
    for (size_t i = 0; i < outcome->sink_count; i++) {
        struct config_test_sink_outcome *sink = &outcome->sinks[i];
        struct growing_text *kept = &running->outputs[i].kept;
        const struct sink_config *config = &running->config->sinks[i];
        bool relayed = config->destination->takes == TAKES_DATAGRAMS;
        sink->name = config->name;
        sink->binary = config->settings.encoder->binary || relayed;
        sink->filtered = ledger->sinks[i].filtered;
        memcpy(sink->failed, ledger->sinks[i].failed, sizeof sink->failed);
        if (sink->binary && !relayed)
            growing_text_put_hex(&sink->lines, kept->data, kept->used, CONFIG_TEST_HEX_WIDTH);
        else
            growing_text_put(&sink->lines, kept->data, kept->used);
        if (kept->failed || sink->lines.failed)
            return error_no_memory(running->error);
    }
    return 0;
}

static int run_to_end(struct running *running, struct pipeline *pipeline,
                      struct config_test_outcome *outcome)
{
    if (pipeline_start(pipeline, running->error) != 0)
        return -1;
    bool ended = wait_until_finished(running, pipeline);
    if (!ended)
        pipeline_stop(pipeline, clock_monotonic_ns());
    struct ledger_snapshot *ledger = pipeline_finish(pipeline);
    int result = 0;
    if (ledger == NULL) {
        result = error_no_memory(running->error);
    } else if (!ended) {
        error_set(running->error, EXIT_CODE_INTERNAL, "%s: stopped after 30 seconds",
                  running->test->name.data);
        result = -1;
    } else if (running->feed.damaged) {
        result = refuse_at(running, running->test->mark, running->feed.error.text);
    } else {
        result = take_outcome(running, ledger, outcome);
    }
    ledger_snapshot_free(ledger);
    return result;
}

static int run_pipeline(struct running *running, struct config_test_outcome *outcome)
{
    const struct pipeline_options options = {
        .config = &running->copy, .notify = wake_runner, .notify_context = running};
    struct pipeline *pipeline = NULL;
    if (wakeup_create(&running->wakeup, running->error) != 0)
        return -1;
    int result = pipeline_create(&pipeline, &options, running->error);
    if (result == 0)
        result = run_to_end(running, pipeline, outcome);
    pipeline_destroy(pipeline);
    wakeup_destroy(running->wakeup);
    return result;
}

/* --- the whole run ---------------------------------------------------------------------------- */

static void free_running(struct running *running)
{
    for (size_t i = 0; running->texts != NULL && i < running->test->input_count; i++)
        growing_text_free(&running->texts[i]);
    for (size_t i = 0; running->outputs != NULL && i < running->config->sink_count; i++)
        growing_text_free(&running->outputs[i].kept);
    free(running->texts);
    free(running->items);
    free(running->outputs);
    free(running->sinks);
}

int config_test_run(const struct config_test_file *file, const struct config_test *test,
                    const struct config *config, config_test_encoder *encode,
                    struct config_test_outcome *outcome, struct error *error)
{
    struct running running = {
        .file = file, .test = test, .config = config, .encode = encode, .error = error};
    *outcome = (struct config_test_outcome){.sinks = NULL};
    int result = 0;
    if (find_listener(&running) != 0 || read_inputs(&running) != 0 || copy_config(&running) != 0 ||
        run_pipeline(&running, outcome) != 0)
        result = -1;
    free_running(&running);
    if (result != 0)
        config_test_outcome_free(outcome);
    return result;
}

void config_test_outcome_free(struct config_test_outcome *outcome)
{
    for (size_t i = 0; i < outcome->sink_count; i++)
        growing_text_free(&outcome->sinks[i].lines);
    free(outcome->sinks);
    *outcome = (struct config_test_outcome){.sinks = NULL};
}
