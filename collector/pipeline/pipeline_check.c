#include "collector/pipeline/pipeline_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/config.h"
#include "collector/config/key_place.h"
#include "collector/contract/source.h"
#include "collector/log/log.h"
#include "collector/output/sink_thread.h"
#include "collector/pipeline/memory_plan.h"
#include "collector/pipeline/pipeline.h"
#include "collector/pipeline/pipeline_keys.h"
#include "collector/pipeline/pipeline_producers.h"
#include "collector/pipeline/pipeline_relays.h"
#include "collector/platform/notifier.h"
#include "collector/platform/process.h"
#include "collector/receive/assembly.h"
#include "collector/receive/decrypting.h"
#include "collector/receive/unsealing.h"
#include "collector/record/schema_list.h"
#include "collector/senders/sequence.h"
#include "collector/series/series_guard.h"
#include "collector/text/label_template.h"

/* --- needs of a configuration ----------------------------------------------------------------- */

struct sink_thread_options pipeline_sink_options(const struct sink_config *config)
{
    return (struct sink_thread_options){
        .name = config->name,
        .destination = config->destination,
        .path = config->path,
        .settings = &config->settings,
        .drops_oldest = config->overflow == OVERFLOW_DROP_OLDEST,
    };
}

/*
 * The longest message, encoded and decoded, that fits into a large batch of the usual size (bytes).
 */
#define USUAL_MESSAGE ((uint64_t)64 * 1024)
#define USUAL_DECODED ((uint64_t)960 * 1024)

/* Bytes added for the record itself, and for rounding up to pages. */
#define BATCH_SLACK ((uint64_t)64 * 1024)

static uint64_t longest_message(const struct listener_config *listener)
{
    uint64_t longest =
        listener->source->longest == NULL ? USUAL_MESSAGE : listener->source->longest(listener);
    uint64_t put_together = listener->segment_memory / 4 < listener->max_decoded
                                ? listener->segment_memory / 4
                                : listener->max_decoded;
    if (!listener_has_segments(listener) || put_together < longest)
        return longest;
    return put_together;
}

size_t pipeline_large_batch(const struct config *config)
{
    uint64_t most = BATCH_LARGE_SIZE;
    for (size_t i = 0; i < config->listener_count; i++) {
        const struct listener_config *listener = &config->listeners[i];
        uint64_t message = longest_message(listener);
        if (message <= USUAL_MESSAGE && listener->max_decoded <= USUAL_DECODED)
            continue;
        uint64_t size = message + listener->max_decoded + BATCH_SLACK;
        size = size / BATCH_SLACK * BATCH_SLACK;
        most = size > most ? size : most;
    }
    return (size_t)most;
}

struct sink_thread_options pipeline_sink_of(const struct config *config,
                                            const struct sink_config *sink)
{
    struct sink_thread_options options = pipeline_sink_options(sink);
    size_t large = pipeline_large_batch(config);
    options.record_size = large > SINK_RECORD_SIZE ? 2 * large : SINK_RECORD_SIZE;
    options.reserve = config->limits.min_free;
    return options;
}

/*
 * Returns the bytes that all ingests of the listener need to reassemble segments, to open sealed
 * datagrams, and for DTLS.
 */
static uint64_t ingests_memory(const struct listener_config *listener, size_t ingests)
{
    uint64_t each = listener_has_segments(listener) ? assembly_memory(listener->segment_memory) : 0;
    if (listener_is_sealed(listener))
        each += unsealing_memory();
    if ((listener->source->keys & SOURCE_KEYS_DTLS) != 0)
        each += decrypting_memory(listener->sessions);
    return ingests * each;
}

/*
 * Returns the size of the windows for senders with several connections. A reload may add a listener
 * for such senders, so the size is never 0.
 */
static uint32_t spread_window(const struct config *config)
{
    uint64_t most = 0;
    for (size_t i = 0; i < config->listener_count; i++) {
        const struct listener_config *listener = &config->listeners[i];
        uint64_t apart = listener->source->apart == NULL ? 0 : listener->source->apart(listener);
        most = apart > most ? apart : most;
    }
    return sequence_spread_window(most);
}

