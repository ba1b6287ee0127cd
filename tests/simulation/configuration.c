#include "tests/simulation/configuration.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/simulation/check_commands.h"
#include "tests/simulation/configuration_tcp.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/relayed.h"
#include "tests/simulation/world.h"

#define FILE_PATH "/sluice.yaml"

/* The number of the sink that a plan (plan.h) changes. Sink 0 may be standard output. */
#define PLANNED 1

static void add(struct scenario *scenario, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct scenario *scenario, const char *format, ...)
{
    va_list arguments;
    char *text = scenario->texts[scenario->argc];
    va_start(arguments, format);
    vsnprintf(text, sizeof scenario->texts[0], format, arguments);
    va_end(arguments);
    scenario->argv[scenario->argc++] = text;
}

static const char *one_of(const char *const *choices, size_t count)
{
    return choices[world_below(count)];
}
#define ONE_OF(...)                                                                                \
    one_of((const char *const[]){__VA_ARGS__},                                                     \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* --- listeners -------------------------------------------------------------------------------- */

static void choose_keys_of_listener(struct scenario_listener *listener)
{
    snprintf(listener->url, sizeof listener->url, "%s?schema=telemetry&receive_buffer=%s%s%s",
             listener->name, ONE_OF("16KiB", "64KiB", "1MiB"), listener->receivers,
             ONE_OF("", "", "&coalesce=0s", "&coalesce=5ms"));
}

static void choose_listener(const struct scenario *scenario, struct scenario_listener *listener,
                            unsigned index)
{
    snprintf(listener->name, sizeof listener->name, "udp://127.0.0.1:%u", SCENARIO_PORT + index);
    listener->receivers =
        scenario->one_thread ? "" : ONE_OF("", "", "&receivers=2", "&receivers=3");
    choose_keys_of_listener(listener);
}

/* --- sinks ------------------------------------------------------------------------------------ */

/*
 * Chooses the keys of a delivery. Updates the properties in `sink` that must hold in all
 * configurations of the run.
 */
static void choose_keys_of_delivery(struct scenario_sink *sink, const char *overflow,
                                    const char *flush)
{
    bool spills = sink->spill[0] != '\0';
    const char *retry = ONE_OF("", "&retry=at_most_once", "&retry=at_least_once");
    const char *fsync = ONE_OF("", "&fsync=interval", "&fsync=close", "&fsync=always");
    if (spills) {
        retry = world_chance(300) ? "&retry=at_least_once" : "";
        sink->syncs = sink->syncs && fsync[0] != '\0';
        sink->syncs_each = sink->syncs_each && strcmp(fsync, "&fsync=always") == 0;
    }
    sink->far_end.once = sink->far_end.once && !spills &&
                         (strcmp(retry, "&retry=at_most_once") == 0 ||
                          (retry[0] == '\0' && !sink->far_end.maybe_sent));
    snprintf(sink->url, sizeof sink->url, "%s?format=json%s%s%s%s%s%s%s%s", sink->name, retry,
             ONE_OF("", "&in_flight=1", "&in_flight=2", "&in_flight=16"),
             ONE_OF("", "&timeout=100ms", "&timeout=1s"), spills ? "&spill=" : "", sink->spill,
             spills ? fsync : "", overflow, flush);
}

static void choose_keys_of_file(struct scenario *scenario, struct scenario_sink *sink,
                                const char *overflow, const char *flush)
{
    bool rotates = sink->kind == SINK_ROTATED;
    const char *fsync = ONE_OF("", "&fsync=interval", "&fsync=close");
    sink->syncs = sink->syncs && fsync[0] != '\0';
    snprintf(sink->url, sizeof sink->url, "%s?format=json%s%s%s%s", sink->name, fsync,
             !rotates ? ""
                      : ONE_OF("&rotate_size=4KiB", "&rotate_size=64KiB", "&rotate_interval=1s"),
             overflow, flush);
    scenario->rotates_often |= strstr(sink->url, "rotate_size=4KiB") != NULL;
}

static void choose_keys_of_sink(struct scenario *scenario, struct scenario_sink *sink)
{
    const char *overflow = ONE_OF("", "", "&overflow=drop_oldest", "&overflow=drop_newest");
    const char *flush = ONE_OF("", "", "&flush_interval=0s", "&flush_interval=5ms");
    if (scenario->plan.scatters && sink == &scenario->sinks[PLANNED])
        flush = "&flush_interval=5ms";
    sink->evicts = sink->evicts || strcmp(overflow, "&overflow=drop_oldest") == 0;
    switch (sink->kind) {
    case SINK_DELIVERY:
        choose_keys_of_delivery(sink, overflow, flush);
        break;
    case SINK_RELAY:
        snprintf(sink->url, sizeof sink->url, "%s?format=datagram%s%s", sink->name, overflow,
                 ONE_OF("", "&flush_interval=0s"));
        break;
    case SINK_COMMAND:
        snprintf(sink->url, sizeof sink->url, "%s?format=%s%s%s%s", sink->name,
                 ONE_OF("json", "json", "csv"), ONE_OF("", "", "&drop_label=pad"), overflow, flush);
        break;
    case SINK_PIPE:
        snprintf(sink->url, sizeof sink->url, "%s?format=json%s%s", sink->name, overflow, flush);
        break;
    default:
        choose_keys_of_file(scenario, sink, overflow, flush);
    }
}

static void choose_far_end(const struct scenario *scenario, struct scenario_sink *sink,
                           unsigned index)
{
    sink->far_end.in_order = world_chance(500) && !(index == PLANNED && scenario->plan.scatters);
    sink->far_end.maybe_sent = world_chance(200) && far_end_says_maybe_sent;
    sink->far_end.refuses = world_chance(200);
    sink->far_end.is_steady = world_chance(100);
    sink->far_end.follows = world_chance(700) || (index == PLANNED && scenario->plan.spills);
    sink->far_end.once = true;
    sink->syncs_each = true;
    if (sink->far_end.follows)
        snprintf(sink->spill, sizeof sink->spill, SCENARIO_FOLDER "/spill%u", index);
    snprintf(sink->name, sizeof sink->name, FAR_END_URL, index);
}

static void choose_kind(const struct scenario *scenario, struct scenario_sink *sink, unsigned index)
{
    if (index == PLANNED && scenario->plan.spills)
        sink->kind = SINK_DELIVERY;
    else if (!scenario->one_thread && world_chance(400))
        sink->kind = SINK_DELIVERY;
    else if (!scenario->one_thread && world_chance(150))
        sink->kind = SINK_RELAY;
    else
        sink->kind = (enum scenario_sink_kind)world_below(index == 0 ? 3 : 2);
}

static void choose_sink(struct scenario *scenario, unsigned index)
{
    struct scenario_sink *sink = &scenario->sinks[index];
    choose_kind(scenario, sink, index);
    sink->syncs = true;
    if (sink->kind == SINK_DELIVERY)
        choose_far_end(scenario, sink, index);
    else if (sink->kind == SINK_RELAY)
        snprintf(sink->name, sizeof sink->name, "udp:127.0.0.1:%u", RELAYED_PORT + index);
    else if (sink->kind == SINK_PIPE)
        snprintf(sink->name, sizeof sink->name, "stdout:");
    else
        snprintf(sink->name, sizeof sink->name, "file:" SCENARIO_FOLDER "/%u.json", index);
    choose_keys_of_sink(scenario, sink);
}

/*
 * Returns true if the world of this seed has `command:` sinks. Does not use the world's random
 * numbers, because that would change the worlds of the other seeds.
 */
static bool has_commands(uint64_t seed)
{
    return (seed * UINT64_C(0x9e3779b97f4a7c15) >> 47) % 4 == 0;
}

static void choose_command(struct scenario_sink *sink, unsigned index)
{
    struct child_options *child = &sink->child;
    child->is_steady = world_chance(300);
    child->pipe = world_chance(700) ? CHILD_PIPE : CHILD_ATOMIC << world_below(2);
    child->is_slow = !child->is_steady && world_chance(300);
    child->is_stubborn = !child->is_steady && world_chance(300);
    if (!child->is_steady) {
        child->cannot_start = world_chance(300) ? (unsigned)world_below(800) : 0;
        child->breaks = world_chance(800) ? (unsigned)world_below(world_chance(500) ? 20 : 300) : 0;
    }
    sink->kind = SINK_COMMAND;
    snprintf(sink->name, sizeof sink->name, "command:" COMMAND_TEXT, index);
}

static void choose_commands(struct scenario *scenario)
{
    bool is_long = world_chance(300);
    scenario->patience_ns = world_chance(300) ? (int64_t)world_below(25) * SECONDS : 0;
    scenario->stall_timeout_ns = (is_long ? 10 : 1) * SECONDS;
    add(scenario, "--stall-timeout=%s", is_long ? "10s" : "1s");
    for (unsigned i = 0; i < HISTORY_SINKS; i++)
        if (i == 0 || world_chance(400)) {
            choose_command(&scenario->sinks[i], i);
            choose_keys_of_sink(scenario, &scenario->sinks[i]);
        }
}

static unsigned count_listeners(const struct scenario *scenario)
{
    unsigned count = 0;
    for (unsigned i = 0; i < HISTORY_LISTENERS; i++)
        count += scenario->listeners[i].is_there;
    return count;
}

unsigned configuration_listeners(const struct scenario *scenario)
{
    return scenario->has_file ? HISTORY_LISTENERS : count_listeners(scenario);
}

/* --- the whole configuration ------------------------------------------------------------------ */

static void choose_memory(struct scenario *scenario)
{
    bool delivers = false;
    for (unsigned i = 0; i < HISTORY_SINKS; i++)
        delivers = delivers || (scenario->sinks[i].kind == SINK_DELIVERY &&
                                (scenario->has_file || scenario->sinks[i].is_there));
    if (!scenario->one_thread && world_chance(300))
        add(scenario, "--memory=%s",
            scenario->has_file ? "200MiB"
            : delivers         ? "160MiB"
                               : ONE_OF("80MiB", "100MiB"));
}

/* If there is no configuration file, adds listeners and sinks as command-line options. */
static void add_options(struct scenario *scenario)
{
    for (unsigned i = 0; i < HISTORY_LISTENERS; i++)
        if (scenario->listeners[i].is_there) {
            add(scenario, "--listen");
            add(scenario, "%s", scenario->listeners[i].url);
        }
    for (unsigned i = 0; i < HISTORY_SINKS; i++)
        if (scenario->sinks[i].is_there) {
            add(scenario, "--sink");
            add(scenario, "%s", scenario->sinks[i].url);
        }
}

void configuration_choose(struct scenario *scenario)
{
    bool is_short = world_chance(333);
    scenario->stop_timeout_ns = (is_short ? 200 : 2000) * MILLISECONDS;
    scenario->one_thread = world_chance(200) && !scenario->plan.spills;
    scenario->has_file = world_chance(600);
    add(scenario, "sluice");
    add(scenario, "--ledger=json");
    add(scenario, "--log-repeats=100ms");
    add(scenario, "--stop-timeout=%s", is_short ? "200ms" : "2s");
    unsigned listeners = 1 + (unsigned)world_below(scenario->has_file ? HISTORY_LISTENERS : 2);
    unsigned sinks = scenario->one_thread ? 1 : 1 + (unsigned)world_below(3);
    if (scenario->plan.spills && sinks <= PLANNED)
        sinks = PLANNED + 1;
    for (unsigned i = 0; i < HISTORY_LISTENERS; i++) {
        scenario->listeners[i].is_there = i < listeners;
        choose_listener(scenario, &scenario->listeners[i], i);
    }
    for (unsigned i = 0; i < HISTORY_SINKS; i++) {
        scenario->sinks[i].is_there = i < sinks;
        choose_sink(scenario, i);
    }
    if (has_commands(scenario->seed))
        choose_commands(scenario);
    if (scenario->has_file)
        add(scenario, "--config=" FILE_PATH);
    else
        add_options(scenario);
    if (scenario->one_thread)
        add(scenario, "--threads=1");
    choose_memory(scenario);
}

/* --- the configuration as a file -------------------------------------------------------------- */

struct yaml {
    char text[4096];
    size_t used;
};

static void put(struct yaml *yaml, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct yaml *yaml, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size =
        vsnprintf(yaml->text + yaml->used, sizeof yaml->text - yaml->used, format, arguments);
    va_end(arguments);
    yaml->used += (size_t)size;
    if (yaml->used >= sizeof yaml->text)
        world_fail("a configuration is too long");
}

static void put_item(struct yaml *yaml, const char *key, const char *url)
{
    const char *keys = strchr(url, '?');
    put(yaml, "  - %s: \"%.*s\"\n", key, (int)(keys - url), url);
    while (*keys != '\0') {
        const char *name = keys + 1;
        const char *value = strchr(name, '=') + 1;
        size_t size = strcspn(value, "&");
        put(yaml, "    %.*s: \"%.*s\"\n", (int)(value - 1 - name), name, (int)size, value);
        keys = value + size;
    }
}

void configuration_write(const struct scenario *scenario)
{
    struct yaml yaml = {.used = 0};
    if (!scenario->has_file)
        return;
    put(&yaml, "listeners:\n");
    for (unsigned i = 0; i < HISTORY_LISTENERS; i++)
        if (scenario->listeners[i].is_there)
            put_item(&yaml, "address", scenario->listeners[i].url);
    for (unsigned i = 0; i < HISTORY_STREAMS; i++)
        if (scenario->streams[i].is_there)
            put_item(&yaml, "address", scenario->streams[i].url);
    put(&yaml, "sinks:\n");
    for (unsigned i = 0; i < HISTORY_SINKS; i++)
        if (scenario->sinks[i].is_there)
            put_item(&yaml, "to", scenario->sinks[i].url);
    world_trace("the configuration is now:\n%s", yaml.text);
    disk_put(FILE_PATH, yaml.text, yaml.used);
}

/* --- changing the configuration --------------------------------------------------------------- */

static unsigned count_sinks(const struct scenario *scenario)
{
    unsigned count = 0;
    for (unsigned i = 0; i < HISTORY_SINKS; i++)
        count += scenario->sinks[i].is_there;
    return count;
}

static void change_listener(struct scenario *scenario, struct scenario_listener *listener)
{
    if (!listener->is_there || (count_listeners(scenario) > 1 && world_chance(400)))
        listener->is_there = !listener->is_there;
    else
        choose_keys_of_listener(listener);
}

static void change_sink(struct scenario *scenario, struct scenario_sink *sink)
{
    if (!sink->is_there || (count_sinks(scenario) > 1 && world_chance(400))) {
        sink->is_there = !sink->is_there;
        return;
    }
    if (sink->kind <= SINK_ROTATED && world_chance(200))
        sink->kind = sink->kind == SINK_FILE ? SINK_ROTATED : SINK_FILE;
    choose_keys_of_sink(scenario, sink);
}

void configuration_change(struct scenario *scenario)
{
    for (uint64_t changes = 1 + world_below(3); changes > 0; changes--) {
        if (scenario->one_thread || world_chance(300))
            change_listener(scenario, &scenario->listeners[world_below(HISTORY_LISTENERS)]);
        else
            change_sink(scenario, &scenario->sinks[world_below(HISTORY_SINKS)]);
    }
    configuration_tcp_change(scenario);
}
