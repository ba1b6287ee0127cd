#include "tests/simulation/world.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

/* Stack size of a task, enough for the program's own threads. Untouched pages do not use memory. */
#define STACK_SIZE ((size_t)1024 * 1024)
#define TASKS_MOST 64

/* The world fails when its clock reaches this time. Only a hang takes that long. */
#define LATEST_NS (INT64_C(600) * SECONDS)

struct task {
    ucontext_t context;
    const char *name;
    void (*run)(void *argument);
    void *argument;
    void *stack;
    bool ended, joined;
    bool (*is_ready)(const void *context); /* NULL if the task waits for a time only */
    const void *waits_for;
    int64_t until_ns;
    bool was_ready;
};

static struct {
    uint64_t random[2];
    int64_t now_ns;
    int64_t date_ns; /* wall-clock time minus now_ns */
    struct task tasks[TASKS_MOST];
    size_t task_count; /* slots used so far */
    struct task *running;
    ucontext_t first; /* the context of world_run, which waits for the tasks */
    uint64_t steps;
    unsigned switch_in_thousand; /* calls in a thousand that let another task run */
    unsigned stall_in_million;   /* calls in a million that stop the task for a long time */
    int64_t longest_stall_ns;
    bool trace;
    int result;
    uint64_t comes; /* the number of the step at which `then` is called */
    void (*then)(void);
} world;

/* --- chance ----------------------------------------------------------------------------------- */

static uint64_t split_mix(uint64_t *state)
{
    uint64_t value = *state += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

static uint64_t rotate(uint64_t value, int by)
{
    return value << by | value >> (64 - by);
}

/* xoroshiro128+, by David Blackman and Sebastiano Vigna. */
static uint64_t next_random(void)
{
    uint64_t a = world.random[0], b = world.random[1];
    uint64_t result = a + b;
    b ^= a;
    world.random[0] = rotate(a, 24) ^ b ^ (b << 16);
    world.random[1] = rotate(b, 37);
    return result;
}

uint64_t world_below(uint64_t limit)
{
    return (next_random() >> 11) % limit;
}

bool world_chance(unsigned in_thousand)
{
    return world_below(1000) < in_thousand;
}

void world_begin(uint64_t seed)
{
    memset(&world, 0, sizeof world);
    world.random[0] = split_mix(&seed);
    world.random[1] = split_mix(&seed);
    world.now_ns = 1 * SECONDS + (int64_t)world_below(1000) * SECONDS;
    world.date_ns = INT64_C(1700000000) * SECONDS + (int64_t)world_below(100000000) * SECONDS;
    /* In some worlds tasks switch at nearly each call, in others a task runs for a long time. */
    static const unsigned switches[] = {500, 100, 20, 5};
    world.switch_in_thousand = switches[world_below(4)];
    world.stall_in_million = world_chance(300) ? (unsigned)world_below(300) : 0;
    world.longest_stall_ns = (int64_t)world_below(200) * MILLISECONDS + 1;
}

/* --- the trace -------------------------------------------------------------------------------- */

void world_set_trace(bool on)
{
    world.trace = on;
}

void world_trace(const char *format, ...)
{
    if (!world.trace)
        return;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%12.6f %-10s ", (double)world.now_ns / 1e9,
            world.running != NULL ? world.running->name : "-");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void world_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "at %.6f s, step %llu, in \"%s\": ", (double)world.now_ns / 1e9,
            (unsigned long long)world.steps, world.running != NULL ? world.running->name : "-");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    fflush(stderr);
    _exit(2);
}

/* --- time ------------------------------------------------------------------------------------- */

int64_t world_now_ns(void)
{
    return world.now_ns;
}

int64_t world_date_ns(void)
{
    return world.now_ns + world.date_ns;
}

void world_set_date(int64_t difference_ns)
{
    world.date_ns += difference_ns;
}

int64_t world_longest_stall_ns(void)
{
    return world.stall_in_million != 0 ? world.longest_stall_ns : 0;
}

uint64_t world_steps(void)
{
    return world.steps;
}

/* --- tasks ------------------------------------------------------------------------------------ */

struct task *world_self(void)
{
    return world.running;
}

void world_after(uint64_t steps, void (*then)(void))
{
    world.comes = world.steps + steps + 1;
    world.then = then;
}

