#include "collector/status/status.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/histogram.h"
#include "collector/ledger/ledger_print.h"
#include "collector/pipeline/pipeline.h"
#include "collector/pipeline/pipeline_levels.h"
#include "collector/platform/clock.h"
#include "collector/platform/machine.h"
#include "collector/platform/sandbox.h"
#include "collector/status/history.h"
#include "collector/status/levels_json.h"
#include "collector/status/settings_json.h"
#include "collector/status/words_json.h"
#include "collector/text/json_writer.h"

#define SECOND_NS INT64_C(1000000000)
#define MS_NS     INT64_C(1000000)

/* Milliseconds until a browser reconnects. */
#define RETRY "retry: 1000\n"

struct status {
    struct status_options options;
    struct history *history;
    int64_t began_ns; /* monotonic */
    int64_t began_ms; /* the same in milliseconds since 1970: identifies the run */
    int64_t due_ns;
    bool settings_changed; /* the event of the last snapshot has the settings */
    bool settings_new;     /* the settings changed since the last snapshot */
    /* Cached JSON. NULL if it is not written yet, or if memory was short. */
    char *settings;
    size_t settings_size;
    /* The last snapshot. NULL if there is none yet, or if memory was short. */
    struct ledger_snapshot *ledger;
    struct pipeline_levels *levels;
    int64_t looked_ns;
};

/* The part of an explicit --memory that the history may use (1/8). */
#define MEMORY_PART 8

static struct history_size history_size(const struct config *config)
{
    return status_history_size(config->listener_count, config->sink_count,
                               config->limits.memory / MEMORY_PART);
}

struct status *status_create(const struct status_options *options)
{
    struct status *status = calloc(1, sizeof *status);
    if (status == NULL)
        return NULL;
    status->options = *options;
    status->began_ns = clock_monotonic_ns();
    status->began_ms = clock_wall_ns() / MS_NS;
    status->due_ns = status->began_ns + SECOND_NS;
    status->history = status_history_create(history_size(options->config));
    if (status->history == NULL) {
        free(status);
        return NULL;
    }
    return status;
}

static void forget_look(struct status *status)
{
    pipeline_levels_free(status->levels);
    ledger_snapshot_free(status->ledger);
    status->levels = NULL;
    status->ledger = NULL;
}

void status_destroy(struct status *status)
{
    if (status == NULL)
        return;
    forget_look(status);
    status_history_destroy(status->history);
    free(status->settings);
    free(status);
}

size_t status_memory(const struct config *config)
{
    return sizeof(struct status) + status_history_memory(history_size(config));
}

void status_set_config(struct status *status, const struct config *config)
{
    status->options.config = config;
    status->settings_new = true;
    free(status->settings);
    status->settings = NULL;
}

/* --- looking ---------------------------------------------------------------------------------- */

int64_t status_due(const struct status *status)
{
    return status->due_ns;
}

static int64_t at_ms(const struct status *status)
{
    return (status->looked_ns - status->began_ns) / MS_NS;
}

/*
 * Takes a snapshot. Does not wait for the receivers: the kernel's drops are those that were
 * requested a second ago.
 */
static void take_look(struct status *status, int64_t now_ns)
{
    forget_look(status);
    status->looked_ns = now_ns;
    pipeline_refresh_receivers(status->options.pipeline, now_ns);
    status->ledger = pipeline_glance(status->options.pipeline);
    status->levels = pipeline_read_levels(status->options.pipeline);
    if (status->ledger == NULL || status->levels == NULL)
        forget_look(status);
}

bool status_look(struct status *status, int64_t now_ns)
{
    if (now_ns < status->due_ns)
        return false;
    /* At full seconds since the start, so that a late snapshot does not delay the next ones. */
    status->due_ns = status->began_ns + ((now_ns - status->began_ns) / SECOND_NS + 1) * SECOND_NS;
    status->settings_changed = status->settings_new;
    status->settings_new = false;
    take_look(status, now_ns);
    if (status->ledger == NULL)
        return false;
    status_history_note(status->history, status->ledger, status->levels, at_ms(status));
    return true;
}

/* --- events ----------------------------------------------------------------------------------- */

#define begin_event(out, name) output_literal((out), "event: " name "\ndata:")

static void end_event(struct output *out)
{
    output_literal(out, "\n\n");
}

