/*
 * A `command:` sink starts a program that reads records on its standard input. The program is
 * restarted when it ends.
 *
 * The sink's thread starts and polls the program: a pipe can report how many bytes are unread, but
 * not when that number changes. One program runs at a time. After it has ended, the next one is
 * started after a pause, which doubles each time. There is no pause if the program was restarted on
 * request.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/contract/destination_stream.h"
#include "collector/ledger/ledger.h"
#include "collector/log/log.h"
#include "collector/platform/child.h"
#include "collector/platform/clock.h"
#include "sinks/destinations/destinations.h"

#define MILLISECOND INT64_C(1000000)
#define SECOND      (1000 * MILLISECOND)

/* The pause before a restart. It doubles each time, and is reset if the program ran for CALM. */
#define FIRST_PAUSE   (100 * MILLISECOND)
#define LONGEST_PAUSE (10 * SECOND)
#define CALM          (10 * SECOND)

/*
 * The time between two polls. It doubles while nothing changes. It is IDLE_LOOK when the program
 * has read all input.
 */
#define FIRST_LOOK   (2 * MILLISECOND)
#define LONGEST_LOOK (100 * MILLISECOND)
#define IDLE_LOOK    SECOND

/* The time between asking a program to end and killing it. */
#define LAST_MOMENTS (200 * MILLISECOND)

enum phase {
    PHASE_WAITING, /* no program runs; start_ns is the time of the next start */
    PHASE_RUNNING,
    PHASE_LEAVING, /* the program gets no more input, and has not read all of its input */
    PHASE_LEFT,    /* the program's input is closed, and the program has not ended */
};

/* Times are monotonic. */
struct command {
    struct destination destination;
    const char *name;
    const char *line; /* the shell command */
    int64_t stall_timeout_ns;
    struct sink_counters *counters;
    struct child *child;
    enum phase phase;
    bool restarting;     /* the program must end; then another one is started */
    bool finishing;      /* the program must end; no other one is started */
    bool given;          /* the program was given at least one byte */
    bool closed;         /* a write reported that the program has closed its input */
    size_t unread;       /* unread bytes at the last poll; after the end of input, the bytes lost */
    bool end_unreported; /* `progress` has not yet reported that the program ended */
    int64_t started_ns;
    int64_t start_ns;
    int64_t pause;
    int64_t look_ns; /* time of the next poll */
    int64_t look_pause;
    int64_t closed_log_ns; /* when to log that the program has closed its input; INT64_MAX: never */
    int64_t ask_ns;        /* when the program is asked to end; INT64_MAX means never */
    int64_t end_ns;        /* when the program is killed; INT64_MAX means never */
    struct log_limit log;
};

static struct command *command_of(struct destination *destination)
{
    return (struct command *)destination;
}

/* --- polling ---------------------------------------------------------------------------------- */

static void look_soon(struct command *command, int64_t now)
{
    command->look_pause = FIRST_LOOK;
    command->look_ns = now + FIRST_LOOK;
}

static void look_later(struct command *command, int64_t now)
{
    int64_t doubled = command->look_pause * 2;
    command->look_pause = doubled < LONGEST_LOOK ? doubled : LONGEST_LOOK;
    command->look_ns = now + command->look_pause;
}

static bool has_input(const struct command *command)
{
    return command->phase == PHASE_RUNNING || command->phase == PHASE_LEAVING;
}

/* --- the program, from its start to its end --------------------------------------------------- */

static int64_t plan_start(struct command *command, int64_t now)
{
    int64_t pause = command->pause;
    if (command->restarting)
        pause = 0;
    else
        command->pause = pause * 2 < LONGEST_PAUSE ? pause * 2 : LONGEST_PAUSE;
    command->phase = PHASE_WAITING;
    command->start_ns = now + pause;
    return pause;
}

