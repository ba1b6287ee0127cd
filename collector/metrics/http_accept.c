/* Accepts clients for the HTTP server (http_server.h). */
#include <stdlib.h>

#include "collector/log/log.h"
#include "collector/metrics/http_client.h"
#include "collector/platform/tcp.h"

#define MS_NS INT64_C(1000000)

/* The maximum number of clients accepted in one call. */
#define ACCEPTED_MOST 64

/* The pause after the system refused an accept, and the interval at which refusals are logged. */
#define REFUSED_PAUSE_NS (1000 * MS_NS)
#define REFUSED_LOG_NS   (60000 * MS_NS)

static bool is_asking(const struct client *client)
{
    return client->state == CLIENT_ASKS || client->state == CLIENT_WAITS;
}

/* Returns true if `client` must be ended before `other`. Neither has an answer yet. */
static bool goes_before(const struct client *client, const struct client *other, int64_t now_ns)
{
    bool slow = client->state == CLIENT_ASKS && now_ns >= client->since_ns + HTTP_SLOW_NS;
    bool other_slow = other->state == CLIENT_ASKS && now_ns >= other->since_ns + HTTP_SLOW_NS;
    return slow == other_slow ? client->since_ns < other->since_ns : slow;
}

/*
 * Makes room for a request by ending a client that has no answer yet. Ends a client of the network
 * with the most such clients: the oldest one that is slow to send its request, or else the oldest
 * one.
 */
static void evict_asking(struct http_server *server, int64_t now_ns)
{
    struct client *found = NULL;
    size_t most = 0;
    for (size_t i = 0; i < CLIENTS; i++) {
        struct client *client = &server->clients[i];
        if (!is_asking(client))
            continue;
        size_t count = http_count_clients(server, &client->network, is_asking);
        bool sooner = found == NULL || goes_before(client, found, now_ns);
        if (count < most || (count == most && !sooner))
            continue;
        most = count;
        found = client;
    }
    if (found != NULL)
        http_client_end(server, found);
}

static void evict_leaving(struct http_server *server)
{
    struct client *found = NULL;
    for (size_t i = 0; i < CLIENTS; i++) {
        struct client *client = &server->clients[i];
        if (client->state == CLIENT_LEAVES && (found == NULL || client->since_ns < found->since_ns))
            found = client;
    }
    if (found != NULL)
        http_client_end(server, found);
}

static struct client *free_client(struct http_server *server)
{
    for (size_t i = 0; i < CLIENTS; i++)
        if (server->clients[i].state == CLIENT_FREE)
            return &server->clients[i];
    return NULL;
}

static void close_door(struct http_server *server, const char *why, int64_t now_ns)
{
    server->closed_until_ns = now_ns + REFUSED_PAUSE_NS;
    if (!server->listener_removed)
        notifier_change_level(server->notifier, server->options.listener, server, 0);
    if (now_ns < server->quiet_until_ns)
        return;
    server->quiet_until_ns = now_ns + REFUSED_LOG_NS;
    log_line(LOG_WARNING, "metrics: %s; trying again every second", why);
}

void http_accept_again(struct http_server *server, int64_t now_ns)
{
    if (server->closed_until_ns == 0 || now_ns < server->closed_until_ns)
        return;
    server->closed_until_ns = 0;
    if (!server->listener_removed) {
        notifier_change_level(server->notifier, server->options.listener, server, NOTIFIER_IN);
        return;
    }
    struct error error;
    server->listener_removed = notifier_add_level(server->notifier, server->options.listener,
                                                  server, NOTIFIER_IN, &error) != 0;
    if (server->listener_removed)
        close_door(server, error.text, now_ns);
}

/* The system has refused to change the listener's registration, and has therefore ended it. */
void http_accept_lost(struct http_server *server, int64_t now_ns)
{
    server->listener_removed = true;
    close_door(server, "clients cannot be waited for", now_ns);
}

static bool take_client(struct http_server *server, struct client *client, wait_handle connection,
                        const struct address *peer, int64_t now_ns)
{
    struct error error = {.text = "out of memory for a request"};
    *client = (struct client){.connection = connection,
                              .network = address_network(peer),
                              .interests = NOTIFIER_IN,
                              .since_ns = now_ns,
                              .head = malloc(HTTP_HEAD_SIZE)};
    if (client->head == NULL ||
        notifier_add_level(server->notifier, connection, client, NOTIFIER_IN, &error) != 0) {
        free(client->head);
        tcp_connection_close(connection);
        *client = (struct client){.state = CLIENT_FREE};
        close_door(server, error.text, now_ns);
        return false;
    }
    client->state = CLIENT_ASKS;
    http_client_read(server, client);
    return true;
}

/* Returns a slot for a new client, or NULL while the slot of an ended client is not free yet. */
static struct client *make_room(struct http_server *server)
{
    struct client *client = free_client(server);
    if (client == NULL)
        evict_leaving(server);
    return client;
}

void http_accept(struct http_server *server, int64_t now_ns)
{
    for (size_t i = 0; i < ACCEPTED_MOST && server->closed_until_ns == 0; i++) {
        struct address peer;
        struct error error;
        wait_handle connection;
        struct client *client = make_room(server);
        if (client == NULL)
            return;
        enum accept_result result = tcp_connection_accept(
            server->options.listener, DESCRIPTOR_OF_CLIENT, &connection, &peer, &error);
        if (result == ACCEPT_NO_MEANS)
            close_door(server, error.text, now_ns);
        if (result != ACCEPT_OK)
            return;
        if (http_count_clients(server, NULL, is_asking) >= HTTP_ASKING)
            evict_asking(server, now_ns);
        take_client(server, client, connection, &peer, now_ns);
    }
}
