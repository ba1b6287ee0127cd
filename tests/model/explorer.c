#include "tests/model/explorer.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "tests/model/parts.h"

#define STACK_SIZE   ((size_t)256 * 1024)
#define MOST_STEPS   4000 /* most steps of one run */
#define MOST_THREADS MODEL_THREADS

struct coroutine {
    ucontext_t context;
    void (*run)(void *);
    void *argument;
    bool ended;
    const bool *ready; /* the thread waits until this is true; NULL if it does not wait */
    bool may_end;      /* the wait also ends when no other thread can continue */
    uint64_t seen;
    struct past past;
};

struct choice {
    uint32_t taken, count;
};

enum ending { ENDED_WELL, ENDED_KNOWN, ENDED_FAULT, ENDED_AGAIN };

static struct {
    const struct model *model;
    struct coroutine threads[MOST_THREADS];
    int count, current;
    ucontext_t scheduler;
    jmp_buf over;
    const char *fault;
    size_t steps;
    bool is_running; /* a run is active, from its set-up to its check */

    /*
     * The choices of this run. The first `repeated` ones are those of the previous run, and the
     * others are new.
     */
    struct choice *choices;
    size_t made, repeated, room;

    /* A hash table of the states that any run has reached. */
    uint64_t *states;
    size_t state_count, state_room;
} explorer;

static char stacks[MOST_THREADS][STACK_SIZE];

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t z = (a ^ (b + UINT64_C(0x9e3779b97f4a7c15) + (a << 6) + (a >> 2))) *
                 UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 29) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 32;
}

void past_join(struct past *past, const struct past *other)
{
    for (size_t i = 0; i < MODEL_THREADS; i++)
        if (other->steps[i] > past->steps[i])
            past->steps[i] = other->steps[i];
    for (size_t i = 0; i < MOST_OBJECTS; i++)
        if (other->oldest[i] > past->oldest[i])
            past->oldest[i] = other->oldest[i];
}

/* --- states ----------------------------------------------------------------------------------- */

static void insert(uint64_t *table, size_t room, uint64_t state)
{
    size_t at = (size_t)state & (room - 1);
    while (table[at] != 0)
        at = (at + 1) & (room - 1);
    table[at] = state;
}

static void grow(void)
{
    size_t room = explorer.state_room == 0 ? 1 << 12 : 2 * explorer.state_room;
    uint64_t *table = world_take(room * sizeof *table);
    if (table == NULL)
        abort();
    for (size_t i = 0; i < explorer.state_room; i++)
        if (explorer.states[i] != 0)
            insert(table, room, explorer.states[i]);
    world_give_back(explorer.states);
    explorer.states = table;
    explorer.state_room = room;
}

static bool is_new_state(uint64_t state)
{
    state += state == 0;
    if (2 * explorer.state_count >= explorer.state_room)
        grow();
    size_t at = (size_t)state & (explorer.state_room - 1);
    for (; explorer.states[at] != 0; at = (at + 1) & (explorer.state_room - 1))
        if (explorer.states[at] == state)
            return false;
    explorer.states[at] = state;
    explorer.state_count++;
    return true;
}

static uint64_t state_now(void)
{
    uint64_t state = memory_order_so_far();
    for (int i = 0; i < explorer.count; i++)
        state = mix(state, explorer.threads[i].seen);
    return state;
}

/* --- choices ---------------------------------------------------------------------------------- */

size_t explorer_choose(size_t count)
{
    if (count == 1)
        return 0;
    if (explorer.made == explorer.room) {
        size_t room = 2 * explorer.room + 256;
        struct choice *choices = world_take(room * sizeof *choices);
        if (explorer.made != 0)
            memcpy(choices, explorer.choices, explorer.made * sizeof *choices);
        world_give_back(explorer.choices);
        explorer.choices = choices;
        explorer.room = room;
    }
    struct choice *choice = &explorer.choices[explorer.made++];
    if (explorer.made > explorer.repeated)
        *choice = (struct choice){.count = (uint32_t)count};
    if (choice->count != count) {
        fprintf(stderr, "%s: a run is not repeated as it was\n", explorer.model->name);
        abort();
    }
    return choice->taken;
}

/* Prepares the choices of the next run. Returns false if all choices were tried. */
static bool advance(void)
{
    size_t at = explorer.made;
    while (at != 0 && explorer.choices[at - 1].taken + 1 == explorer.choices[at - 1].count)
        at--;
    if (at == 0)
        return false;
    explorer.choices[at - 1].taken++;
    explorer.repeated = at;
    return true;
}

/* --- threads ---------------------------------------------------------------------------------- */

bool explorer_is_running(void)
{
    return explorer.is_running;
}

int explorer_current(void)
{
    return explorer.current;
}

struct past *explorer_past(int thread)
{
    return &explorer.threads[thread].past;
}

void explorer_note(uint64_t what, uint64_t more)
{
    struct coroutine *thread = &explorer.threads[explorer.current];
    thread->seen = mix(mix(thread->seen, what), more);
}

uint64_t explorer_seen(void)
{
    return explorer.threads[explorer.current].seen;
}

void explorer_fault(const char *text)
{
    explorer.fault = text;
    longjmp(explorer.over, ENDED_FAULT);
}

