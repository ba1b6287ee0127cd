/*
 * A model of a receiver with two threads, which are paused twice while the main thread changes
 * their data. No thread may use the data during a change, each must use the new data afterwards,
 * and none may stay asleep.
 *
 * The model replaces the loop of the threads by a wait for the notifier and the first steps of the
 * real loop. So it uses private members of the receiver.
 */
#include "tests/model/models.h"

#include <stdlib.h>

#include "collector/platform/notifier.h"
#include "collector/platform/wakeup.h"
#include "collector/receive/receiver_parts.h"
#include "collector/receive/receiver_quiesce.h"
#include "tests/model/explorer.h"

#define THREADS 2

static struct {
    struct receiver *receiver;
    struct wakeup *events;    /* each signal ends one wait of one thread */
    struct wakeup *refreshed; /* wakes the main thread */
    unsigned *settings;       /* the data that changes; not atomic */
    unsigned changes;
    unsigned seen[THREADS];
    struct error error;
} shared;

static void wake(struct notifier *notifier)
{
    (void)notifier;
    wakeup_signal(shared.events);
}

static void refreshed(void *context)
{
    (void)context;
    wakeup_signal(shared.refreshed);
}

static void set_up(size_t threads, unsigned changes)
{
    static const struct notifier_backend backend = {.name = "model", .wake = wake};
    static struct notifier notifier = {.backend = &backend};
    struct receiver *receiver = calloc(1, sizeof *receiver + threads * sizeof receiver->workers[0]);
    shared.receiver = receiver;
    shared.settings = calloc(1, sizeof *shared.settings);
    shared.changes = changes;
    receiver->notifier = &notifier;
    receiver->options.thread_count = threads;
    receiver->options.refreshed = refreshed;
    atomic_init(&receiver->running, threads);
    wakeup_create(&shared.events, &shared.error);
    wakeup_create(&shared.refreshed, &shared.error);
    for (size_t i = 0; i < threads; i++) {
        receiver->workers[i].receiver = receiver;
        receiver->workers[i].number = i;
        wakeup_create(&receiver->workers[i].resumed, &shared.error);
        shared.seen[i] = 0;
    }
}

static void set_up_one(void)
{
    set_up(1, 2);
}

static void set_up_two(void)
{
    set_up(2, 1);
}

static void work(size_t number)
{
    struct worker *worker = &shared.receiver->workers[number];
    while (shared.seen[number] < shared.changes) {
        wakeup_wait(shared.events, NO_HANDLE, false, -1);
        receiver_quiesce_if_asked(worker);
        shared.seen[number] = *shared.settings;
    }
    /*
     * The thread leaves, so it no longer counts as running. Its event may be for another thread, so
     * it wakes the next one.
     */
    atomic_fetch_sub(&shared.receiver->running, 1);
    notifier_wake(shared.receiver->notifier);
    refreshed(NULL);
}

static void work_first(void)
{
    work(0);
}

static void work_second(void)
{
    work(1);
}

static void change(void)
{
    for (unsigned i = 0; i < shared.changes; i++) {
        while (!receiver_is_awake(shared.receiver))
            wakeup_wait(shared.refreshed, NO_HANDLE, false, -1);
        receiver_ask_to_quiesce(shared.receiver);
        while (!receiver_is_quiescent(shared.receiver))
            wakeup_wait(shared.refreshed, NO_HANDLE, false, -1);
        ++*shared.settings;
        receiver_resume(shared.receiver);
    }
}

static void check(void)
{
    for (size_t i = 0; i < shared.receiver->options.thread_count; i++)
        model_expect(shared.seen[i] == shared.changes, "a thread has not seen the change");
}

const struct model model_quiesce_one = {
    "one thread is stopped", set_up_one, {work_first, change}, check};
const struct model model_quiesce_two = {
    "two threads are stopped", set_up_two, {work_first, work_second, change}, check};