int pipeline_count_needs(const struct config *config, const struct notifier_backend *notifier,
                         uint64_t reserved, struct memory_needs *needs, struct error *error)
{
    *needs = (struct memory_needs){.sinks = config->sink_count,
                                   .dead_letters = config->dead_letter.name != NULL,
                                   .control = config->access.control != NULL,
                                   .senders = config_reports_senders(config),
                                   .spread_window = spread_window(config),
                                   .large_batch = pipeline_large_batch(config),
                                   .reserved = reserved};
    for (size_t i = 0; i < config->sink_count; i++) {
        struct sink_thread_options options = pipeline_sink_of(config, &config->sinks[i]);
        size_t bytes;
        if (!sink_thread_memory(&options, &bytes))
            return error_no_memory(error);
        needs->sink_memory += bytes;
        needs->series_memory += series_guard_memory(&config->sinks[i].settings.encoding.limits);
    }
    uint64_t keys;
    if (pipeline_keys_memory(config, &keys, error) != 0)
        return -1;
    needs->source_memory += keys;
    for (size_t i = 0; i < config->listener_count; i++) {
        const struct listener_config *listener = &config->listeners[i];
        needs->rate_limits += listener->rate_limit != 0;
        if (listener->source->producer != NULL) {
            size_t threads = pipeline_threads_of(listener);
            needs->producers++;
            needs->producer_threads += threads;
            needs->ingests += threads;
            needs->source_memory += ingests_memory(listener, threads);
            if (listener->source->memory != NULL)
                needs->source_memory += listener->source->memory(listener);
        } else {
            size_t sockets = pipeline_sockets_of(listener);
            needs->ingests += sockets;
            needs->source_memory += ingests_memory(listener, sockets);
            if (listener->receivers > needs->receivers)
                needs->receivers = listener->receivers;
        }
    }
    needs->fan_outs = notifier->shared && needs->receivers > 0 ? 1 : needs->receivers;
    return 0;
}

/* --- checks of a configuration ---------------------------------------------------------------- */

/* Returns true if the sink passes messages of the schema on unchanged, and so needs no samples. */
static bool passes_on(const struct sink_config *sink, const struct schema *schema)
{
    return sink->settings.encoder->passes_otlp && schema->ops->is_otlp;
}

static void set_no_samples(struct error *error, const struct sink_config *sink,
                           const struct schema *schema, const struct listener_config *listener)
{
    const char *rule = sample_rules_given(&sink->settings.encoding.rules);
    if (sink->settings.encoder->needs_samples && !passes_on(sink, schema))
        error_set(
            error, EXIT_CODE_CONFIG,
            "%s: format=%s needs samples, but schema %s of %s has no samples; use format=json "
            "to write its messages",
            sink->name, sink->settings.encoder->name, schema->name, listener->name);
    else if (rule == NULL && sink->settings.encoding.limits.given != NULL)
        error_set(error, EXIT_CODE_CONFIG,
                  "%s: %s= needs samples, but schema %s of %s has no samples", sink->name,
                  sink->settings.encoding.limits.given, schema->name, listener->name);
    else if (rule != NULL)
        error_set(error, EXIT_CODE_CONFIG,
                  "%s: %s= needs samples, but schema %s of %s has no samples", sink->name, rule,
                  schema->name, listener->name);
    else
        error_set(
            error, EXIT_CODE_CONFIG,
            "%s: view=sample needs samples, but schema %s of %s has no samples; omit view= to "
            "choose for each schema",
            sink->name, schema->name, listener->name);
}

static bool can_write(const struct sink_config *sink, const struct schema *schema,
                      const struct listener_config *listener, struct error *error)
{
    if (sink->settings.encoding.view == VIEW_RECORD && schema->ops->next_item == NULL) {
        error_set(error, EXIT_CODE_CONFIG,
                  "%s: view=record needs log records or spans, but schema %s of %s lacks "
                  "them; omit view= to choose for each schema",
                  sink->name, schema->name, listener->name);
        return false;
    }
    if (sink_config_needs_samples(sink, passes_on(sink, schema)) && !schema->has_samples) {
        set_no_samples(error, sink, schema, listener);
        return false;
    }
    return true;
}

/*
 * Checks that every sink can write the records of every listener, because it receives all of them.
 */