static void command_start(struct command *command, int64_t now)
{
    struct error error;
    bool again = command->started_ns != 0;
    RULE(command->phase == PHASE_WAITING && !command->finishing, "one command runs at a time");
    if (child_start(command->child, command->line, &error) != 0) {
        uint64_t suppressed;
        command->restarting = false;
        int64_t pause = plan_start(command, now);
        if (log_allowed(&command->log, &suppressed))
            log_about(LOG_ERROR, LOG_OF_SINK, command->name, "%s; trying again in %" PRId64 " ms",
                      error.text, pause / MILLISECOND);
        return;
    }
    if (again)
        counter_add(&command->counters->restarts, 1);
    if (command->restarting)
        log_about(LOG_INFO, LOG_OF_SINK, command->name, "the command was restarted");
    command->phase = PHASE_RUNNING;
    command->restarting = false;
    command->given = false;
    command->closed = false;
    command->closed_log_ns = INT64_MAX;
    command->unread = 0;
    command->started_ns = now;
    command->ask_ns = INT64_MAX;
    command->end_ns = INT64_MAX;
    look_soon(command, now);
}

static void close_input(struct command *command, int64_t now)
{
    RULE(has_input(command), "an input is closed once");
    command->unread = child_close_input(command->child);
    command->end_unreported = true;
    command->phase = PHASE_LEFT;
    look_soon(command, now);
}

static void command_describe_end(const struct child_end *end, char *text, size_t size)
{
    if (end->unknown)
        snprintf(text, size, "with an unknown status");
    else
        snprintf(text, size, "with %s %d", end->killed ? "signal" : "exit code", end->number);
}

static void command_note_end(struct command *command, const struct child_end *end, int64_t now)
{
    if (has_input(command))
        close_input(command, now);
    if (now - command->started_ns >= CALM)
        command->pause = FIRST_PAUSE;
    bool expected = command->restarting || command->finishing;
    int64_t pause = plan_start(command, now);
    uint64_t suppressed;
    bool well = !end->unknown && !end->killed && end->number == 0;
    if ((expected && well) || !log_allowed(&command->log, &suppressed))
        return;
    char how[64];
    command_describe_end(end, how, sizeof how);
    if (expected)
        log_about(LOG_WARNING, LOG_OF_SINK, command->name, "the command has ended %s", how);
    else
        log_about(LOG_WARNING, LOG_OF_SINK, command->name,
                  "the command has ended %s, %zu bytes unread; restarting it in %" PRId64 " ms",
                  how, command->unread, pause / MILLISECOND);
}

static void make_it_end(struct command *command, int64_t now)
{
    if (now >= command->end_ns) {
        child_terminate(command->child, true);
        command->end_ns = INT64_MAX;
        look_soon(command, now);
    } else if (now >= command->ask_ns) {
        if (has_input(command))
            close_input(command, now);
        child_terminate(command->child, false);
        command->ask_ns = INT64_MAX;
        command->end_ns = now + LAST_MOMENTS;
        look_soon(command, now);
    }
}

/*
 * Logs that the program has closed its input. A program that ends also closes its input, so the log
 * waits until closed_log_ns.
 */
static void log_closed_input(struct command *command, int64_t now)
{
    if (now < command->closed_log_ns)
        return;
    command->closed_log_ns = INT64_MAX;
    log_about(LOG_WARNING, LOG_OF_SINK, command->name,
              "the command has closed its input; waiting for its end");
}

static void command_look(struct command *command, int64_t now)
{
    struct child_end end;
    enum child_state state = child_look(command->child, &end);
    if (state == CHILD_ENDED) {
        command_note_end(command, &end, now);
        return;
    }
    look_later(command, now);
    if (state == CHILD_NOT_READING || (command->closed && has_input(command))) {
        close_input(command, now);
        command->closed_log_ns = now + SECOND;
    }
    if (has_input(command)) {
        size_t unread = child_unread(command->child);
        if (unread != command->unread)
            look_soon(command, now);
        command->unread = unread;
        if (unread == 0 && command->phase == PHASE_LEAVING)
            close_input(command, now);
        else if (unread == 0)
            command->look_ns = now + IDLE_LOOK;
    }
    log_closed_input(command, now);
    make_it_end(command, now);
}

static int64_t command_due(const struct destination *destination)
{
    const struct command *command = (const struct command *)destination;
    if (command->phase == PHASE_WAITING)
        return command->finishing ? INT64_MAX : command->start_ns;
    int64_t next = command->look_ns;
    if (command->ask_ns < next)
        next = command->ask_ns;
    return command->end_ns < next ? command->end_ns : next;
}

