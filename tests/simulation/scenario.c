#include "tests/simulation/scenario.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/platform/entry.h"
#include "tests/simulation/checks.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/message.h"
#include "tests/simulation/network.h"
#include "tests/simulation/relayed.h"
#include "tests/simulation/signals.h"
#include "tests/simulation/streams.h"
#include "tests/simulation/world.h"

/* --- how it is started ------------------------------------------------------------------------ */

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

static void choose_listeners(struct scenario *scenario)
{
    bool one_thread = scenario->one_thread;
    scenario->listeners = 1 + (unsigned)world_below(2);
    for (unsigned i = 0; i < scenario->listeners; i++) {
        add(scenario, "--listen");
        add(scenario, "udp://127.0.0.1:%u?schema=telemetry&receive_buffer=%s%s%s",
            SCENARIO_PORT + i, ONE_OF("16KiB", "64KiB", "1MiB"),
            one_thread ? "" : ONE_OF("", "", "&receivers=2", "&receivers=3"),
            ONE_OF("", "", "&coalesce=0s", "&coalesce=5ms"));
    }
}

static void choose_delivery(struct scenario_sink *sink, unsigned index, const char *overflow,
                            const char *flush)
{
    const char *retry = ONE_OF("", "&retry=at_most_once", "&retry=at_least_once");
    const char *fsync = ONE_OF("", "&fsync=interval", "&fsync=close", "&fsync=always");
    bool spills = world_chance(700);
    sink->far_end.in_order = world_chance(500);
    sink->far_end.doubtful = world_chance(200);
    sink->far_end.refuses = world_chance(200);
    sink->far_end.is_steady = world_chance(100);
    if (spills) {
        snprintf(sink->spill, sizeof sink->spill, SCENARIO_FOLDER "/spill%u", index);
        retry = world_chance(300) ? "&retry=at_least_once" : "";
        sink->syncs = fsync[0] != '\0';
        sink->syncs_each = strcmp(fsync, "&fsync=always") == 0;
    } else {
        sink->far_end.once = strcmp(retry, "&retry=at_most_once") == 0 ||
                             (retry[0] == '\0' && !sink->far_end.doubtful);
    }
    snprintf(sink->name, sizeof sink->name, FAR_END_URL, index);
    snprintf(sink->url, sizeof sink->url, "%s?format=json%s%s%s%s%s%s%s%s", sink->name, retry,
             ONE_OF("", "&in_flight=1", "&in_flight=2", "&in_flight=16"),
             ONE_OF("", "&timeout=100ms", "&timeout=1s"), spills ? "&spill=" : "", sink->spill,
             spills ? fsync : "", overflow, flush);
}

static void choose_sink(struct scenario *scenario, unsigned index)
{
    struct scenario_sink *sink = &scenario->sinks[index];
    const char *overflow = ONE_OF("", "", "&overflow=drop_oldest", "&overflow=drop_newest");
    const char *flush = ONE_OF("", "", "&flush_interval=0s", "&flush_interval=5ms");
    sink->evicts = strcmp(overflow, "&overflow=drop_oldest") == 0;
    if (!scenario->one_thread && world_chance(400)) {
        sink->kind = SINK_DELIVERY;
        choose_delivery(sink, index, overflow, flush);
        return;
    }
    if (!scenario->one_thread && world_chance(150)) {
        sink->kind = SINK_RELAY;
        snprintf(sink->name, sizeof sink->name, "udp:127.0.0.1:%u", RELAYED_PORT + index);
        snprintf(sink->url, sizeof sink->url, "%s?format=datagram%s%s", sink->name, overflow,
                 ONE_OF("", "&flush_interval=0s"));
        return;
    }
    sink->kind = (enum scenario_sink_kind)world_below(3);
    if (sink->kind == SINK_PIPE && index != 0)
        sink->kind = SINK_FILE;
    if (sink->kind == SINK_PIPE) {
        snprintf(sink->name, sizeof sink->name, "stdout:");
        snprintf(sink->url, sizeof sink->url, "stdout:?format=json%s%s", overflow, flush);
        return;
    }
    bool rotates = sink->kind == SINK_ROTATED;
    const char *fsync = ONE_OF("", "&fsync=interval", "&fsync=close");
    sink->syncs = fsync[0] != '\0';
    snprintf(sink->name, sizeof sink->name, "file:" SCENARIO_FOLDER "/%u.json", index);
    snprintf(sink->url, sizeof sink->url, "%s?format=json%s%s%s%s", sink->name, fsync,
             !rotates ? ""
                      : ONE_OF("&rotate_size=4KiB", "&rotate_size=64KiB", "&rotate_interval=1s"),
             overflow, flush);
    scenario->rotates_often |= strstr(sink->url, "rotate_size=4KiB") != NULL;
}