static int check_views(const struct config *config, const struct listener_config *listener,
                       const struct schema_list *list, struct error *error)
{
    for (size_t i = 0; i < config->sink_count; i++) {
        const struct sink_config *sink = &config->sinks[i];
        for (size_t k = 0; k < list->count; k++) {
            if (can_write(sink, list->entries[k].schema, listener, error))
                continue;
            error_place(error, sink->written_at);
            return -1;
        }
    }
    return 0;
}

static bool adds_sender_id(const struct sink_config *sink)
{
    const struct sample_pairs *list = sink->settings.encoding.rules.add_label;
    struct label_piece piece;
    for (size_t i = 0; list != NULL && i < list->count; i++)
        for (size_t at = 0; label_template_next(&list->pairs[i].to, &at, &piece);)
            if (piece.field == LABEL_SENDER_ID)
                return true;
    return false;
}

static bool has_sender_ids(const struct config *config)
{
    for (size_t i = 0; i < config->listener_count; i++)
        for (size_t k = 0; k < config->listeners[i].schema_count; k++)
            if (config->listeners[i].schemas[k].ops->sender_id != NULL)
                return true;
    return false;
}

static int check_sender_ids(const struct config *config, struct error *error)
{
    for (size_t i = 0; i < config->sink_count && !has_sender_ids(config); i++) {
        if (!adds_sender_id(&config->sinks[i]))
            continue;
        error_set(error, EXIT_CODE_CONFIG,
                  "%s: add_label= has %%{sender_id}, but no listener has schema=telemetry; for a "
                  "schema from a file, name the field in labels=",
                  config->sinks[i].name);
        error_place(error, config->sinks[i].written_at);
        return -1;
    }
    return 0;
}

static void describe_wrong_limits(const struct series_limits *limits, char *text, size_t size)
{
    text[0] = '\0';
    if (limits->max_series == 0 && limits->max_per_sender != 0)
        snprintf(text, size, "max_series_per_sender= needs max_series=");
    else if (limits->max_series == 0 && limits->timeout != 0)
        snprintf(text, size, "series_timeout= needs max_series=");
    else if (limits->max_per_sender > limits->max_series)
        snprintf(text, size, "max_series_per_sender=%" PRIu64 " is more than max_series=%" PRIu64,
                 limits->max_per_sender, limits->max_series);
}

static int check_limits(const struct config *config, struct error *error)
{
    bool limited = false;
    char text[128];
    for (size_t i = 0; i < config->sink_count; i++) {
        const struct series_limits *limits = &config->sinks[i].settings.encoding.limits;
        limited = limited || limits->max_series != 0;
        describe_wrong_limits(limits, text, sizeof text);
        if (text[0] == '\0')
            continue;
        error_set(error, EXIT_CODE_CONFIG, "%s: %s", config->sinks[i].name, text);
        error_place(error, config->sinks[i].written_at);
        return -1;
    }
    if (config->limits.max_series_per_sender == 0 || limited)
        return 0;
    error_set(error, EXIT_CODE_CONFIG,
              "--max-series-per-sender needs --max-series, or max_series= on a sink");
    return -1;
}

/*
 * Refuses overflow=block with datagram sockets: it makes senders wait, and senders of datagrams
 * cannot wait.
 */
static int check_overflow(const struct config *config, struct error *error)
{
    for (size_t i = 0; i < config->sink_count; i++) {
        if (config->sinks[i].overflow != OVERFLOW_BLOCK)
            continue;
        for (size_t k = 0; k < config->listener_count; k++) {
            if (config->listeners[k].source->waits)
                continue;
            error_set(error, EXIT_CODE_CONFIG,
                      "%s: overflow=block cannot make the senders of %s wait, because it is a "
                      "datagram socket; use drop_newest or drop_oldest",
                      config->sinks[i].name, config->listeners[k].name);
            error_place(error, config->sinks[i].written_at);
            return -1;
        }
    }
    return 0;
}

/* Refuses segmented records for a sink that writes whole datagrams, exactly one per record. */
static int check_segments(const struct config *config, struct error *error)
{
    for (size_t i = 0; i < config->sink_count; i++) {
        const struct sink_config *sink = &config->sinks[i];
        if (!sink->settings.encoder->needs_packets)
            continue;
        for (size_t k = 0; k < config->listener_count; k++) {
            if (!listener_has_segments(&config->listeners[k]))
                continue;
            error_set(error, EXIT_CODE_CONFIG,
                      "%s: format=%s writes one datagram per record, but a record of %s "
                      "(framing=udp-notif) may arrive in several",
                      sink->name, sink->settings.encoder->name, config->listeners[k].name);
            error_place(error, sink->written_at);
            return -1;
        }
    }
    return 0;
}

