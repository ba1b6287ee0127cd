#include "tests/simulation/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/platform/process.h"
#include "tests/simulation/check_commands.h"
#include "tests/simulation/checks.h"
#include "tests/simulation/children.h"
#include "tests/simulation/clients.h"
#include "tests/simulation/configuration.h"
#include "tests/simulation/configuration_tcp.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/network.h"
#include "tests/simulation/senders.h"
#include "tests/simulation/signals.h"
#include "tests/simulation/streams.h"
#include "tests/simulation/tcp_network.h"
#include "tests/simulation/world.h"

/* --- making a scenario ------------------------------------------------------------------------ */

void scenario_make(struct scenario *scenario, uint64_t seed)
{
    memset(scenario, 0, sizeof *scenario);
    plan_make(&scenario->plan, seed);
    world_begin(seed);
    scenario->seed = seed;
    scenario->lives = 1 + (unsigned)world_below(HISTORY_LIVES);
    if (scenario->lives == 1 && scenario->plan.end != END_AT_ANY_TIME)
        scenario->lives++;
    scenario->with_faults = world_chance(400) || scenario->plan.disk_fails;
    configuration_choose(scenario);
    configuration_tcp_choose(scenario);
}

void scenario_describe(const struct scenario *scenario, char *line, size_t size)
{
    size_t used = (size_t)snprintf(line, size, "%u lives%s:", scenario->lives,
                                   scenario->with_faults ? ", a disk that fails" : "");
    for (int i = 1; i < scenario->argc && used < size; i++)
        used += (size_t)snprintf(line + used, size - used, " %s", scenario->argv[i]);
    for (unsigned i = 0; scenario->has_file && i < HISTORY_LISTENERS && used < size; i++)
        if (scenario->listeners[i].is_there)
            used += (size_t)snprintf(line + used, size - used, " %s", scenario->listeners[i].url);
    for (unsigned i = 0; scenario->has_file && i < HISTORY_STREAMS && used < size; i++)
        if (scenario->streams[i].is_there)
            used += (size_t)snprintf(line + used, size - used, " %s", scenario->streams[i].url);
    for (unsigned i = 0; scenario->has_file && i < HISTORY_SINKS && used < size; i++)
        if (scenario->sinks[i].is_there)
            used += (size_t)snprintf(line + used, size - used, " %s", scenario->sinks[i].url);
}

/* --- callbacks of senders and clients --------------------------------------------------------- */

static struct {
    bool ended; /* the program has ended */
    struct scenario *scenario;
    struct life_plan plan;
    bool stops_soon;
    int64_t stops_ns; /* time at which the stop was requested; 0 if there was no request */
} around;

static void note_received(uint32_t number)
{
    if (history->sent[number].received)
        world_fail("datagram %u is handed out twice", number);
    history->sent[number].received = true;
    history->sent[number].epoch = history->sent[number].last_epoch = history->epoch;
}

static void note_waiting(uint32_t number)
{
    history->sent[number].last_epoch = HISTORY_OPEN;
}

static void note_answered(uint32_t number)
{
    history->sent[number].last_epoch = history->epoch;
}

static bool may_close(uint16_t port)
{
    return around.stops_ns != 0 || history->pipe_broken || !history_is_settled() ||
           !around.scenario->streams[port - TCP_PORT].is_there;
}

static bool somebody_sends(void)
{
    return senders_go_on() || clients_go_on();
}

/* --- the reader of the pipe ------------------------------------------------------------------- */

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

/* --- trouble with the disk and the clock ------------------------------------------------------ */

/*
 * Returns true if the disk and the clock work again, which they do some time after the stop begins.
 */
static bool has_mended(const void *context)
{
    (void)context;
    return around.stops_ns != 0 && world_now_ns() - around.stops_ns >= around.plan.mends_ns;
}

/* Returns true while there are faults. A stubborn disk does not recover before the stop. */
static bool trouble_goes_on(bool stubborn)
{
    return !around.ended && !has_mended(NULL) && (stubborn || somebody_sends());
}

static void begin_trouble(const struct scenario *scenario)
{
    if (scenario->plan.is_stubborn) {
        disk_set_faults((unsigned)world_below(300));
        disk_set_room(world_chance(200) ? world_below(20000) : UINT64_MAX);
    } else if (world_chance(500)) {
        disk_set_room(world_below(20000));
    } else {
        disk_set_faults((unsigned)world_below(300));
    }
}

static void mend_disk(void)
{
    disk_set_room(UINT64_MAX);
    disk_set_faults(0);
}