void scenario_make(struct scenario *scenario, uint64_t seed)
{
    memset(scenario, 0, sizeof *scenario);
    world_begin(seed);
    scenario->seed = seed;
    scenario->lives = 1 + (unsigned)world_below(3);
    scenario->with_faults = world_chance(400);
    add(scenario, "sluice");
    add(scenario, "--ledger=json");
    bool is_short = world_chance(333);
    scenario->stop_timeout_ns = (is_short ? 200 : 2000) * MILLISECONDS;
    add(scenario, "--stop-timeout=%s", is_short ? "200ms" : "2s");
    scenario->one_thread = world_chance(200);
    choose_listeners(scenario);
    scenario->sink_count = scenario->one_thread ? 1 : 1 + (unsigned)world_below(3);
    for (unsigned i = 0; i < scenario->sink_count; i++) {
        choose_sink(scenario, i);
        add(scenario, "--sink");
        add(scenario, "%s", scenario->sinks[i].url);
    }
    bool delivers = false;
    for (unsigned i = 0; i < scenario->sink_count; i++)
        delivers = delivers || scenario->sinks[i].kind == SINK_DELIVERY;
    if (scenario->one_thread)
        add(scenario, "--threads=1");
    else if (world_chance(300))
        add(scenario, "--memory=%s", delivers ? "160MiB" : ONE_OF("80MiB", "100MiB"));
}

void scenario_describe(const struct scenario *scenario, char *line, size_t size)
{
    size_t used = (size_t)snprintf(line, size, "%u lives%s:", scenario->lives,
                                   scenario->with_faults ? ", a disk that fails" : "");
    for (int i = 1; i < scenario->argc && used < size; i++)
        used += (size_t)snprintf(line + used, size - used, " %s", scenario->argv[i]);
}

/* --- who sends -------------------------------------------------------------------------------- */

struct sender {
    uint8_t index;
    uint16_t port; /* that it sends to */
    struct address address;
};

static struct {
    unsigned sending; /* tasks that still do */
    bool ended;       /* the program */
    const struct scenario *scenario;
    int64_t stops_ns; /* since when it is to stop; 0: it is not */
    struct sender senders[HISTORY_SENDERS];
} around;

static void send_one(const struct sender *sender)
{
    uint8_t bytes[NETWORK_DATAGRAM_MAX];
    if (history->sent_count == HISTORY_DATAGRAMS)
        return;
    uint32_t number = history->sent_count++;
    struct sent *sent = &history->sent[number];
    *sent = (struct sent){
        .life = (uint8_t)history->life, .sender = sender->index, .is_good = !world_chance(50)};
    size_t size = message_write(bytes, number, sent->is_good, (size_t)world_below(3) * 400);
    network_send(sender->port, &sender->address, bytes, size, number);
}

static void send(void *argument)
{
    const struct sender *sender = argument;
    world_sleep((int64_t)world_below(20) * MILLISECONDS);
    for (uint64_t bursts = world_below(12); bursts > 0; bursts--) {
        int64_t pace_ns = world_chance(500) ? 0 : (int64_t)world_below(200) * MICROSECONDS;
        for (uint64_t count = world_below(world_chance(200) ? 400 : 40); count > 0; count--) {
            send_one(sender);
            if (pace_ns != 0)
                world_sleep(pace_ns);
        }
        world_sleep((int64_t)world_below(world_chance(100) ? 2000 : 50) * MILLISECONDS);
    }
    around.sending--;
}

static void begin_senders(const struct scenario *scenario)
{
    unsigned count = 1 + (unsigned)world_below(HISTORY_SENDERS);
    const uint8_t host[4] = {127, 0, 0, 1};
    for (unsigned i = 0; i < count; i++) {
        struct sender *sender = &around.senders[i];
        *sender = (struct sender){.index = (uint8_t)i};
        sender->port = (uint16_t)(SCENARIO_PORT + i % scenario->listeners);
        sender->address = address_from_ipv4(host, (uint16_t)(40000 + i));
        around.sending++;
        world_start("sender", send, sender);
    }
}

static void note_received(uint32_t number)
{
    if (history->sent[number].received)
        world_fail("datagram %u is handed out twice", number);
    history->sent[number].received = true;
}

/* --- who reads the pipe ----------------------------------------------------------------------- */

static void read_pipe(void *argument)
{
    uint8_t bytes[16384];
    (void)argument;
    bool goes = world_chance(100);
    unsigned stall = world_chance(400) ? 20 : 0;
    while (!around.ended || !stream_is_empty()) {
        size_t got = stream_read(bytes, 1 + (size_t)world_below(sizeof bytes));
        history_read_from_pipe(bytes, got);
        if (got == 0 || world_chance(stall))
            world_sleep((int64_t)world_below(got == 0 ? 2 : 3000) * MILLISECONDS);
        else
            world_sleep((int64_t)world_below(100) * MICROSECONDS);
        if (goes && world_chance(10)) {
            stream_break();
            history->pipe_broken = true;
            return;
        }
    }
}