static void count_step(void)
{
    if (++world.steps == world.comes)
        world.then();
}

static struct task *choose(void);

static void give_way(void)
{
    struct task *task = world.running;
    struct task *next = choose();
    if (next == task)
        return;
    world.running = next;
    swapcontext(&task->context, &next->context);
}

static void begin_task(void)
{
    struct task *task = world.running;
    task->run(task->argument);
    task->ended = true;
    give_way();
    abort();
}

static struct task *free_task(void)
{
    for (size_t i = 0; i < world.task_count; i++)
        if (world.tasks[i].ended && world.tasks[i].joined)
            return &world.tasks[i];
    if (world.task_count == TASKS_MOST)
        world_fail("more than %d tasks", TASKS_MOST);
    return &world.tasks[world.task_count++];
}

struct task *world_start(const char *name, void (*run)(void *argument), void *argument)
{
    struct task *task = free_task();
    void *stack = task->stack;
    if (stack == NULL)
        stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
        world_fail("no memory for a stack");
    *task = (struct task){.name = name, .run = run, .argument = argument, .stack = stack};
    task->until_ns = world.now_ns;
    getcontext(&task->context);
    task->context.uc_stack.ss_sp = stack;
    task->context.uc_stack.ss_size = STACK_SIZE;
    makecontext(&task->context, begin_task, 0);
    return task;
}

static bool has_ended(const void *context)
{
    return ((const struct task *)context)->ended;
}

void world_join(struct task *task)
{
    world_wait(has_ended, task, WORLD_NEVER);
    task->joined = true;
}

void world_leave(struct task *task)
{
    task->joined = true;
}

void world_step(void)
{
    struct task *task = world.running;
    count_step();
    world.now_ns += 20 + (int64_t)world_below(world.switch_in_thousand > 100 ? 20000 : 2000);
    bool stalls = world.stall_in_million != 0 && world_below(1000000) < world.stall_in_million;
    if (!stalls && !world_chance(world.switch_in_thousand))
        return;
    task->is_ready = NULL;
    task->until_ns =
        world.now_ns + (stalls ? (int64_t)world_below((uint64_t)world.longest_stall_ns) : 0);
    give_way();
}

bool world_wait(bool (*is_ready)(const void *context), const void *context, int64_t until_ns)
{
    struct task *task = world.running;
    count_step();
    world.now_ns += 20 + (int64_t)world_below(2000);
    task->is_ready = is_ready;
    task->waits_for = context;
    task->until_ns = until_ns;
    give_way();
    task->is_ready = NULL;
    return task->was_ready;
}

static bool never(const void *context)
{
    (void)context;
    return false;
}

void world_sleep(int64_t nanoseconds)
{
    world_wait(never, NULL, world.now_ns + nanoseconds);
}

void world_end(int result)
{
    world.result = result;
    setcontext(&world.first);
    abort();
}

/* --- the running task ------------------------------------------------------------------------- */

static bool can_run(struct task *task)
{
    if (task->ended)
        return false;
    task->was_ready = task->is_ready != NULL && task->is_ready(task->waits_for);
    return task->was_ready || task->until_ns <= world.now_ns;
}

/* Returns the earliest time that a task waits for. */
static int64_t next_time(void)
{
    int64_t next = WORLD_NEVER;
    for (size_t i = 0; i < world.task_count; i++) {
        const struct task *task = &world.tasks[i];
        if (!task->ended && task->until_ns < next)
            next = task->until_ns;
    }
    return next;
}

static struct task *choose(void)
{
    struct task *ready[TASKS_MOST];
    for (;;) {
        size_t count = 0;
        if (world.now_ns > LATEST_NS + 1001 * SECONDS)
            world_fail("it goes on for ever");
        for (size_t i = 0; i < world.task_count; i++)
            if (can_run(&world.tasks[i]))
                ready[count++] = &world.tasks[i];
        if (count != 0)
            return ready[world_below(count)];
        int64_t next = next_time();
        if (next == WORLD_NEVER)
            world_fail("every task waits for another one, for ever");
        world.now_ns = next;
    }
}

int world_run(void)
{
    world.running = choose();
    swapcontext(&world.first, &world.running->context);
    return world.result;
}