void explorer_again(void)
{
    longjmp(explorer.over, ENDED_AGAIN);
}

void model_expect(bool holds, const char *text)
{
    if (!holds)
        explorer_fault(text);
}

static void begin(void)
{
    struct coroutine *thread = &explorer.threads[explorer.current];
    thread->run(thread->argument);
    thread->ended = true;
    explorer_note(1, 0);
    for (;;)
        swapcontext(&thread->context, &explorer.scheduler);
}

int explorer_spawn(void (*run)(void *), void *argument)
{
    if (explorer.count == MOST_THREADS)
        abort();
    int number = explorer.count++;
    struct coroutine *thread = &explorer.threads[number];
    *thread = (struct coroutine){.run = run, .argument = argument, .seen = (uint64_t)number + 1};
    if (explorer.current != NOBODY)
        thread->past = explorer.threads[explorer.current].past;
    getcontext(&thread->context);
    thread->context.uc_stack.ss_sp = stacks[number];
    thread->context.uc_stack.ss_size = STACK_SIZE;
    thread->context.uc_link = NULL;
    makecontext(&thread->context, begin, 0);
    return number;
}

const bool *explorer_has_ended(int thread)
{
    return &explorer.threads[thread].ended;
}

/*
 * Lets the scheduler continue with any thread. Notes this point, because a thread that has reached
 * it has another state than one that has not begun.
 */
static void leave(void)
{
    struct coroutine *thread = &explorer.threads[explorer.current];
    explorer_note(2, 0);
    swapcontext(&thread->context, &explorer.scheduler);
}

void explorer_step(void)
{
    if (explorer.current != NOBODY)
        leave();
}

bool explorer_wait(const bool *ready, bool may_end)
{
    if (explorer.current == NOBODY) {
        if (!*ready && !may_end)
            explorer_fault("the set-up or the check waits for an event that cannot occur");
        return *ready;
    }
    struct coroutine *thread = &explorer.threads[explorer.current];
    thread->ready = ready;
    thread->may_end = may_end;
    leave();
    thread->ready = NULL;
    return *ready;
}

static bool can_run(const struct coroutine *thread, bool nothing_else)
{
    if (thread->ended)
        return false;
    return thread->ready == NULL || *thread->ready || (nothing_else && thread->may_end);
}

static size_t runnable(int *numbers, bool nothing_else)
{
    size_t count = 0;
    for (int i = 0; i < explorer.count; i++)
        if (can_run(&explorer.threads[i], nothing_else))
            numbers[count++] = i;
    return count;
}

/* Runs the threads until they end, or until they reach a state that was explored before. */
static void schedule(void)
{
    int numbers[MOST_THREADS];
    for (;;) {
        size_t count = runnable(numbers, false);
        if (count == 0)
            count = runnable(numbers, true);
        if (count == 0)
            break;
        if (explorer.made >= explorer.repeated && !is_new_state(state_now()))
            longjmp(explorer.over, ENDED_KNOWN);
        if (++explorer.steps > MOST_STEPS)
            explorer_fault("it does not come to an end");
        explorer.current = numbers[explorer_choose(count)];
        swapcontext(&explorer.scheduler, &explorer.threads[explorer.current].context);
        explorer.current = NOBODY;
    }
    for (int i = 0; i < explorer.count; i++)
        if (!explorer.threads[i].ended)
            explorer_fault("a thread waits for ever");
}

/* --- runs ------------------------------------------------------------------------------------- */

static void call(void *argument)
{
    const size_t *number = argument;
    explorer.model->threads[*number]();
}

static enum ending run_once(void)
{
    static size_t numbers[MODEL_THREADS];
    const struct model *model = explorer.model;
    explorer.count = 0;
    explorer.made = 0;
    explorer.steps = 0;
    explorer.current = NOBODY;
    memory_begin_run();
    explorer.is_running = true;
    int over = setjmp(explorer.over);
    if (over != 0) {
        explorer.current = NOBODY;
        explorer.is_running = false;
        return (enum ending)over;
    }
    model->set_up();
    for (size_t i = 0; i < MODEL_THREADS && model->threads[i] != NULL; i++) {
        numbers[i] = i;
        explorer_spawn(call, &numbers[i]);
    }
    schedule();
    if (model->check != NULL)
        model->check();
    explorer.is_running = false;
    return ENDED_WELL;
}

static void forget(void)
{
    world_give_back(explorer.states);
    explorer.states = NULL;
    explorer.state_count = 0;
    explorer.state_room = 0;
    explorer.repeated = 0;
}

struct exploration model_explore(const struct model *model, size_t most)
{
    struct exploration done = {0};
    explorer.model = model;
    explorer.fault = NULL;
    memory_forget_shared();
    forget();
    for (;;) {
        enum ending ending = run_once();
        done.runs++;
        if (ending == ENDED_AGAIN) {
            forget();
            continue;
        }
        if (explorer.state_count > most) {
            fprintf(stderr, "%s: more than %zu states\n", model->name, most);
            abort();
        }
        if (ending == ENDED_FAULT || !advance())
            break;
    }
    done.states = explorer.state_count;
    done.fault = explorer.fault;
    forget();
    return done;
}