/* --- what the disk and the clock do ----------------------------------------------------------- */

static void make_trouble(void *argument)
{
    const struct scenario *scenario = argument;
    while (!around.ended && around.sending != 0) {
        world_sleep((int64_t)world_below(100) * MILLISECONDS);
        if (scenario->with_faults && world_chance(500)) {
            if (world_chance(500))
                disk_set_room(world_below(20000));
            else
                disk_set_faults((unsigned)world_below(300));
            world_sleep((int64_t)world_below(200) * MILLISECONDS);
        }
        disk_set_room(UINT64_MAX);
        disk_set_faults(0);
        if (world_chance(50))
            world_set_date(((int64_t)world_below(7200) - 3600) * SECONDS);
    }
    disk_set_room(UINT64_MAX);
    disk_set_faults(0);
}

/* --- the operator ----------------------------------------------------------------------------- */

static void note_world(void)
{
    history->drops = network_drops();
    history->left_behind = network_left_behind();
    history->faults = disk_faults();
    history->steps += world_steps();
    history->stopped_in_time = !history->stopped_twice && around.stops_ns != 0 &&
                               world_now_ns() - around.stops_ns < around.scenario->stop_timeout_ns;
}

/* What is checked is checked here: a check that fails ends the process as any other failure. */
static _Noreturn void end_life(enum life_end end)
{
    note_world();
    history->end = end;
    far_end_process_ends();
    checks_after_life(around.scenario);
    _exit(0);
}

/* Ends the program from outside, at any moment. */
static void cut(void *argument)
{
    (void)argument;
    world_sleep((int64_t)world_below(1500) * MILLISECONDS);
    for (uint64_t steps = world_below(200); steps > 0; steps--)
        world_step();
    enum life_end end = world_chance(500) ? LIFE_KILLED : LIFE_POWER_CUT;
    world_trace("%s", end == LIFE_KILLED ? "it is killed" : "the power is cut");
    end_life(end);
}

static void operate(void *argument)
{
    (void)argument;
    unsigned patience = 1 + (unsigned)world_below(30);
    while (around.sending != 0 && patience-- > 0) {
        world_sleep((int64_t)world_below(200) * MILLISECONDS);
        if (world_chance(100)) {
            signals_send(CONTROL_REOPEN);
            history->reloads++;
        } else if (world_chance(100)) {
            signals_send(CONTROL_LEDGER);
        }
    }
    world_sleep((int64_t)world_below(300) * MILLISECONDS);
    world_trace("asks it to stop");
    around.stops_ns = world_now_ns();
    signals_send(CONTROL_STOP);
    world_sleep((int64_t)world_below(1500) * MILLISECONDS);
    if (around.ended || !world_chance(50))
        return;
    world_trace("asks it to stop at once");
    history->stopped_twice = true;
    signals_send(CONTROL_STOP);
}

/* --- the program ------------------------------------------------------------------------------ */

static void run_program(void *argument)
{
    const struct scenario *scenario = argument;
    char *argv[32];
    memcpy(argv, scenario->argv, sizeof argv);
    int code = program_main(scenario->argc, argv);
    around.ended = true;
    world_trace("it ends with %d", code);
    uint8_t rest[16384];
    for (size_t got; !history->pipe_broken && (got = stream_read(rest, sizeof rest)) != 0;)
        history_read_from_pipe(rest, got);
    history->code = code;
    end_life(LIFE_STOPPED);
}

void scenario_live(const struct scenario *scenario, bool last, bool trace)
{
    world_begin(scenario->seed * 1000 + history->life);
    around.scenario = scenario;
    world_set_trace(trace);
    network_received = note_received;
    if (world_chance(300))
        network_set_faults(&(struct network_faults){.later = (unsigned)world_below(100),
                                                    .error = (unsigned)world_below(100),
                                                    .needless = (unsigned)world_below(200)});
    begin_senders(scenario);
    for (unsigned i = 0; i < scenario->sink_count; i++)
        if (scenario->sinks[i].kind == SINK_DELIVERY)
            far_end_begin(i, &scenario->sinks[i].far_end);
    world_start("far end", far_end_run, NULL);
    world_start("program", run_program, (void *)(uintptr_t)scenario);
    world_start("reader", read_pipe, NULL);
    world_start("trouble", make_trouble, (void *)(uintptr_t)scenario);
    world_start("operator", operate, NULL);
    if (!last)
        world_start("cut", cut, NULL);
    world_run();
    abort();
}
