/* Implements threads, locks, wake-ups, clocks and signals in the simulated world. */
#include <stdatomic.h>
#include <stdlib.h>

#include "collector/platform/clock.h"
#include "collector/platform/control.h"
#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"
#include "tests/simulation/signals.h"
#include "tests/simulation/streams.h"
#include "tests/simulation/world.h"

/* --- clocks ----------------------------------------------------------------------------------- */

int64_t clock_monotonic_ns(void)
{
    world_step();
    return world_now_ns();
}

int64_t clock_wall_ns(void)
{
    world_step();
    return world_date_ns();
}

struct pause {
    int unused;
};

struct pause *pause_create(void)
{
    return calloc(1, sizeof(struct pause));
}

void pause_destroy(struct pause *pause)
{
    free(pause);
}

void pause_wait(struct pause *pause, int64_t nanoseconds)
{
    (void)pause;
    world_sleep(world_chance(50) ? nanoseconds / 2 : nanoseconds + (int64_t)world_below(100000));
}

/* --- threads ---------------------------------------------------------------------------------- */

struct thread {
    struct task *task;
    char name[16];
    void (*run)(void *);
    void *argument;
    bool given_up; /* set by the first give_up(), of the task at its end or of the owner; the second
                      frees the thread */
};

static void give_up(struct thread *thread)
{
    if (thread->given_up)
        free(thread);
    else
        thread->given_up = true;
}

static void run_thread(void *argument)
{
    struct thread *thread = argument;
    thread->run(thread->argument);
    give_up(thread);
}

int thread_start(struct thread **out, const char *name, void (*run)(void *), void *argument,
                 struct error *error)
{
    struct thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL)
        return error_no_memory(error);
    for (size_t i = 0; i < sizeof thread->name - 1 && name[i] != '\0'; i++)
        thread->name[i] = name[i];
    thread->run = run;
    thread->argument = argument;
    thread->task = world_start(thread->name, run_thread, thread);
    world_step();
    *out = thread;
    return 0;
}

void thread_join(struct thread *thread)
{
    if (thread == NULL)
        return;
    world_join(thread->task);
    free(thread);
}

void thread_leave(struct thread *thread)
{
    if (thread == NULL)
        return;
    world_leave(thread->task);
    give_up(thread);
}

/* --- locks ------------------------------------------------------------------------------------ */

struct mutex {
    const struct task *holder;
};

static bool is_free(const void *context)
{
    return ((const struct mutex *)context)->holder == NULL;
}

struct mutex *mutex_create(void)
{
    return calloc(1, sizeof(struct mutex));
}

void mutex_destroy(struct mutex *mutex)
{
    if (mutex != NULL && mutex->holder != NULL)
        world_fail("a lock is destroyed that somebody holds");
    free(mutex);
}

UNCHECKED_LOCK void mutex_lock(struct mutex *mutex)
{
    world_step();
    if (mutex->holder == world_self())
        world_fail("a lock is taken again by its holder");
    while (mutex->holder != NULL)
        world_wait(is_free, mutex, WORLD_NEVER);
    mutex->holder = world_self();
}

UNCHECKED_LOCK void mutex_unlock(struct mutex *mutex)
{
    if (mutex->holder != world_self())
        world_fail("a lock is released by a task that does not hold it");
    mutex->holder = NULL;
    world_step();
}

/* --- wake-ups --------------------------------------------------------------------------------- */

struct wakeup {
    bool signalled;
    wait_handle handle;
    bool want_write;
};

int wakeup_create(struct wakeup **out, struct error *error)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? 0 : error_no_memory(error);
}

void wakeup_destroy(struct wakeup *wakeup)
{
    free(wakeup);
}

void wakeup_signal(struct wakeup *wakeup)
{
    world_step();
    wakeup->signalled = true;
    world_step();
}

static bool has_reason(const void *context)
{
    const struct wakeup *wakeup = context;
    return wakeup->signalled || stream_is_broken(wakeup->handle) ||
           (wakeup->want_write && stream_has_room(wakeup->handle));
}

static int64_t until(int timeout_ms)
{
    return timeout_ms < 0 ? WORLD_NEVER : world_now_ns() + timeout_ms * MILLISECONDS;
}

enum wakeup_reason wakeup_wait(struct wakeup *wakeup, wait_handle handle, bool want_write,
                               int timeout_ms)
{
    wakeup->handle = handle;
    wakeup->want_write = want_write;
    world_wait(has_reason, wakeup, until(timeout_ms));
    if (stream_is_broken(handle))
        return WAKEUP_BROKEN;
    if (want_write && stream_has_room(handle))
        return WAKEUP_WRITABLE;
    if (!wakeup->signalled)
        return WAKEUP_TIMEOUT;
    wakeup->signalled = false;
    return WAKEUP_SIGNALLED;
}

/* --- signals ---------------------------------------------------------------------------------- */

#define SIGNALS_MOST 16
#define SENT_MOST    100

struct control {
    bool noticed;
};

static struct {
    enum control_event events[SIGNALS_MOST];
    size_t count;
} pending;

static struct {
    enum control_event event;
    int64_t time_ns;
} sent[SENT_MOST];
static size_t sent_count;

unsigned signals_came(enum control_event event, int64_t from_ns, int64_t to_ns)
{
    unsigned count = 0;
    for (size_t i = 0; i < sent_count; i++)
        if (sent[i].event == event && sent[i].time_ns >= from_ns && sent[i].time_ns <= to_ns)
            count++;
    return count;
}

void signals_send(enum control_event event)
{
    if (sent_count == SENT_MOST)
        world_fail("more than %d signals", SENT_MOST);
    world_trace("it is sent signal %d", (int)event);
    sent[sent_count].event = event;
    sent[sent_count++].time_ns = world_now_ns();
    for (size_t i = 0; i < pending.count; i++)
        if (pending.events[i] == event) /* as in a real system, a pending signal is counted once */
            return;
    if (pending.count < SIGNALS_MOST)
        pending.events[pending.count++] = event;
}

int control_create(struct control **out, struct error *error)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? 0 : error_no_memory(error);
}

void control_destroy(struct control *control)
{
    free(control);
}

const char *control_warning(const struct control *control)
{
    (void)control;
    return NULL;
}

unsigned long control_process_id(void)
{
    return 1;
}

void control_notify(struct control *control)
{
    world_step();
    control->noticed = true;
}

static bool has_event(const void *context)
{
    return pending.count != 0 || ((const struct control *)context)->noticed;
}

enum control_event control_wait(struct control *control, const struct control_watch *watched,
                                size_t count, int timeout_ms)
{
    (void)watched;
    if (count != 0)
        world_fail("the world has nothing that the main thread could watch");
    world_wait(has_event, control, until(timeout_ms));
    if (pending.count != 0) {
        enum control_event event = pending.events[0];
        for (size_t i = 1; i < pending.count; i++)
            pending.events[i - 1] = pending.events[i];
        pending.count--;
        return event;
    }
    if (!control->noticed)
        return CONTROL_TIMEOUT;
    control->noticed = false;
    return CONTROL_NOTICE;
}