/* Removes the newline that other writers' JSON ends with: an event's data is one line. */
static void join_line(struct output *out)
{
    if (!out->overflow && out->used != 0 && out->data[out->used - 1] == '\n')
        out->used--;
}

static void put_ledger(const struct status *status, struct output *out)
{
    json_key_literal(out, "ledger");
    ledger_write_json(status->ledger, out);
    join_line(out);
}

/* Writes the index of each ledger entry, which identifies its series. */
static void put_indexes(const struct status *status, struct output *out)
{
    const struct ledger_snapshot *ledger = status->ledger;
    json_key_literal(out, "listener_indexes");
    json_array_begin(out);
    for (size_t i = 0; i < ledger->listener_count; i++)
        json_uint64(out, ledger->listeners[i].index);
    json_array_end(out);
    json_key_literal(out, "sink_indexes");
    json_array_begin(out);
    for (size_t i = 0; i < ledger->sink_count; i++)
        json_uint64(out, ledger->sinks[i].index);
    json_array_end(out);
}

static void put_health(const struct status *status, struct output *out)
{
    enum health_status ignored;
    size_t before = out->used;
    json_key_literal(out, "health");
    if (!health_watch_report(status->options.health, out, &ignored) && !out->overflow)
        out->used = before;
    join_line(out);
}

static void put_senders(const struct status *status, struct output *out)
{
    json_key_literal(out, "senders");
    sender_report_write(pipeline_senders(status->options.pipeline), out);
    join_line(out);
}

/* Caches the JSON, because making it takes longer than the rest of the event. */
static void write_settings(struct status *status, struct output *out)
{
    size_t at = out->used;
    settings_json_write(status->options.config, status->options.registry, status->options.pipeline,
                        out);
    if (out->overflow)
        return;
    status->settings_size = out->used - at;
    status->settings = malloc(status->settings_size);
    if (status->settings != NULL)
        memcpy(status->settings, out->data + at, status->settings_size);
}

static void put_settings(struct status *status, struct output *out)
{
    json_key_literal(out, "settings");
    if (status->settings == NULL)
        write_settings(status, out);
    else
        output_bytes(out, status->settings, status->settings_size);
}

/*
 * Writes the time of both clocks: a page shows the time of day, and the history counts from the
 * start.
 */
static void status_put_times(const struct status *status, struct output *out)
{
    json_member_int64(out, "time", clock_wall_ns() / MS_NS);
    json_member_int64(out, "at", at_ms(status));
}

void status_write_now(struct status *status, struct output *out)
{
    if (status->ledger == NULL)
        return;
    begin_event(out, "now");
    json_object_begin(out);
    status_put_times(status, out);
    put_ledger(status, out);
    put_indexes(status, out);
    json_key_literal(out, "levels");
    levels_json_write(status->levels, status->looked_ns, out);
    put_health(status, out);
    put_senders(status, out);
    json_key_literal(out, "second");
    status_history_write(status->history, HISTORY_OF_SECONDS, 1, out);
    json_key_literal(out, "minute");
    status_history_write(status->history, HISTORY_OF_MINUTES, 1, out);
    if (status->settings_changed)
        put_settings(status, out);
    json_object_end(out);
    end_event(out);
}

static void put_bounds(struct output *out)
{
    json_key_literal(out, "bounds");
    json_array_begin(out);
    for (size_t i = 0; i < HISTOGRAM_BOUNDS; i++)
        json_uint64(out, histogram_times[i]);
    json_array_end(out);
}

void status_write_first(struct status *status, struct output *out)
{
    output_literal(out, RETRY);
    begin_event(out, "first");
    json_object_begin(out);
    char host[HOST_NAME_SIZE];
    host_name(host);
    json_member_text(out, "version", status->options.version);
    json_member_text(out, "host", host);
    if (sandbox_in_force() != NULL)
        json_member_text(out, "sandbox", sandbox_in_force()->text);
    json_member_int64(out, "began", status->began_ms);
    put_bounds(out);
    json_key_literal(out, "words");
    words_json_write(out);
    put_settings(status, out);
    json_key_literal(out, "seconds");
    status_history_write(status->history, HISTORY_OF_SECONDS, HISTORY_SECONDS, out);
    json_key_literal(out, "minutes");
    status_history_write(status->history, HISTORY_OF_MINUTES, HISTORY_MINUTES, out);
    json_object_end(out);
    end_event(out);
    status_write_now(status, out);
}
