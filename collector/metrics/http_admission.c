/*
 * Decides which waiting request of the HTTP server gets a slot for its answer, and which answer is
 * ended to make room for it (http_server.h).
 */
#include "collector/metrics/http_client.h"

#include "collector/platform/clock.h"

static bool is_answered(const struct client *client)
{
    return client->state == CLIENT_GETS || client->state == CLIENT_RESTS;
}

static bool is_limited_answer(const struct client *client)
{
    return is_answered(client) && client->limited;
}

static size_t count_of_network(const struct http_server *server, const struct address *network)
{
    return http_count_clients(server, network, is_answered);
}

static bool has_limited_room(const struct http_server *server)
{
    return http_count_clients(server, NULL, is_limited_answer) < server->options.limited_most;
}

static bool has_room(const struct http_server *server, const struct client *client)
{
    size_t most = client->reserved ? HTTP_ANSWERS : HTTP_ANSWERS - HTTP_RESERVED;
    return http_count_clients(server, NULL, is_answered) < most &&
           (!client->limited || has_limited_room(server));
}

/*
 * Returns the request to answer next, of those that have room: the oldest one of the host with the
 * fewest answers. Returns NULL if there is none.
 */
static struct client *next_with_room(struct http_server *server)
{
    struct client *found = NULL;
    size_t fewest = 0;
    for (size_t i = 0; i < CLIENTS; i++) {
        struct client *client = &server->clients[i];
        if (client->state != CLIENT_WAITS || !has_room(server, client))
            continue;
        size_t count = count_of_network(server, &client->network);
        if (found != NULL &&
            (count > fewest || (count == fewest && client->since_ns >= found->since_ns)))
            continue;
        fewest = count;
        found = client;
    }
    return found;
}

/*
 * Returns true if an answer of the client's host, which has `count` answers, may be ended for the
 * waiting request: if both are from the same host, or if the request's host has fewer answers.
 */
static bool gives_way(const struct http_server *server, const struct client *client, size_t count,
                      const struct client *waiting)
{
    return address_same_host(&client->network, &waiting->network) ||
           count > count_of_network(server, &waiting->network);
}

/*
 * Returns the answer to end for a request without room: of the host with the most answers, the one
 * without progress for the longest time. If no answer is slow, returns NULL and lowers *due_ns to
 * the time at which the next answer becomes slow.
 */
static struct client *slow_answer(struct http_server *server, const struct client *waiting,
                                  int64_t now_ns, int64_t *due_ns)
{
    bool limited = waiting->limited && !has_limited_room(server);
    struct client *found = NULL;
    size_t most = 0;
    for (size_t i = 0; i < CLIENTS; i++) {
        struct client *client = &server->clients[i];
        if (client->state != CLIENT_GETS || (limited && !client->limited))
            continue;
        if (now_ns < client->since_ns + HTTP_SLOW_NS) {
            bring_forward(due_ns, client->since_ns + HTTP_SLOW_NS);
            continue;
        }
        size_t count = count_of_network(server, &client->network);
        if (!gives_way(server, client, count, waiting))
            continue;
        if (found != NULL &&
            (count < most || (count == most && client->since_ns >= found->since_ns)))
            continue;
        most = count;
        found = client;
    }
    return found;
}

/* Ends one slow answer for the requests that wait. Returns true if there was one. */
static bool end_slow(struct http_server *server, int64_t now_ns)
{
    for (size_t i = 0; i < CLIENTS; i++) {
        const struct client *client = &server->clients[i];
        if (client->state != CLIENT_WAITS)
            continue;
        struct client *slow = slow_answer(server, client, now_ns, &server->slow_due_ns);
        if (slow == NULL)
            continue;
        http_client_end(server, slow);
        return true;
    }
    return false;
}

void http_admit_waiting(struct http_server *server, int64_t now_ns)
{
    do {
        struct client *client;
        server->slow_due_ns = INT64_MAX;
        while ((client = next_with_room(server)) != NULL)
            http_client_reply(server, client, now_ns);
    } while (end_slow(server, now_ns));
}
