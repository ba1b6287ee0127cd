/*
 * A notifier for persistent levels that uses epoll(7), level-triggered.
 *
 * EPOLL_CTL_DEL takes effect at once; the REMOVED event is kept for the next wait. An eventfd wakes
 * the wait, and makes the epoll instance readable while REMOVED is due. If more sockets are ready
 * than fit into one wait, the next epoll_wait reports the others first.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "collector/base/rule.h"
#include "collector/platform/linux/epoll_parts.h"
#include "collector/platform/linux/event.h"
#include "collector/platform/linux/notifier_backends.h"
#include "collector/platform/posix/retry.h"

struct epoll_level {
    int socket; /* -1: this entry is free */
    void *token;
    bool removed;
};

struct epoll_levels {
    struct notifier base;
    int epoll;
    int wake;
    _Atomic bool woken; /* a WOKEN event is due */
    size_t due;
    struct epoll_level levels[NOTIFIER_LEVELS_MOST];
};

static struct epoll_levels *levels_of(struct notifier *notifier)
{
    return (struct epoll_levels *)notifier;
}

static int levels_fail(struct error *error, const char *what)
{
    error_set(error, EXIT_CODE_INTERNAL, "%s: %s", what, strerror(errno));
    return -1;
}

/* --- creating and destroying ------------------------------------------------------------------ */

static void levels_destroy(struct notifier *base)
{
    struct epoll_levels *notifier = levels_of(base);
    epoll_parts_close(notifier->epoll, notifier->wake);
    free(notifier);
}

static int levels_create(struct notifier **out, size_t threads, struct error *error)
{
    RULE(threads == 1, "one thread waits for levels that stay");
    struct epoll_levels *notifier = calloc(1, sizeof *notifier);
    if (notifier == NULL)
        return levels_fail(error, "no memory for a notifier");
    for (size_t i = 0; i < NOTIFIER_LEVELS_MOST; i++)
        notifier->levels[i].socket = -1;
    if (epoll_parts_open(&notifier->epoll, &notifier->wake, EPOLLIN) != 0) {
        levels_fail(error, "cannot create an epoll instance");
        levels_destroy(&notifier->base);
        return -1;
    }
    *out = &notifier->base;
    return 0;
}

/* --- registrations ---------------------------------------------------------------------------- */

static struct epoll_level *level_find(struct epoll_levels *notifier, int socket, const void *token)
{
    for (size_t i = 0; i < NOTIFIER_LEVELS_MOST; i++) {
        struct epoll_level *level = &notifier->levels[i];
        if (level->socket == socket && !level->removed && (socket < 0 || level->token == token))
            return level;
    }
    return NULL;
}

static int level_control(struct epoll_levels *notifier, int operation,
                         const struct epoll_level *level, int socket, unsigned interests)
{
    struct epoll_event event = {.events = epoll_parts_events(interests),
                                .data.ptr = (void *)(uintptr_t)level};
    return epoll_ctl(notifier->epoll, operation, socket, &event);
}

static int levels_add(struct notifier *base, wait_handle socket, void *token, unsigned interests,
                      struct error *error)
{
    struct epoll_levels *notifier = levels_of(base);
    struct epoll_level *level = level_find(notifier, -1, NULL);
    if (level == NULL)
        errno = ENOSPC;
    if (level == NULL || level_control(notifier, EPOLL_CTL_ADD, level, (int)socket, interests) != 0)
        return levels_fail(error, "cannot watch a socket");
    *level = (struct epoll_level){.socket = (int)socket, .token = token};
    return 0;
}

static void level_end(struct epoll_levels *notifier, struct epoll_level *level)
{
    /* If the call fails, events of the socket are ignored until its owner closes it. */
    epoll_ctl(notifier->epoll, EPOLL_CTL_DEL, level->socket, NULL);
    level->removed = true;
    notifier->due++;
    event_signal(notifier->wake);
}

static void levels_change(struct notifier *base, wait_handle socket, void *token,
                          unsigned interests)
{
    struct epoll_levels *notifier = levels_of(base);
    struct epoll_level *level = level_find(notifier, (int)socket, token);
    if (level != NULL && level_control(notifier, EPOLL_CTL_MOD, level, (int)socket, interests) != 0)
        level_end(notifier, level);
}

static int levels_remove(struct notifier *base, wait_handle socket, void *token,
                         struct error *error)
{
    struct epoll_levels *notifier = levels_of(base);
    struct epoll_level *level = level_find(notifier, (int)socket, token);
    (void)error;
    if (level != NULL) /* NULL: REMOVED is due already */
        level_end(notifier, level);
    return 0;
}

/* --- waiting ---------------------------------------------------------------------------------- */

static size_t take_removed(struct epoll_levels *notifier, struct notifier_event *events,
                           size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < NOTIFIER_LEVELS_MOST && notifier->due != 0 && count < capacity; i++) {
        struct epoll_level *level = &notifier->levels[i];
        if (!level->removed)
            continue;
        events[count++] = (struct notifier_event){NOTIFIER_REMOVED, level->token, 0};
        *level = (struct epoll_level){.socket = -1};
        notifier->due--;
    }
    return count;
}

/*
 * Returns the number of events: 1 or 0. It is 0 if the eventfd was signalled only for a REMOVED
 * event, and if the kernel still reports a socket that is being removed (level_end).
 */
static size_t translate(struct epoll_levels *notifier, const struct epoll_event *found,
                        struct notifier_event *event)
{
    const struct epoll_level *level = found->data.ptr;
    if (level != NULL && (level->socket < 0 || level->removed))
        return 0;
    if (level != NULL) {
        *event =
            (struct notifier_event){NOTIFIER_READY, level->token, epoll_parts_ready(found->events)};
        return 1;
    }
    event_clear(notifier->wake);
    *event = (struct notifier_event){NOTIFIER_WOKEN, NULL, 0};
    return atomic_exchange(&notifier->woken, false);
}

static size_t levels_wait(struct notifier *base, size_t thread, struct notifier_event *events,
                          size_t capacity, int timeout_ms)
{
    struct epoll_levels *notifier = levels_of(base);
    (void)thread;
    size_t count = take_removed(notifier, events, capacity);
    if (count == capacity)
        return count;
    struct epoll_event ready[NOTIFIER_WAIT_MOST];
    size_t room = capacity - count < NOTIFIER_WAIT_MOST ? capacity - count : NOTIFIER_WAIT_MOST;
    int found = epoll_wait(notifier->epoll, ready, (int)room, count != 0 ? 0 : timeout_ms);
    if (found < 0) {
        bool interrupted = errno == EINTR;
        retry_pause();
        return count != 0 || interrupted ? count : NOTIFIER_FAILED;
    }
    for (int i = 0; i < found; i++)
        count += translate(notifier, &ready[i], &events[count]);
    return count;
}

static void levels_wake(struct notifier *base)
{
    struct epoll_levels *notifier = levels_of(base);
    atomic_store(&notifier->woken, true);
    event_signal(notifier->wake);
}

static wait_handle levels_handle(struct notifier *base, struct error *error)
{
    (void)error;
    return levels_of(base)->epoll;
}

const struct notifier_backend notifier_epoll_levels = {
    .name = "epoll",
    .create = levels_create,
    .destroy = levels_destroy,
    .remove = levels_remove,
    .wait = levels_wait,
    .wake = levels_wake,
    .add_level = levels_add,
    .change_level = levels_change,
    .handle = levels_handle,
};
