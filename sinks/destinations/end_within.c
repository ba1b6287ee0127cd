#include "sinks/destinations/end_within.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"

#define MS_NS INT64_C(1000000)

enum { ENDING, ENDED, LEFT };

struct ending {
    void (*end)(void *object);
    void *object;
    struct wakeup *ended;
    struct thread *thread;
    atomic_int state;
};

static void free_ending(struct ending *ending)
{
    wakeup_destroy(ending->ended);
    free(ending);
}

static void within_run(void *argument)
{
    struct ending *ending = argument;
    ending->end(ending->object);
    int expected = ENDING;
    if (atomic_compare_exchange_strong(&ending->state, &expected, ENDED))
        wakeup_signal(ending->ended); /* end_within() joins this thread, then frees `ending` */
    else
        free_ending(ending);
}

static struct ending *ending_create(void (*end)(void *object), void *object)
{
    struct ending *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->end = end;
    made->object = object;
    atomic_init(&made->state, ENDING);
    if (wakeup_create(&made->ended, NULL) == 0) {
        if (thread_start(&made->thread, "end", within_run, made, NULL) == 0)
            return made;
        wakeup_destroy(made->ended);
    }
    free(made);
    return NULL;
}

void end_within(void (*end)(void *object), void *object, int ms)
{
    struct ending *ending = ending_create(end, object);
    if (ending == NULL) {
        end(object);
        return;
    }
    int64_t until = clock_monotonic_ns() + ms * MS_NS;
    int64_t left;
    struct thread *thread = ending->thread;
    while (atomic_load(&ending->state) == ENDING && (left = until - clock_monotonic_ns()) > 0)
        wakeup_wait(ending->ended, NO_HANDLE, false, (int)(left / MS_NS) + 1);
    int expected = ENDING;
    if (atomic_compare_exchange_strong(&ending->state, &expected, LEFT)) {
        thread_leave(thread);
        return;
    }
    RULE(expected == ENDED, "a thread that was not left has ended its object");
    thread_join(thread);
    free_ending(ending);
}