static int check_sources(const struct config *config, struct error *error)
{
    for (size_t i = 0; i < config->listener_count; i++) {
        const struct listener_config *listener = &config->listeners[i];
        if (listener->source->check == NULL || listener->source->check(listener, error) == 0)
            continue;
        error_place(error, listener->written_at);
        return -1;
    }
    return 0;
}

static int probe_sources(const struct config *config, struct error *error)
{
    for (size_t i = 0; i < config->listener_count; i++) {
        const struct listener_config *listener = &config->listeners[i];
        if (listener->source->probe == NULL || listener->source->probe(listener, error) == 0)
            continue;
        error_place(error, listener->written_at);
        return -1;
    }
    return 0;
}

int pipeline_prepare_sources(const struct config *config, struct error *error)
{
    for (const struct source_ops *const *source = config->sources; *source != NULL; source++)
        if ((*source)->prepare != NULL &&
            (*source)->prepare(config->listeners, config->listener_count, error) != 0)
            return -1;
    return 0;
}

static int check_threads(const struct config *config, struct error *error)
{
    if (config->threads != THREADS_ONE)
        return 0;
    if (config->sink_count != 1) {
        error_set(error, EXIT_CODE_CONFIG, "--threads 1 allows one sink, not %zu",
                  config->sink_count);
        return -1;
    }
    if (config->sinks[0].destination->takes == TAKES_BLOCKS) {
        error_set(error, EXIT_CODE_CONFIG, "--threads 1: %s: a delivery needs a thread of its own",
                  config->sinks[0].name);
        error_place(error, config->sinks[0].written_at);
        return -1;
    }
    for (size_t i = 0; i < config->listener_count; i++) {
        const struct listener_config *listener = &config->listeners[i];
        const char *why = listener->source->own_thread;
        if (why == NULL && listener->receivers != 1)
            why = "receivers= is more than 1";
        if (why == NULL)
            continue;
        error_set(error, EXIT_CODE_CONFIG, "--threads 1: %s: %s", listener->name, why);
        error_place(error, listener->written_at);
        return -1;
    }
    return 0;
}

static int check_processors(const struct processor_list *list, struct error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        if (processor_is_ours(list->numbers[i]))
            continue;
        error_set(error, EXIT_CODE_CONFIG,
                  "--receiver-cpus: processor %u does not exist, or this process may not use it",
                  (unsigned)list->numbers[i]);
        return -1;
    }
    return 0;
}

int pipeline_check_config(const struct config *config, struct error *error)
{
    if (check_threads(config, error) != 0 || check_overflow(config, error) != 0 ||
        check_sender_ids(config, error) != 0 || check_limits(config, error) != 0 ||
        check_segments(config, error) != 0 || check_sources(config, error) != 0 ||
        pipeline_check_relays(config, NULL, error) != 0 ||
        (config->user != NULL && user_check(config->user, error) != 0))
        return -1;
    return check_processors(&config->receiver_cpus, error);
}

static struct schema_list *same_as_before(const struct config *config, size_t index,
                                          struct schema_list *const *lists)
{
    const struct listener_config *listener = &config->listeners[index];
    for (size_t i = 0; i < index; i++) {
        const struct listener_config *before = &config->listeners[i];
        if (schema_configs_equal(before->schemas, before->schema_count, listener->schemas,
                                 listener->schema_count))
            return lists[i];
    }
    return NULL;
}

/*
 * Adds the place of the wrong key to a schema's error. The error text begins with the key, or with
 * the schema's file and then the key. Other errors are about the schema's file.
 */
