/*
 * Implements the notifier for streams in the simulated world. It reports as little as the contract
 * allows: one event for each arming, to one of the waiting threads.
 */
#include <stdlib.h>

#include "collector/platform/notifier.h"
#include "tests/simulation/tcp_network.h"
#include "tests/simulation/world.h"

struct stream_notifier {
    struct notifier base; /* must be first */
    bool woken;
    size_t ready; /* number of sockets with an event */
    bool is_over; /* a watched socket was closed, so no thread may wait any more */
};

static struct stream_notifier *of(struct notifier *notifier)
{
    return (struct stream_notifier *)notifier;
}

static void set(struct tcp_watch *watch, struct stream_notifier *notifier, void *token,
                unsigned armed)
{
    if (watch->by != NULL)
        watch->by->ready -= (watch->armed & watch->level) != 0;
    watch->by = notifier;
    watch->token = token;
    watch->armed = armed;
    if (watch->by != NULL)
        watch->by->ready += (watch->armed & watch->level) != 0;
}

void tcp_note_level(struct tcp_watch *watch, unsigned level)
{
    if (watch->by != NULL) {
        watch->by->ready -= (watch->armed & watch->level) != 0;
        watch->by->ready += (watch->armed & level) != 0;
    }
    watch->level = level;
}

void tcp_forget_watch(struct tcp_watch *watch)
{
    if (watch->by == NULL)
        return;
    watch->by->is_over = true;
    set(watch, NULL, NULL, 0);
}

/* --- the backend ----------------------------------------------------------------------------- */

static int create(struct notifier **out, size_t threads, struct error *error)
{
    (void)threads;
    struct stream_notifier *notifier = calloc(1, sizeof *notifier);
    if (notifier == NULL)
        return error_no_memory(error);
    *out = &notifier->base;
    return 0;
}

static void destroy(struct notifier *notifier)
{
    free(notifier);
}

static struct tcp_watch *watch_of(wait_handle handle)
{
    return tcp_is_listener(handle) ? &tcp_port_of(handle)->watch
                                   : &tcp_connection_of(handle)->watch;
}

static int fail_to_watch(struct error *error)
{
    error_set(error, EXIT_CODE_INTERNAL, "cannot watch a connection: Cannot allocate memory");
    return -1;
}

static void note_watched(struct tcp_connection *connection)
{
    struct tcp_port *port = connection->port;
    connection->was_watched = true;
    if (++port->watched > port->most_watched)
        port->most_watched = port->watched;
}

static int watch(struct notifier *notifier, wait_handle handle, void *token, unsigned interests,
                 struct error *error)
{
    world_step();
    struct tcp_watch *its = watch_of(handle);
    if (its->by != NULL)
        world_fail("socket %d is watched twice", (int)handle);
    if (!tcp_is_listener(handle)) {
        struct tcp_connection *connection = tcp_connection_of(handle);
        note_watched(connection);
        if (world_chance(tcp_faults.watch)) {
            connection->watch_failed = true;
            return fail_to_watch(error);
        }
    }
    set(its, of(notifier), token, interests);
    world_step();
    return 0;
}

static int arm(struct notifier *notifier, wait_handle handle, void *token, unsigned interests,
               struct error *error)
{
    world_step();
    struct tcp_watch *its = watch_of(handle);
    if (its->by != of(notifier))
        world_fail("socket %d is armed that is not watched", (int)handle);
    if (world_chance(tcp_faults.watch)) {
        if (tcp_is_listener(handle))
            tcp_port_of(handle)->accept_failures++;
        else
            tcp_connection_of(handle)->watch_failed = true;
        return fail_to_watch(error);
    }
    set(its, of(notifier), token, interests);
    world_step();
    return 0;
}

static void unwatch(struct notifier *notifier, wait_handle handle, notifier_close *close)
{
    (void)notifier;
    world_step();
    set(watch_of(handle), NULL, NULL, 0);
    close(handle);
}

static void wake(struct notifier *notifier)
{
    world_step();
    of(notifier)->woken = true;
    world_step();
}

static bool has_event(const void *context)
{
    const struct stream_notifier *notifier = context;
    return notifier->woken || notifier->ready != 0;
}

static size_t take_event(struct tcp_watch *watch, struct stream_notifier *notifier,
                         struct notifier_event *event)
{
    const unsigned all = NOTIFIER_IN | NOTIFIER_OUT | NOTIFIER_HANGUP;
    unsigned ready = watch->armed & watch->level;
    if (watch->by != notifier || ready == 0)
        return 0;
    *event =
        (struct notifier_event){NOTIFIER_READY, watch->token, watch->level == all ? all : ready};
    set(watch, notifier, watch->token, 0);
    return 1;
}

/* Returns events, beginning with a random socket. */
static size_t take_events(struct stream_notifier *notifier, struct notifier_event *events,
                          size_t most)
{
    size_t count = 0, connections = tcp_connection_count(), all = TCP_PORTS_MOST + connections;
    size_t first = (size_t)world_below(all);
    for (size_t i = 0; i < all && count < most && notifier->ready != 0; i++) {
        size_t place = (first + i) % all;
        struct tcp_watch *watch = place < connections ? &tcp_connection_at(place)->watch
                                                      : &tcp_port_at(place - connections)->watch;
        count += take_event(watch, notifier, events + count);
    }
    return count;
}

static size_t wait_for_events(struct notifier *base, size_t thread, struct notifier_event *events,
                              size_t capacity, int timeout_ms)
{
    struct stream_notifier *notifier = of(base);
    size_t count = 0;
    size_t most = base->threads > 1 ? 1 + (size_t)world_below(capacity) : capacity;
    int64_t until_ns = timeout_ms < 0 ? WORLD_NEVER : world_now_ns() + timeout_ms * MILLISECONDS;
    (void)thread;
    if (notifier->is_over)
        world_fail("a socket was closed that is watched");
    do {
        world_wait(has_event, notifier, until_ns);
        if (notifier->woken) {
            notifier->woken = false;
            events[count++] = (struct notifier_event){NOTIFIER_WOKEN, NULL, 0};
        }
        if (notifier->ready != 0 && count < most)
            count += take_events(notifier, events + count, most - count);
    } while (count == 0 && world_now_ns() < until_ns);
    if (count != 0)
        world_step();
    return count;
}

static const struct notifier_backend simulated = {
    .name = "simulated",
    .create = create,
    .destroy = destroy,
    .wait = wait_for_events,
    .wake = wake,
    .watch = watch,
    .arm = arm,
    .unwatch = unwatch,
};

const struct notifier_backend *const notifier_stream_backends[] = {&simulated, NULL};