static void command_tick(struct destination *destination)
{
    struct command *command = command_of(destination);
    int64_t now = clock_monotonic_ns();
    if (command->phase != PHASE_WAITING)
        command_look(command, now);
    else if (!command->finishing && now >= command->start_ns)
        command_start(command, now);
}

/* --- the operations of a stream --------------------------------------------------------------- */

static enum write_result write_to(struct destination *destination, const void *bytes, size_t size,
                                  size_t *written, struct error *error)
{
    struct command *command = command_of(destination);
    if (command->phase != PHASE_RUNNING)
        return WRITE_WOULD_BLOCK;
    enum write_result result = child_write(command->child, bytes, size, written, error);
    command->given = command->given || result == WRITE_OK;
    if (result != WRITE_CLOSED)
        return result;
    command->closed = true;
    command->look_ns = clock_monotonic_ns();
    return WRITE_WOULD_BLOCK;
}

static wait_handle command_handle(const struct destination *destination)
{
    const struct command *command = (const struct command *)destination;
    return command->phase == PHASE_RUNNING ? child_input(command->child) : NO_HANDLE;
}

static bool at_beginning(const struct destination *destination)
{
    const struct command *command = (const struct command *)destination;
    return !has_input(command) || !command->given;
}

static enum reader_state progress(struct destination *destination, size_t *unread)
{
    struct command *command = command_of(destination);
    *unread = 0;
    if (command->end_unreported) {
        command->end_unreported = false;
        *unread = command->unread;
        return READER_ENDED;
    }
    if (!has_input(command))
        return READER_AWAITED;
    *unread = child_unread(command->child);
    if (*unread != 0 && command->look_ns - clock_monotonic_ns() > LONGEST_LOOK)
        look_soon(command, clock_monotonic_ns());
    return READER_READS;
}

static void restart_reader(struct destination *destination, bool more)
{
    struct command *command = command_of(destination);
    int64_t now = clock_monotonic_ns();
    command->restarting = true;
    if (command->phase == PHASE_WAITING) {
        command->start_ns = now;
        return;
    }
    if (command->phase == PHASE_RUNNING && !more)
        command->phase = PHASE_LEAVING;
    if (command->ask_ns == INT64_MAX && command->end_ns == INT64_MAX)
        command->ask_ns = now + command->stall_timeout_ns;
    look_soon(command, now);
}

static bool command_finish(struct destination *destination, bool at_once)
{
    struct command *command = command_of(destination);
    int64_t now = clock_monotonic_ns();
    command->finishing = true;
    if (command->phase == PHASE_RUNNING) {
        command->phase = PHASE_LEAVING;
        look_soon(command, now);
        command->look_ns = now;
    }
    if (at_once && command->end_ns == INT64_MAX && command->ask_ns > now)
        command->ask_ns = now;
    if (now >= command_due(destination))
        command_tick(destination);
    return command->phase == PHASE_WAITING;
}

/* --- making a destination --------------------------------------------------------------------- */

static void command_destroy(struct destination *destination)
{
    child_destroy(command_of(destination)->child);
    free(destination);
}

static const struct stream_ops command_stream = {
    .write = write_to,
    .handle = command_handle,
    .at_beginning = at_beginning,
    .due = command_due,
    .tick = command_tick,
    .progress = progress,
    .restart = restart_reader,
    .finish = command_finish,
};

static int command_create(const struct destination_options *options, struct destination **out,
                          struct error *error)
{
    struct command *made = calloc(1, sizeof *made);
    struct child *child = child_create();
    if (made == NULL || child == NULL) {
        free(made);
        child_destroy(child);
        error_set(error, EXIT_CODE_INTERNAL, "out of memory for a command");
        return -1;
    }
    made->destination = (struct destination){.stream = &command_stream, .destroy = command_destroy};
    made->name = options->name;
    made->line = options->path;
    made->stall_timeout_ns = (int64_t)options->stall_timeout_ns;
    made->counters = options->counters;
    made->child = child;
    made->pause = FIRST_PAUSE;
    *out = &made->destination;
    return 0;
}

const struct destination_ops destination_command = {
    .scheme = "command",
    .place = "COMMAND",
    .place_is = PLACE_COMMAND,
    .create = command_create,
};
