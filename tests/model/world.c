/*
 * The explorer's implementation of the functions of platform/ with which threads wait for each
 * other, and of the allocator. The memory of a run is released at the beginning of the next one.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/platform/machine.h"
#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"
#include "tests/model/parts.h"

/* Numbers of operations for explorer_note. */
enum { LOCKED = 3, UNLOCKED, SIGNALLED, WOKEN, TIMED_OUT };

/* --- memory ----------------------------------------------------------------------------------- */

/*
 * The linker makes the program call the __wrap_ functions. The __real_ functions are the C
 * library's (ld(1), --wrap).
 */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void __wrap_free(void *memory);

void *world_take(size_t size)
{
    void *memory = __real_calloc(1, size);
    if (memory == NULL)
        abort();
    return memory;
}

void world_give_back(void *memory)
{
    __real_free(memory);
}

void *__wrap_malloc(size_t size)
{
    return explorer_is_running() ? memory_take(16, size) : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    if (!explorer_is_running())
        return __real_calloc(count, size);
    return memset(memory_take(16, count * size), 0, count * size);
}

void __wrap_free(void *memory)
{
    if (!memory_is_a_runs(memory))
        __real_free(memory);
}

void *aligned_memory_create(size_t alignment, size_t size)
{
    return memory_take(alignment, size);
}

void aligned_memory_discard(void *memory, size_t size)
{
    (void)memory;
    (void)size;
}

bool aligned_memory_populate(void *memory, size_t size)
{
    (void)memory;
    (void)size;
    return true;
}

void aligned_memory_destroy(void *memory)
{
    (void)memory;
}

/* --- time: it does not advance ---------------------------------------------------------------- */

int64_t clock_monotonic_ns(void)
{
    return INT64_C(1000000000);
}

int64_t clock_wall_ns(void)
{
    return INT64_C(1700000000000000000);
}

/* --- locks ------------------------------------------------------------------------------------ */

struct mutex {
    bool is_free;
    struct meeting meeting;
};

struct mutex *mutex_create(void)
{
    struct mutex *mutex = __wrap_calloc(1, sizeof *mutex);
    mutex->is_free = true;
    return mutex;
}

void mutex_destroy(struct mutex *mutex)
{
    if (mutex != NULL && !mutex->is_free)
        explorer_fault("a lock is destroyed that somebody holds");
}

UNCHECKED_LOCK void mutex_lock(struct mutex *mutex)
{
    explorer_wait(&mutex->is_free, false);
    mutex->is_free = false;
    meeting_pass(&mutex->meeting, LOCKED);
}

UNCHECKED_LOCK void mutex_unlock(struct mutex *mutex)
{
    explorer_step();
    mutex->is_free = true;
    meeting_pass(&mutex->meeting, UNLOCKED);
}

/* --- wake-ups --------------------------------------------------------------------------------- */

struct wakeup {
    bool signalled;
    struct meeting meeting;
};

int wakeup_create(struct wakeup **out, struct error *error)
{
    (void)error;
    *out = __wrap_calloc(1, sizeof **out);
    return 0;
}

void wakeup_destroy(struct wakeup *wakeup)
{
    (void)wakeup;
}

void wakeup_signal(struct wakeup *wakeup)
{
    explorer_step();
    wakeup->signalled = true;
    meeting_pass(&wakeup->meeting, SIGNALLED);
}

/* Waits only for the wake-up, because a handle never becomes ready here. */
enum wakeup_reason wakeup_wait(struct wakeup *wakeup, wait_handle handle, bool want_write,
                               int timeout_ms)
{
    (void)handle;
    (void)want_write;
    bool signalled = timeout_ms == 0 ? (explorer_step(), wakeup->signalled)
                                     : explorer_wait(&wakeup->signalled, timeout_ms > 0);
    wakeup->signalled = false;
    meeting_pass(&wakeup->meeting, signalled ? WOKEN : TIMED_OUT);
    return signalled ? WAKEUP_SIGNALLED : WAKEUP_TIMEOUT;
}

/* --- threads ---------------------------------------------------------------------------------- */

struct thread {
    int number;
};

int thread_start(struct thread **out, const char *name, void (*run)(void *), void *argument,
                 struct error *error)
{
    (void)name;
    (void)error;
    *out = __wrap_calloc(1, sizeof **out);
    (*out)->number = explorer_spawn(run, argument);
    return 0;
}

void thread_join(struct thread *thread)
{
    if (thread == NULL)
        return;
    explorer_wait(explorer_has_ended(thread->number), false);
    if (explorer_current() != NOBODY)
        past_join(explorer_past(explorer_current()), explorer_past(thread->number));
}

/* --- rules ------------------------------------------------------------------------------------ */

_Noreturn void rule_broken(const char *file, int line, const char *text)
{
    (void)file;
    (void)line;
    explorer_fault(text);
}

bool rule_is_owner(struct rule_owner *owner)
{
    (void)owner;
    return true;
}