static void place_schema_error(const struct config *config, const struct listener_config *listener,
                               size_t schema, struct error *error)
{
    static const char no_message[] = "no message ";
    char key[32];
    char place[sizeof error->text];
    const char *file = schema < listener->schema_count ? listener->schemas[schema].source : "";
    const char *text = error->text;
    if (strncmp(text, file, strlen(file)) == 0 && strncmp(text + strlen(file), ": ", 2) == 0)
        text += strlen(file) + 2;
    bool unnamed = strncmp(text, no_message, sizeof no_message - 1) == 0;
    snprintf(key, sizeof key, "%.*s", (int)strcspn(text, " :"), text);
    const char *wrong = unnamed ? "message" : key;
    if (key_place_of_schema(config, listener->written_at, schema, wrong, place, sizeof place) ||
        key_place_of_schema(config, listener->written_at, schema, "schema", place, sizeof place))
        error_place(error, place);
    else
        error_place(error, listener->written_at);
}

static int make_schemas(const struct config *config, size_t index, struct schema_list **lists,
                        struct error *error)
{
    const struct listener_config *listener = &config->listeners[index];
    lists[index] = same_as_before(config, index, lists);
    if (lists[index] != NULL) {
        schema_list_retain(lists[index]);
        return 0;
    }
    size_t failed;
    if (schema_list_create(&lists[index], listener->schemas, listener->schema_count, &failed,
                           error) != 0) {
        place_schema_error(config, listener, failed, error);
        return -1;
    }
    if (check_views(config, listener, lists[index], error) == 0)
        return 0;
    schema_list_release(lists[index]);
    return -1;
}

static struct schema_list **release_schemas(struct schema_list **lists, size_t count)
{
    while (lists != NULL && count-- != 0)
        schema_list_release(lists[count]);
    free(lists);
    return NULL;
}

/* Returns true if an earlier schema has the same warning: the warning was then already logged. */
static bool is_warned(struct schema_list *const *lists, size_t index, size_t entry)
{
    const char *warning = lists[index]->entries[entry].schema->warning;
    for (size_t i = 0; i <= index; i++)
        for (size_t k = 0; k < (i == index ? entry : lists[i]->count); k++) {
            const char *before = lists[i]->entries[k].schema->warning;
            if (before != NULL && strcmp(before, warning) == 0)
                return true;
        }
    return false;
}

static void log_warnings(const struct config *config, struct schema_list *const *lists)
{
    for (size_t i = 0; i < config->listener_count; i++)
        for (size_t k = 0; k < lists[i]->count; k++)
            if (lists[i]->entries[k].schema->warning != NULL && !is_warned(lists, i, k))
                log_about(LOG_WARNING, LOG_OF_LISTENER, config->listeners[i].name, "%s",
                          lists[i]->entries[k].schema->warning);
}

static struct schema_list **make_all_schemas(const struct config *config, struct error *error)
{
    struct schema_list **lists = calloc(config->listener_count, sizeof(struct schema_list *));
    if (lists == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for schemas");
        return NULL;
    }
    for (size_t i = 0; i < config->listener_count; i++)
        if (make_schemas(config, i, lists, error) != 0)
            return release_schemas(lists, i);
    return lists;
}

struct schema_list **pipeline_make_schemas(const struct config *config, struct error *error)
{
    struct schema_list **lists = make_all_schemas(config, error);
    if (lists != NULL)
        log_warnings(config, lists);
    return lists;
}

int pipeline_check_schemas(const struct config *config, struct error *error)
{
    struct schema_list **lists = make_all_schemas(config, error);
    if (lists == NULL)
        return -1;
    release_schemas(lists, config->listener_count);
    return 0;
}

int pipeline_plan_memory(const struct config *config, uint64_t reserved, struct memory_plan *plan,
                         struct error *error)
{
    struct memory_needs needs;
    const struct notifier_backend *notifier = notifier_choose(config->notifier, error);
    if (notifier == NULL || pipeline_count_needs(config, notifier, reserved, &needs, error) != 0)
        return -1;
    return memory_plan_make(plan, config->limits.memory, &needs, error);
}

int pipeline_check(const struct config *config, uint64_t reserved, struct error *error)
{
    struct memory_plan plan;
    if (pipeline_check_config(config, error) != 0 ||
        pipeline_plan_memory(config, reserved, &plan, error) != 0)
        return -1;
    struct schema_list **schemas = pipeline_make_schemas(config, error);
    if (schemas == NULL)
        return -1;
    release_schemas(schemas, config->listener_count);
    return probe_sources(config, error);
}
