#include "tests/support/platform/crowd_notifier.h"
#include "tests/support/platform/this_thread.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "collector/platform/thread.h"

#define MOST_SOCKETS 64

struct crowd {
    struct notifier base;
    struct mutex *lock;
    void *tokens[MOST_SOCKETS];
    size_t count;
    size_t next;
    void *removed[MOST_SOCKETS]; /* removed tokens; their REMOVED events come only when one thread
                                    is left */
    size_t removed_count;
    size_t threads;
    bool woken;
};

static struct crowd *of(struct notifier *notifier)
{
    return (struct crowd *)notifier;
}

static int create(struct notifier **out, size_t threads, struct error *error)
{
    struct crowd *crowd = calloc(1, sizeof *crowd);
    if (crowd == NULL || (crowd->lock = mutex_create()) == NULL) {
        free(crowd);
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a notifier");
        return -1;
    }
    crowd->threads = threads;
    *out = &crowd->base;
    return 0;
}

static void destroy(struct notifier *notifier)
{
    mutex_destroy(of(notifier)->lock);
    free(notifier);
}

static int add(struct notifier *notifier, wait_handle socket, void *token, struct error *error)
{
    struct crowd *crowd = of(notifier);
    (void)socket;
    if (crowd->count == MOST_SOCKETS) {
        error_set(error, EXIT_CODE_INTERNAL, "too many sockets for this notifier");
        return -1;
    }
    crowd->tokens[crowd->count++] = token;
    return 0;
}

static int remove_socket(struct notifier *notifier, wait_handle socket, void *token,
                         struct error *error)
{
    struct crowd *crowd = of(notifier);
    (void)socket;
    mutex_lock(crowd->lock);
    bool found = false;
    for (size_t i = 0; i < crowd->count && !found; i++) {
        found = crowd->tokens[i] == token;
        if (found)
            crowd->tokens[i] = crowd->tokens[--crowd->count];
    }
    if (found)
        crowd->removed[crowd->removed_count++] = token;
    else
        error_set(error, EXIT_CODE_INTERNAL, "this socket is not watched");
    mutex_unlock(crowd->lock);
    return found ? 0 : -1;
}

static bool next_event(struct crowd *crowd, struct notifier_event *event)
{
    if (crowd->woken) {
        crowd->woken = false;
        *event = (struct notifier_event){.type = NOTIFIER_WOKEN};
    } else if (crowd->removed_count != 0 && crowd->threads == 1) {
        *event =
            (struct notifier_event){NOTIFIER_REMOVED, crowd->removed[--crowd->removed_count], 0};
    } else if (crowd->count != 0) {
        crowd->next = (crowd->next + 1) % crowd->count;
        *event = (struct notifier_event){NOTIFIER_READY, crowd->tokens[crowd->next], 0};
    } else {
        return false;
    }
    return true;
}

static size_t wait_for_event(struct notifier *notifier, size_t thread,
                             struct notifier_event *events, size_t capacity, int timeout_ms)
{
    struct crowd *crowd = of(notifier);
    (void)thread;
    (void)capacity;
    (void)timeout_ms; /* not used: a wait always returns at once */
    this_thread_yield();
    mutex_lock(crowd->lock);
    bool found = next_event(crowd, events);
    mutex_unlock(crowd->lock);
    return found;
}

static void leave(struct notifier *notifier, size_t thread)
{
    struct crowd *crowd = of(notifier);
    (void)thread;
    mutex_lock(crowd->lock);
    crowd->threads--;
    mutex_unlock(crowd->lock);
}

static void wake(struct notifier *notifier)
{
    struct crowd *crowd = of(notifier);
    mutex_lock(crowd->lock);
    crowd->woken = true;
    mutex_unlock(crowd->lock);
}

const struct notifier_backend crowd_notifier = {
    .name = "crowd",
    .shared = true,
    .create = create,
    .destroy = destroy,
    .add = add,
    .remove = remove_socket,
    .wait = wait_for_event,
    .leave = leave,
    .wake = wake,
};
