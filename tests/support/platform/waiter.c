#include "tests/support/platform/waiter.h"

#include <stdio.h>
#include <stdlib.h>

#include "collector/platform/thread.h"
#include "collector/platform/wakeup.h"

enum order { ORDER_WAIT, ORDER_LEAVE, ORDER_END };

struct waiter {
    struct notifier *notifier;
    size_t number;
    struct thread *thread;
    struct wakeup
        *ordered;        /* signalled by the test; after that the thread uses the members below */
    struct wakeup *done; /* signalled by the thread; after that the test uses them */
    bool waiting;        /* an order is being carried out; only the test uses this member */
    enum order order;
    int timeout_ms;
    size_t count;
    struct notifier_event event;
};

static void follow(void *argument)
{
    struct waiter *waiter = argument;
    enum order order;
    do {
        while (wakeup_wait(waiter->ordered, NO_HANDLE, false, -1) != WAKEUP_SIGNALLED)
            ;
        struct notifier_event events[2];
        order = waiter->order;
        if (order == ORDER_WAIT) {
            waiter->count =
                notifier_wait(waiter->notifier, waiter->number, events, 2, waiter->timeout_ms);
            waiter->event = events[0];
        } else if (order == ORDER_LEAVE) {
            notifier_leave(waiter->notifier, waiter->number);
        }
        wakeup_signal(waiter->done);
    } while (order != ORDER_END);
}

struct waiter *waiter_start(struct notifier *notifier, size_t number)
{
    struct waiter *waiter = calloc(1, sizeof *waiter);
    struct error error = {.text = "no memory"};
    if (waiter == NULL || wakeup_create(&waiter->ordered, &error) != 0 ||
        wakeup_create(&waiter->done, &error) != 0) {
        fprintf(stderr, "a thread that waits: %s\n", error.text);
        abort();
    }
    waiter->notifier = notifier;
    waiter->number = number;
    if (thread_start(&waiter->thread, "waiter", follow, waiter, &error) != 0) {
        fprintf(stderr, "a thread that waits: %s\n", error.text);
        abort();
    }
    return waiter;
}

static void give_order(struct waiter *waiter, enum order order)
{
    waiter->order = order;
    waiter->waiting = true;
    wakeup_signal(waiter->ordered);
}

void waiter_begin(struct waiter *waiter, int timeout_ms)
{
    waiter->timeout_ms = timeout_ms;
    give_order(waiter, ORDER_WAIT);
}

bool waiter_has_ended(struct waiter *waiter, int timeout_ms)
{
    if (waiter->waiting &&
        wakeup_wait(waiter->done, NO_HANDLE, false, timeout_ms) == WAKEUP_SIGNALLED)
        waiter->waiting = false;
    return !waiter->waiting;
}

size_t waiter_events(const struct waiter *waiter, struct notifier_event *event)
{
    if (waiter->count > 1) {
        fprintf(stderr, "one of several threads was given %zu events\n", waiter->count);
        abort();
    }
    *event = waiter->event;
    return waiter->count;
}

void waiter_leave(struct waiter *waiter)
{
    give_order(waiter, ORDER_LEAVE);
    waiter_has_ended(waiter, -1);
}

void waiter_end(struct waiter *waiter)
{
    if (waiter == NULL)
        return;
    waiter_has_ended(waiter, -1);
    give_order(waiter, ORDER_END);
    thread_join(waiter->thread);
    wakeup_destroy(waiter->ordered);
    wakeup_destroy(waiter->done);
    free(waiter);
}
