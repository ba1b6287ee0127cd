#include "tests/support/platform/faulty_notifier.h"

#include <stdlib.h>

#define SWALLOWED_MS 250 /* longest wait for an event */

static const struct notifier_backend *sound;
static enum notifier_fault planted;

struct faulty {
    struct notifier base;
    struct notifier *sound;
    wait_handle socket; /* the last armed stream, with its token and interests */
    void *token;
    unsigned interests;
    struct notifier_event kept; /* an event that the next wait returns */
    bool has_kept;
};

static struct faulty *of(struct notifier *notifier)
{
    return (struct faulty *)notifier;
}

static int create(struct notifier **out, size_t threads, struct error *error)
{
    struct faulty *faulty = calloc(1, sizeof *faulty);
    if (faulty == NULL)
        return error_no_memory(error);
    if (notifier_create(&faulty->sound, sound, threads, error) != 0) {
        free(faulty);
        return -1;
    }
    *out = &faulty->base;
    return 0;
}

static void destroy(struct notifier *notifier)
{
    notifier_destroy(of(notifier)->sound);
    free(notifier);
}

static void lose_event(struct faulty *faulty)
{
    struct notifier_event lost;
    notifier_wait(faulty->sound, 0, &lost, 1, SWALLOWED_MS);
}

static unsigned note(struct faulty *faulty, wait_handle socket, void *token, unsigned interests)
{
    faulty->socket = socket;
    faulty->token = token;
    faulty->interests = interests;
    return planted == FAULT_NOT_ASKED ? NOTIFIER_ALL : interests;
}

static int watch(struct notifier *notifier, wait_handle socket, void *token, unsigned interests,
                 struct error *error)
{
    struct faulty *faulty = of(notifier);
    unsigned armed = note(faulty, socket, token, interests);
    int result = notifier_watch(faulty->sound, socket, token, armed, error);
    if (planted == FAULT_HELD_BEFORE)
        lose_event(faulty);
    return result;
}

static int arm(struct notifier *notifier, wait_handle socket, void *token, unsigned interests,
               struct error *error)
{
    struct faulty *faulty = of(notifier);
    unsigned armed = note(faulty, socket, token, interests);
    int result = notifier_arm(faulty->sound, socket, token, armed, error);
    if (planted == FAULT_HELD_AGAIN)
        lose_event(faulty);
    return result;
}

static void leave_open(wait_handle socket)
{
    (void)socket;
}

static void unwatch(struct notifier *notifier, wait_handle socket, notifier_close *close)
{
    struct faulty *faulty = of(notifier);
    if (planted == FAULT_WATCHED_STILL)
        return;
    if (planted == FAULT_CLOSED_TWICE)
        close(socket);
    if (planted == FAULT_NOT_CLOSED)
        close = leave_open;
    if (planted == FAULT_LATE_EVENT && !faulty->has_kept)
        faulty->has_kept = notifier_wait(faulty->sound, 0, &faulty->kept, 1, SWALLOWED_MS) == 1;
    notifier_unwatch(faulty->sound, socket, close);
}

static bool change(struct faulty *faulty, struct notifier_event *event)
{
    switch (planted) {
    case FAULT_NOT_DISARMED:
        notifier_arm(faulty->sound, faulty->socket, faulty->token, faulty->interests, NULL);
        return true;
    case FAULT_TWO_EVENTS:
        faulty->kept = *event;
        faulty->has_kept = true;
        return true;
    case FAULT_NO_HANG_UP:
        event->ready &= ~(unsigned)NOTIFIER_HANGUP;
        return event->ready != 0;
    case FAULT_ONLY_A_HANG_UP:
        if ((event->ready & NOTIFIER_IN) != 0 && (faulty->interests & NOTIFIER_HANGUP) != 0)
            event->ready = NOTIFIER_HANGUP;
        return true;
    default:
        return true;
    }
}

static size_t wait_for_event(struct notifier *notifier, size_t thread,
                             struct notifier_event *events, size_t capacity, int timeout_ms)
{
    struct faulty *faulty = of(notifier);
    (void)capacity; /* one event at a time */
    if (faulty->has_kept) {
        faulty->has_kept = false;
        *events = faulty->kept;
        return 1;
    }
    if (planted == FAULT_WATCHED_STILL && timeout_ms >= 0 && timeout_ms < SWALLOWED_MS)
        timeout_ms = SWALLOWED_MS;
    if (notifier_wait(faulty->sound, thread, events, 1, timeout_ms) == 0)
        return 0;
    return events->type != NOTIFIER_READY || change(faulty, events);
}

static void finish(struct notifier *notifier)
{
    notifier_finish(of(notifier)->sound);
}

static size_t unremoved(const struct notifier *notifier)
{
    return notifier_unremoved(((const struct faulty *)notifier)->sound);
}

static void wake(struct notifier *notifier)
{
    if (planted != FAULT_NO_WAKE_UP)
        notifier_wake(of(notifier)->sound);
}

const struct notifier_backend *faulty_notifier(const struct notifier_backend *backend,
                                               enum notifier_fault fault)
{
    static const struct notifier_backend faulty = {
        .name = "faulty",
        .create = create,
        .destroy = destroy,
        .wait = wait_for_event,
        .wake = wake,
        .watch = watch,
        .arm = arm,
        .unwatch = unwatch,
        .finish = finish,
        .unremoved = unremoved,
    };
    sound = backend;
    planted = fault;
    return &faulty;
}
