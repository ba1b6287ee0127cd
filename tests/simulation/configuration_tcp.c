#include "tests/simulation/configuration_tcp.h"

#include <stdio.h>
#include <string.h>

#include "tests/simulation/world.h"

/*
 * Combined with the seed of a run, this gives the seed of the random numbers below. With this
 * value, no run of an older seed in seeds.txt gets streams.
 */
#define OWN_CHANCES (UINT64_C(412) << 32)

static const char *one_of(const char *const *choices, size_t count)
{
    return choices[world_below(count)];
}
#define ONE_OF(...)                                                                                \
    one_of((const char *const[]){__VA_ARGS__},                                                     \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static void choose_keys(struct scenario_stream *stream)
{
    unsigned most = world_chance(200) ? 1 + (unsigned)world_below(3) : 32;
    unsigned of_address = world_chance(200) ? 1 + (unsigned)world_below(3) : 32;
    unsigned idle_ms = world_chance(300) ? 100 : 1000;
    unsigned frame_ms = world_chance(300) ? 100 : 2000;
    snprintf(stream->url, sizeof stream->url,
             "%s?schema=%s&framing=%s&max_connections=%u&max_connections_per_address=%u"
             "&idle_timeout=%ums&frame_timeout=%ums%s%s%s",
             stream->name, stream->is_answered ? "riemann" : "telemetry",
             framing_name(stream->framing), most, of_address, idle_ms, frame_ms,
             ONE_OF("&max_frame=8KiB", "&max_frame=64KiB", "&max_frame=256KiB"), stream->receivers,
             ONE_OF("", "", "&coalesce=0s", "&coalesce=5ms"));
    if (most > stream->most_connections)
        stream->most_connections = most;
    if (most < stream->least_connections)
        stream->least_connections = most;
    if (of_address < stream->least_of_address)
        stream->least_of_address = of_address;
    if (idle_ms * MILLISECONDS < stream->idle_ns)
        stream->idle_ns = idle_ms * MILLISECONDS;
    if (frame_ms * MILLISECONDS < stream->frame_ns)
        stream->frame_ns = frame_ms * MILLISECONDS;
}

static void choose(struct scenario_stream *stream, unsigned index)
{
    *stream = (struct scenario_stream){.is_there = index == 0 || world_chance(500),
                                       .framing = (enum framing_kind)world_below(FRAMES_KINDS),
                                       .receivers = ONE_OF("", "&receivers=2", "&receivers=3"),
                                       .least_connections = UINT32_MAX,
                                       .least_of_address = UINT32_MAX,
                                       .idle_ns = INT64_MAX,
                                       .frame_ns = INT64_MAX};
    stream->is_answered = stream->framing != FRAMES_STREAMS && world_chance(500);
    snprintf(stream->name, sizeof stream->name, "tcp://127.0.0.1:%u", TCP_PORT + index);
    choose_keys(stream);
}

static void add_option(struct scenario *scenario, const char *text)
{
    char *to = scenario->texts[scenario->argc];
    snprintf(to, sizeof scenario->texts[0], "%s", text);
    scenario->argv[scenario->argc++] = to;
}

/* Replaces --memory, because the default is too small for runs with streams. */
static void give_memory(struct scenario *scenario)
{
    for (int i = 0; i < scenario->argc; i++)
        if (strncmp(scenario->argv[i], "--memory=", 9) == 0)
            strcpy(scenario->argv[i], "--memory=300MiB");
}

bool configuration_tcp_is_there(const struct scenario *scenario)
{
    return scenario->streams[0].name[0] != '\0';
}

void configuration_tcp_choose(struct scenario *scenario)
{
    world_begin(scenario->seed ^ OWN_CHANCES);
    if (scenario->one_thread || !world_chance(300))
        return;
    for (unsigned i = 0; i < HISTORY_STREAMS; i++) {
        struct scenario_stream *stream = &scenario->streams[i];
        choose(stream, i);
        if (scenario->has_file || !stream->is_there)
            continue;
        add_option(scenario, "--listen");
        add_option(scenario, stream->url);
    }
    give_memory(scenario);
}

void configuration_tcp_change(struct scenario *scenario)
{
    if (!configuration_tcp_is_there(scenario) || !world_chance(500))
        return;
    struct scenario_stream *stream = &scenario->streams[world_below(HISTORY_STREAMS)];
    if (!stream->is_there || world_chance(400))
        stream->is_there = !stream->is_there;
    else
        choose_keys(stream);
}
