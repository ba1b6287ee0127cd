#include "tests/simulation/children.h"

#include <signal.h>
#include <string.h>

#include "tests/simulation/history.h"
#include "tests/simulation/world.h"

#define PROCESSES_MOST 32
#define FIRST_HANDLE   2000

static struct process processes[PROCESSES_MOST];
static const struct child_options *options_of[HISTORY_SINKS];

void children_begin(unsigned sink, const struct child_options *options)
{
    options_of[sink] = options;
}

/* --- the pipe --------------------------------------------------------------------------------- */

wait_handle children_handle(const struct process *process)
{
    return (wait_handle)(FIRST_HANDLE + (process - processes));
}

static const struct process *of(wait_handle handle)
{
    bool is_one = handle >= FIRST_HANDLE && handle < FIRST_HANDLE + PROCESSES_MOST;
    const struct process *process = is_one ? &processes[handle - FIRST_HANDLE] : NULL;
    return is_one && process->is_used && process->write_open ? process : NULL;
}

bool children_is_broken(wait_handle handle)
{
    const struct process *process = of(handle);
    return process != NULL && !process->read_open;
}

/* A pipe is writable if it has room for a page, as for poll(2). */
bool children_has_room(wait_handle handle)
{
    const struct process *process = of(handle);
    return process != NULL && process->used <= process->options->pipe - CHILD_ATOMIC;
}

/* Reads all bytes in the pipe, but at most `most`, as read(2) does. */
static void read_some(struct process *process, size_t most)
{
    size_t size = process->used < most ? process->used : most;
    command_read(&process->reader, process->bytes, size);
    process->used -= size;
    memmove(process->bytes, process->bytes + size, process->used);
}

/* --- actions of a program --------------------------------------------------------------------- */

static bool must_end(const void *context)
{
    const struct process *process = context;
    return process->killed || (process->asked && !process->options->is_stubborn);
}

static bool has_something(const void *context)
{
    const struct process *process = context;
    return process->used != 0 || !process->write_open || must_end(process);
}

/* Returns false if the program must end. */
static bool rest(struct process *process, int64_t nanoseconds)
{
    return !world_wait(must_end, process,
                       nanoseconds == WORLD_NEVER ? WORLD_NEVER : world_now_ns() + nanoseconds);
}

static void close_its_end(struct process *process)
{
    process->read_open = false;
    world_step();
}

/* Ends the program after a short random time. */
static void end_with(struct process *process, bool killed, int number)
{
    if (process->has_ended)
        return;
    world_sleep((int64_t)world_below(world_chance(50) ? 50000 : 500) * MICROSECONDS);
    process->end = (struct command_end){.killed = killed, .number = number};
    world_trace("%s %d", killed ? "ended by signal" : "exits with", number);
    process->has_ended = true;
}

static void obey(struct process *process)
{
    if (!process->killed && world_chance(500))
        rest(process, (int64_t)world_below(300) * MILLISECONDS);
    if (process->read_open)
        close_its_end(process);
    if (process->killed)
        end_with(process, true, SIGKILL);
    else if (world_chance(500))
        end_with(process, true, SIGTERM);
    else
        end_with(process, false, world_chance(500) ? 0 : 128 + SIGTERM);
}

static void finish(struct process *process)
{
    const struct child_options *options = process->options;
    close_its_end(process);
    if (options->is_steady)
        rest(process, (int64_t)world_below(2000) * MICROSECONDS);
    else if (world_chance(300))
        rest(process,
             options->is_stubborn ? WORLD_NEVER : (int64_t)world_below(1500) * MILLISECONDS);
    if (must_end(process))
        obey(process);
    else
        end_with(process, false, options->is_steady || world_chance(800) ? 0 : 3);
}

/* Lets the program fail in a random way. Returns true if it continues to read. */
static bool break_off(struct process *process)
{
    switch (world_below(6)) {
    case 0:
        close_its_end(process);
        end_with(process, false, world_chance(500) ? 0 : 1);
        return false;
    case 1:
        close_its_end(process);
        end_with(process, true, SIGSEGV);
        return false;
    case 2: /* it closes its input and continues to run */
        close_its_end(process);
        if (rest(process, (int64_t)world_below(3000) * MILLISECONDS))
            end_with(process, false, 2);
        return false;
    case 3: /* it ends, but its child process continues to read */
        end_with(process, false, world_chance(500) ? 0 : 4);
        return true;
    case 4:
        return rest(process, WORLD_NEVER);
    default:
        return rest(process, (int64_t)world_below(3000) * MILLISECONDS);
    }
}

static void go_on_reading(struct process *process)
{
    const struct child_options *options = process->options;
    size_t most = world_chance(300) ? 1 + (size_t)world_below(300) : CHILD_PIPE;
    int64_t pace = (int64_t)(options->is_slow ? world_below(40000) : world_below(300));
    while (world_wait(has_something, process, WORLD_NEVER) && !must_end(process)) {
        if (process->used == 0)
            return;
        read_some(process, 1 + (size_t)world_below(most));
        if (world_chance(options->breaks) && !break_off(process))
            return;
        if (pace != 0 && !rest(process, (int64_t)world_below((uint64_t)pace) * MICROSECONDS))
            return;
    }
}

static bool is_forgotten(const struct process *process)
{
    return process->is_off && process->was_reported && !process->write_open;
}

static void run(void *argument)
{
    struct process *process = argument;
    if (!process->options->is_steady && world_chance(100))
        rest(process, (int64_t)world_below(500) * MILLISECONDS);
    go_on_reading(process);
    if (must_end(process))
        obey(process);
    else if (process->read_open)
        finish(process);
    else
        end_with(process, false, 0);
    if (process->read_open)
        close_its_end(process);
    process->is_off = true;
    process->is_used = !is_forgotten(process);
}

/* --- starting and ending programs ------------------------------------------------------------- */

static struct process *free_process(void)
{
    for (size_t i = 0; i < PROCESSES_MOST; i++)
        if (!processes[i].is_used)
            return &processes[i];
    world_fail("more than %d processes", PROCESSES_MOST);
}

struct process *children_start(unsigned sink, const char **why)
{
    static const char *const reasons[] = {"Resource temporarily unavailable",
                                          "Cannot allocate memory", "Too many open files",
                                          "No such file or directory"};
    const struct child_options *options = options_of[sink];
    world_step();
    if (!options->is_steady && world_chance(20))
        world_sleep((int64_t)world_below(100) * MILLISECONDS);
    if (world_chance(options->cannot_start)) {
        *why = reasons[world_below(sizeof reasons / sizeof reasons[0])];
        return NULL;
    }
    struct process *process = free_process();
    memset(process, 0, offsetof(struct process, bytes));
    process->is_used = process->write_open = process->read_open = true;
    process->sink = sink;
    process->options = options;
    world_leave(world_start("command", run, process));
    world_step();
    return process;
}

void children_let_go(struct process *process)
{
    process->is_used = !is_forgotten(process);
}

/*
 * Called when the collector's process ends. Each program then reads the rest of its pipe, unless it
 * must end. After a stop no program may be left.
 */
void children_program_ends(bool stopped)
{
    for (size_t i = 0; i < PROCESSES_MOST; i++) {
        struct process *process = &processes[i];
        if (!process->is_used)
            continue;
        if (stopped && !process->was_reported)
            world_fail("a program of sink %u is left", process->sink);
        if (process->read_open && process->write_open && !must_end(process))
            read_some(process, CHILD_PIPE);
    }
}
