#include "tests/support/platform/faulty_levels.h"

#include <stdlib.h>

static const struct notifier_backend *sound;
static enum level_fault planted;

struct faulty {
    struct notifier base;
    struct notifier *sound;
    struct notifier *idle;      /* watches no sockets */
    void *token;                /* token of the last added registration */
    void *reported;             /* the token of the last READY event */
    bool told;                  /* READY was reported since the last registration */
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
    if (notifier_create(&faulty->sound, sound, threads, error) != 0 ||
        notifier_create(&faulty->idle, sound, threads, error) != 0) {
        notifier_destroy(faulty->sound);
        free(faulty);
        return -1;
    }
    *out = &faulty->base;
    return 0;
}

static void destroy(struct notifier *notifier)
{
    notifier_destroy(of(notifier)->sound);
    notifier_destroy(of(notifier)->idle);
    free(notifier);
}

static void keep(struct faulty *faulty, void *token)
{
    faulty->kept = (struct notifier_event){NOTIFIER_READY, token, NOTIFIER_IN};
    faulty->has_kept = true;
}

static int add_level(struct notifier *notifier, wait_handle socket, void *token, unsigned interests,
                     struct error *error)
{
    struct faulty *faulty = of(notifier);
    if (planted == LEVEL_FAULT_KEY_REUSED && faulty->token != NULL)
        keep(faulty, token);
    faulty->token = token;
    faulty->told = false;
    return notifier_add_level(faulty->sound, socket, token, interests, error);
}

static void change_level(struct notifier *notifier, wait_handle socket, void *token,
                         unsigned interests)
{
    if (planted != LEVEL_FAULT_NOT_CHANGED)
        notifier_change_level(of(notifier)->sound, socket, token, interests);
}

static int remove_level(struct notifier *notifier, wait_handle socket, void *token,
                        struct error *error)
{
    if (planted == LEVEL_FAULT_LATE_EVENT)
        keep(of(notifier), token);
    return notifier_remove(of(notifier)->sound, socket, token, error);
}

static bool change_ready(struct faulty *faulty, struct notifier_event *event)
{
    bool told = faulty->told;
    faulty->told = true;
    switch (planted) {
    case LEVEL_FAULT_NOTHING:
        return false;
    case LEVEL_FAULT_ONCE:
        return !told;
    case LEVEL_FAULT_NO_HANG_UP:
        event->ready &= ~(unsigned)NOTIFIER_HANGUP;
        return event->ready != 0;
    case LEVEL_FAULT_NOT_REQUESTED:
        event->ready |= NOTIFIER_OUT;
        return true;
    case LEVEL_FAULT_SAME_AGAIN:
        if (faulty->reported == NULL)
            faulty->reported = event->token;
        return faulty->reported == event->token;
    default:
        return true;
    }
}

static bool change(struct faulty *faulty, struct notifier_event *event)
{
    if (event->type == NOTIFIER_READY)
        return change_ready(faulty, event);
    if (event->type == NOTIFIER_REMOVED && planted == LEVEL_FAULT_AFTER_REMOVED)
        keep(faulty, event->token);
    return event->type != NOTIFIER_REMOVED || planted != LEVEL_FAULT_NO_REMOVED;
}

static size_t wait_for_events(struct notifier *notifier, size_t thread,
                              struct notifier_event *events, size_t capacity, int timeout_ms)
{
    struct faulty *faulty = of(notifier);
    if (faulty->has_kept) {
        faulty->has_kept = false;
        *events = faulty->kept;
        return 1;
    }
    size_t found = notifier_wait(faulty->sound, thread, events, capacity, timeout_ms);
    size_t count = 0;
    for (size_t i = 0; i < found; i++)
        if (change(faulty, &events[i]))
            events[count++] = events[i];
    return count;
}

static void wake(struct notifier *notifier)
{
    if (planted != LEVEL_FAULT_NO_WAKE_UP)
        notifier_wake(of(notifier)->sound);
}

static wait_handle handle(struct notifier *notifier, struct error *error)
{
    struct faulty *faulty = of(notifier);
    wait_handle own = notifier_handle(faulty->sound, error);
    return planted == LEVEL_FAULT_SILENT_HANDLE ? notifier_handle(faulty->idle, error) : own;
}

const struct notifier_backend *faulty_levels(const struct notifier_backend *backend,
                                             enum level_fault fault)
{
    static const struct notifier_backend faulty = {
        .name = "faulty",
        .create = create,
        .destroy = destroy,
        .remove = remove_level,
        .wait = wait_for_events,
        .wake = wake,
        .add_level = add_level,
        .change_level = change_level,
        .handle = handle,
    };
    sound = backend;
    planted = fault;
    return &faulty;
}