static void make_trouble(void *argument)
{
    const struct scenario *scenario = argument;
    bool stubborn = scenario->with_faults && (world_chance(300) || scenario->plan.is_stubborn);
    while (trouble_goes_on(stubborn)) {
        world_sleep((int64_t)world_below(100) * MILLISECONDS);
        bool comes = scenario->with_faults && world_chance(500);
        if (comes) {
            begin_trouble(scenario);
            int64_t lasts_ns = (int64_t)world_below(stubborn ? 1000 : 200) * MILLISECONDS;
            world_wait(has_mended, NULL, world_now_ns() + lasts_ns);
        }
        if (!comes || !scenario->plan.is_stubborn)
            mend_disk();
        if (world_chance(50))
            world_set_date(((int64_t)world_below(7200) - 3600) * SECONDS);
    }
    mend_disk();
}

static void mend_reads(void *argument)
{
    (void)argument;
    world_sleep(around.plan.reads_mend_ns);
    disk_set_read_faults(0);
}

/* --- ends of a life --------------------------------------------------------------------------- */

static void note_world(void)
{
    history->drops = network_drops();
    history->left_behind = network_left_behind();
    history->faults = disk_faults();
    history->steps += world_steps();
    history->stopped_in_time = !history->stopped_twice && around.stops_ns != 0 &&
                               world_now_ns() - around.stops_ns < around.scenario->stop_timeout_ns;
}

/* Runs the checks and ends the process. A failed check ends the process with an error. */
static _Noreturn void end_life(enum life_end end)
{
    note_world();
    history->end = end;
    far_end_process_ends();
    children_program_ends(end == LIFE_STOPPED);
    checks_after_life(around.scenario);
    _exit(0);
}

static void cut_now(void)
{
    enum life_end end = world_chance(500) ? LIFE_KILLED : LIFE_POWER_CUT;
    world_trace("%s", end == LIFE_KILLED ? "it is killed" : "the power is cut");
    end_life(end);
}

static bool is_last_moment(const void *context)
{
    (void)context;
    return around.stops_soon && around.plan.breaks_off_last;
}

static void break_off(void *argument)
{
    (void)argument;
    int64_t at_ns = around.plan.breaks_off_ns;
    world_wait(is_last_moment, NULL, at_ns == WORLD_NEVER ? at_ns : world_now_ns() + at_ns);
    far_end_break_off(around.plan.falls_silent, around.plan.stays_silent);
    if (around.plan.cuts_ns != WORLD_NEVER) {
        world_sleep(around.plan.cuts_ns);
        cut_now();
    }
    if (around.plan.faults == 0)
        return;
    disk_set_faults(around.plan.faults);
    world_wait(has_mended, NULL, WORLD_NEVER);
    mend_disk();
}

static void cut(void *argument)
{
    (void)argument;
    world_sleep((int64_t)world_below(1500) * MILLISECONDS);
    for (uint64_t steps = world_below(200); steps > 0; steps--)
        world_step();
    cut_now();
}

/* --- the operator ----------------------------------------------------------------------------- */

static void note_sinks(const struct scenario *scenario, unsigned configuration)
{
    for (unsigned i = 0; i < HISTORY_SINKS; i++)
        history_note_sink(i, configuration, scenario->sinks[i].is_there);
}

static void note_files(const struct scenario *scenario)
{
    for (unsigned i = 0; i < HISTORY_SINKS; i++) {
        const struct scenario_sink *sink = &scenario->sinks[i];
        history->plain[i] |= sink->is_there && sink->kind == SINK_FILE;
        history->rotated[i] |= sink->is_there && sink->kind == SINK_ROTATED;
    }
}

#define DONE    "configuration reloaded"
#define REFUSED "reload refused"

/* The log merges messages that are repeated within this time. */
#define REPEATS_NS (300 * MILLISECONDS)

static size_t log_before; /* size of the log before the reload */
static int64_t outcome_ns;

static bool has_outcome(const void *context)
{
    (void)context;
    return around.ended || strstr(history->log + log_before, DONE) != NULL ||
           strstr(history->log + log_before, REFUSED) != NULL;
}

/* Requests a reload. Returns true if the configuration has changed. */
static bool ask_for_reload(void)
{
    if (world_now_ns() < outcome_ns + REPEATS_NS)
        world_sleep(outcome_ns + REPEATS_NS - world_now_ns());
    log_before = history->log_size;
    int64_t asked_ns = world_now_ns();
    signals_send(CONTROL_REOPEN);
    if (!world_wait(has_outcome, NULL, world_now_ns() + 60 * SECONDS))
        world_fail("a reload has no outcome");
    outcome_ns = world_now_ns();
    bool done = strstr(history->log + log_before, DONE) != NULL;
    if (done)
        commands_are_replaced(asked_ns);
    return done;
}

