/*
 * A notifier that uses epoll(7): EPOLLET for datagram sockets, EPOLLONESHOT for streams.
 *
 * EPOLL_CTL_MOD on a socket with queued data would give a new edge, which other platforms do not
 * offer, so a datagram socket is never re-armed here; receivers must drain it.
 */
#include "collector/platform/notifier.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "collector/base/rule.h"
#include "collector/platform/linux/epoll_parts.h"
#include "collector/platform/linux/event.h"
#include "collector/platform/linux/notifier_backends.h"
#include "collector/platform/posix/retry.h"

struct epoll_notifier {
    struct notifier base;
    int epoll;
    int wake;
    void **removed; /* tokens whose REMOVED event is due */
    size_t removed_count;
    size_t removed_capacity; /* at least the number of sockets, so that removing never allocates */
    size_t added;
};

static struct epoll_notifier *epoll_of(struct notifier *notifier)
{
    return (struct epoll_notifier *)notifier;
}

static void epoll_fail(struct error *error, const char *what)
{
    error_set(error, EXIT_CODE_INTERNAL, "%s: %s", what, strerror(errno));
}

static void epoll_notifier_destroy(struct notifier *base)
{
    struct epoll_notifier *notifier = epoll_of(base);
    epoll_parts_close(notifier->epoll, notifier->wake);
    free(notifier->removed);
    free(notifier);
}

static int epoll_notifier_create(struct notifier **out, size_t threads, struct error *error)
{
    (void)threads; /* streams allow any number, because the threads share only the epoll instance */
    struct epoll_notifier *notifier = calloc(1, sizeof *notifier);
    if (notifier == NULL) {
        epoll_fail(error, "no memory for a notifier");
        return -1;
    }
    if (epoll_parts_open(&notifier->epoll, &notifier->wake, EPOLLIN | EPOLLET) != 0) {
        epoll_fail(error, "cannot create an epoll instance");
        epoll_notifier_destroy(&notifier->base);
        return -1;
    }
    *out = &notifier->base;
    return 0;
}

static int epoll_add(struct notifier *base, wait_handle socket, void *token, struct error *error)
{
    struct epoll_notifier *notifier = epoll_of(base);
    if (notifier->added == notifier->removed_capacity) {
        size_t capacity = notifier->removed_capacity == 0 ? 16 : notifier->removed_capacity * 2;
        void **grown = realloc(notifier->removed, capacity * sizeof *grown);
        if (grown == NULL) {
            epoll_fail(error, "no memory to watch a socket");
            return -1;
        }
        notifier->removed = grown;
        notifier->removed_capacity = capacity;
    }
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = token};
    if (epoll_ctl(notifier->epoll, EPOLL_CTL_ADD, (int)socket, &event) != 0) {
        epoll_fail(error, "cannot watch a socket");
        return -1;
    }
    notifier->added++;
    return 0;
}

static int epoll_remove_socket(struct notifier *base, wait_handle socket, void *token,
                               struct error *error)
{
    struct epoll_notifier *notifier = epoll_of(base);
    if (epoll_ctl(notifier->epoll, EPOLL_CTL_DEL, (int)socket, NULL) != 0) {
        epoll_fail(error, "cannot stop watching a socket");
        return -1;
    }
    RULE(notifier->removed_count < notifier->added, "a socket is removed once");
    notifier->removed[notifier->removed_count++] = token;
    return 0;
}

static size_t epoll_wait_for_events(struct notifier *base, size_t thread,
                                    struct notifier_event *events, size_t capacity, int timeout_ms)
{
    struct epoll_notifier *notifier = epoll_of(base);
    (void)thread;
    size_t count = 0;
    while (count < capacity && notifier->removed_count > 0) {
        void *token = notifier->removed[--notifier->removed_count];
        events[count++] = (struct notifier_event){NOTIFIER_REMOVED, token, 0};
        notifier->added--;
    }
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
    for (int i = 0; i < found; i++) {
        void *token = ready[i].data.ptr;
        if (token != NULL) {
            events[count++] =
                (struct notifier_event){NOTIFIER_READY, token, epoll_parts_ready(ready[i].events)};
            continue;
        }
        event_clear(notifier->wake);
        events[count++] = (struct notifier_event){NOTIFIER_WOKEN, NULL, 0};
    }
    return count;
}

/* --- streams ---------------------------------------------------------------------------------- */

static int set_stream(struct notifier *base, int operation, wait_handle socket, void *token,
                      unsigned interests, struct error *error)
{
    struct epoll_event event = {.events = EPOLLONESHOT | epoll_parts_events(interests),
                                .data.ptr = token};
    if (epoll_ctl(epoll_of(base)->epoll, operation, (int)socket, &event) == 0)
        return 0;
    epoll_fail(error, "cannot watch a connection");
    return -1;
}

static int watch(struct notifier *base, wait_handle socket, void *token, unsigned interests,
                 struct error *error)
{
    return set_stream(base, EPOLL_CTL_ADD, socket, token, interests, error);
}

static int arm(struct notifier *base, wait_handle socket, void *token, unsigned interests,
               struct error *error)
{
    return set_stream(base, EPOLL_CTL_MOD, socket, token, interests, error);
}

static void epoll_unwatch(struct notifier *base, wait_handle socket, notifier_close *close_socket)
{
    epoll_ctl(epoll_of(base)->epoll, EPOLL_CTL_DEL, (int)socket, NULL);
    close_socket(socket);
}

static void epoll_wake(struct notifier *base)
{
    event_signal(epoll_of(base)->wake);
}

const struct notifier_backend notifier_epoll = {
    .name = "epoll",
    .create = epoll_notifier_create,
    .destroy = epoll_notifier_destroy,
    .add = epoll_add,
    .remove = epoll_remove_socket,
    .wait = epoll_wait_for_events,
    .wake = epoll_wake,
    .watch = watch,
    .arm = arm,
    .unwatch = epoll_unwatch,
};
