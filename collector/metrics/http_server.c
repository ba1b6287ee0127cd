#include "collector/metrics/http_server.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/metrics/http_client.h"
#include "collector/platform/clock.h"
#include "collector/platform/tcp.h"

#define MS_NS INT64_C(1000000)

/* The maximum number of rounds of events in one call. */
#define ROUNDS_MOST 8

/* The pause in nanoseconds after a wait for events has failed. */
#define FAILED_PAUSE_NS (100 * MS_NS)

_Static_assert(CLIENTS < NOTIFIER_LEVELS_MOST, "the notifier has room for all and the listener");

size_t http_server_memory(void)
{
    return sizeof(struct http_server) + HTTP_ASKING * HTTP_HEAD_SIZE;
}

/* --- serving ---------------------------------------------------------------------------------- */

static void end_overdue(struct http_server *server, int64_t now_ns)
{
    for (size_t i = 0; i < CLIENTS; i++)
        if (now_ns >= http_client_limit(server, &server->clients[i]))
            http_client_end(server, &server->clients[i]);
}

static void handle_event(struct http_server *server, const struct notifier_event *event,
                         int64_t now_ns)
{
    bool listens = event->token == server;
    if (event->type == NOTIFIER_REMOVED && listens)
        http_accept_lost(server, now_ns);
    else if (event->type == NOTIFIER_REMOVED)
        http_client_removed(event->token);
    else if (event->type == NOTIFIER_READY && listens)
        http_accept(server, now_ns);
    else if (event->type == NOTIFIER_READY)
        http_client_ready(server, event->token, now_ns);
}

/*
 * Handles the events of clients before those of the listener, so that a new client does not replace
 * a client whose request has arrived. Returns the number of events, or NOTIFIER_FAILED.
 */
static size_t handle_events(struct http_server *server, int64_t now_ns)
{
    struct notifier_event events[NOTIFIER_WAIT_MOST];
    size_t count = notifier_wait(server->notifier, 0, events, NOTIFIER_WAIT_MOST, 0);
    size_t handled = count == NOTIFIER_FAILED ? 0 : count;
    for (size_t i = 0; i < handled; i++)
        if (events[i].token != server)
            handle_event(server, &events[i], now_ns);
    for (size_t i = 0; i < handled; i++)
        if (events[i].token == server)
            handle_event(server, &events[i], now_ns);
    return count;
}

/*
 * The handle becomes readable again only after all events were read, so if some are left, the
 * server is due at once. There are at least two rounds, because waiting requests are admitted after
 * the first one.
 */
bool http_server_serve(struct http_server *server, int64_t now_ns)
{
    size_t count = 1;
    bool served = false;
    http_accept_again(server, now_ns);
    end_overdue(server, now_ns);
    for (size_t i = 0; i < ROUNDS_MOST && count != NOTIFIER_FAILED && (count != 0 || i < 2); i++) {
        if (i != 0)
            http_admit_waiting(server, now_ns);
        count = handle_events(server, now_ns);
        served = served || count != 0;
    }
    if (count == NOTIFIER_FAILED)
        server->slow_due_ns = INT64_MAX;
    server->due_ns = count == 0                 ? INT64_MAX
                     : count == NOTIFIER_FAILED ? now_ns + FAILED_PAUSE_NS
                                                : now_ns;
    return served;
}

void http_server_continue(struct http_server *server, int64_t now_ns)
{
    for (size_t i = 0; i < CLIENTS; i++)
        if (server->clients[i].state == CLIENT_RESTS)
            http_client_continue(server, &server->clients[i], now_ns);
}

wait_handle http_server_handle(const struct http_server *server)
{
    return server->handle;
}

int64_t http_server_due(const struct http_server *server)
{
    int64_t due_ns = server->due_ns;
    if (server->closed_until_ns != 0)
        bring_forward(&due_ns, server->closed_until_ns);
    bring_forward(&due_ns, server->slow_due_ns);
    for (size_t i = 0; i < CLIENTS; i++)
        bring_forward(&due_ns, http_client_limit(server, &server->clients[i]));
    return due_ns;
}

/* --- creating and destroying ------------------------------------------------------------------ */

int http_server_create(struct http_server **out, const struct http_server_options *options,
                       struct error *error)
{
    struct http_server *server = calloc(1, sizeof *server);
    if (server == NULL)
        return error_no_memory(error);
    server->options = *options;
    server->slow_due_ns = INT64_MAX;
    if (notifier_create_for_levels(&server->notifier, options->listener, server, NOTIFIER_IN,
                                   error) != 0) {
        free(server);
        return -1;
    }
    server->handle = notifier_handle(server->notifier, error);
    if (server->handle == NO_HANDLE) {
        notifier_destroy(server->notifier);
        free(server);
        return -1;
    }
    *out = server;
    return 0;
}

static bool has_registrations(const struct http_server *server)
{
    for (size_t i = 0; i < CLIENTS; i++)
        if (server->clients[i].state != CLIENT_FREE)
            return true;
    return !server->listener_removed;
}

static void end_all(struct http_server *server)
{
    struct error ignored;
    for (size_t i = 0; i < CLIENTS; i++)
        if (server->clients[i].state != CLIENT_FREE && server->clients[i].state != CLIENT_ENDS)
            http_client_end(server, &server->clients[i]);
    if (!server->listener_removed)
        notifier_remove(server->notifier, server->options.listener, server, &ignored);
}

void http_server_destroy(struct http_server *server)
{
    if (server == NULL)
        return;
    int64_t until_ns = clock_monotonic_ns() + 2 * NOTIFIER_REMOVAL_MS * MS_NS;
    end_all(server);
    while (has_registrations(server) && clock_monotonic_ns() < until_ns) {
        struct notifier_event event;
        size_t count = notifier_wait(server->notifier, 0, &event, 1, NOTIFIER_REMOVAL_MS);
        if (count == 1 && event.type == NOTIFIER_REMOVED && event.token == server)
            server->listener_removed = true;
        else if (count == 1 && event.type == NOTIFIER_REMOVED)
            http_client_removed(event.token);
    }
    notifier_destroy(server->notifier);
    for (size_t i = 0; i < CLIENTS; i++)
        if (server->clients[i].state != CLIENT_FREE)
            http_client_removed(&server->clients[i]);
    tcp_listener_close(server->options.listener);
    free(server);
}