/* Changes the configuration and requests a reload. Undoes the change if the program refuses it. */
static void change_configuration(struct scenario *scenario)
{
    static struct scenario before;
    unsigned next = history->epoch / 2u + 1;
    if (history->log_size == 0)
        return;
    before = *scenario;
    configuration_change(scenario);
    history->epoch++;
    note_sinks(scenario, next);
    configuration_write(scenario);
    history->openings += HISTORY_SINKS;
    if (!ask_for_reload()) {
        *scenario = before;
        note_sinks(scenario, next);
        configuration_write(scenario);
    }
    note_files(scenario);
    history->epoch++;
}

#define CHANGES_MOST 6

static void change_something(struct scenario *scenario)
{
    if (world_chance(100))
        signals_send(CONTROL_LEDGER);
    if (!world_chance(200))
        return;
    if (!scenario->has_file)
        signals_send(CONTROL_REOPEN);
    else if (history->epoch / 2 == CHANGES_MOST || world_chance(300))
        ask_for_reload();
    else
        change_configuration(scenario);
}

static void operate(void *argument)
{
    struct scenario *scenario = argument;
    unsigned patience = 1 + (unsigned)world_below(30);
    if (around.plan.stops_early) {
        patience = 0;
        world_sleep((int64_t)world_below(150) * MILLISECONDS);
    }
    while (somebody_sends() && patience-- > 0) {
        world_sleep((int64_t)world_below(200) * MILLISECONDS);
        change_something(scenario);
    }
    around.stops_soon = true;
    world_sleep((int64_t)world_below(300) * MILLISECONDS);
    if (world_chance(100))
        signals_send(CONTROL_REOPEN);
    if (scenario->patience_ns != 0)
        world_sleep(scenario->patience_ns);
    if (around.plan.cuts_ns != WORLD_NEVER)
        world_sleep(around.plan.cuts_ns);
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
    char *argv[sizeof scenario->argv / sizeof scenario->argv[0]];
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

static void begin_plan(const struct scenario *scenario, bool last)
{
    const struct life_plan *plan = &around.plan;
    if (plan->begins_well)
        mend_disk();
    disk_set_read_faults(plan->read_faults);
    if (plan->read_faults != 0)
        world_start("reads", mend_reads, NULL);
    if (plan->breaks_off_ns != WORLD_NEVER || plan->breaks_off_last)
        world_start("outage", break_off, NULL);
    if (!last && scenario->plan.end == END_AT_ANY_TIME)
        world_start("cut", cut, NULL);
    if (!last && scenario->plan.end == END_AT_A_MOMENT)
        moment_aim(plan->moment, plan->nth, plan->steps, cut_now);
}

void scenario_live(struct scenario *scenario, bool last, bool trace)
{
    plan_life(&scenario->plan, scenario->seed, history->life, last, &around.plan);
    world_begin(scenario->seed * 1000 + history->life);
    around.scenario = scenario;
    world_set_trace(trace);
    network_received = note_received;
    tcp_may_close = may_close;
    tcp_waits_for_answer = note_waiting;
    tcp_was_answered = note_answered;
    if (world_chance(300))
        network_set_faults(&(struct network_faults){.later = (unsigned)world_below(100),
                                                    .error = (unsigned)world_below(100),
                                                    .needless = (unsigned)world_below(200)});
    note_sinks(scenario, 0);
    note_files(scenario);
    configuration_write(scenario);
    senders_begin(configuration_listeners(scenario), SCENARIO_PORT);
    clients_begin(scenario);
    for (unsigned i = 0; i < HISTORY_SINKS; i++)
        if (scenario->sinks[i].kind == SINK_DELIVERY)
            far_end_begin(i, &scenario->sinks[i].far_end);
        else if (scenario->sinks[i].kind == SINK_COMMAND)
            children_begin(i, &scenario->sinks[i].child);
    commands_begin(scenario);
    world_start("far end", far_end_run, NULL);
    world_start("program", run_program, scenario);
    world_start("reader", read_pipe, NULL);
    if (around.plan.faults == 0)
        world_start("trouble", make_trouble, scenario);
    world_start("operator", operate, scenario);
    begin_plan(scenario, last);
    world_run();
    abort();
}
