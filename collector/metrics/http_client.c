#include "collector/metrics/http_client.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/base/secure_clear.h"
#include "collector/platform/clock.h"
#include "collector/platform/tcp.h"

/*
 * The maximum number of bytes that are sent to one client in one round, and of those that are read
 * and dropped.
 */
#define SENT_MOST    ((size_t)256 * 1024)
#define DROPPED_MOST ((size_t)64 * 1024)

/* The maximum time in nanoseconds to wait until the peer closes its side. */
#define LEAVING_NS INT64_C(2000000000)

/* --- clients ---------------------------------------------------------------------------------- */

static void set_interests(struct http_server *server, struct client *client, unsigned interests)
{
    if (client->interests != interests)
        notifier_change_level(server->notifier, client->connection, client, interests);
    client->interests = interests;
}

/* Clears the head before it is freed, because it may contain a token. */
static void free_head(struct client *client)
{
    if (client->head != NULL)
        secure_clear(client->head, client->used);
    free(client->head);
    client->head = NULL;
}

static void client_release(struct client *client)
{
    free_head(client);
    if (client->answer.done != NULL)
        client->answer.done(client->answer.context);
    client->answer.done = NULL;
}

void http_client_end(struct http_server *server, struct client *client)
{
    RULE(client->state != CLIENT_FREE && client->state != CLIENT_ENDS, "a connection ends once");
    struct error ignored; /* a removal of a level does not fail */
    client_release(client);
    client->state = CLIENT_ENDS;
    notifier_remove(server->notifier, client->connection, client, &ignored);
}

void http_client_removed(struct client *client)
{
    client_release(client); /* needed if the notifier has ended the connection by itself */
    tcp_connection_close(client->connection);
    *client = (struct client){.state = CLIENT_FREE};
}

size_t http_count_clients(const struct http_server *server, const struct address *network,
                          bool (*counts)(const struct client *client))
{
    size_t count = 0;
    for (size_t i = 0; i < CLIENTS; i++) {
        const struct client *client = &server->clients[i];
        count +=
            counts(client) && (network == NULL || address_same_host(&client->network, network));
    }
    return count;
}

/* --- answers ---------------------------------------------------------------------------------- */

/*
 * Ends the sending direction after the answer. The connection is closed later, after the peer has
 * seen the end.
 */
static void client_leave(struct http_server *server, struct client *client, int64_t now_ns)
{
    client_release(client);
    tcp_connection_finish(client->connection);
    client->state = CLIENT_LEAVES;
    client->since_ns = now_ns;
    set_interests(server, client, NOTIFIER_IN | NOTIFIER_HANGUP);
}

/*
 * Sets the next part of the answer after a part was sent. Returns false if there is none to send
 * now.
 */
static bool next_part(struct http_server *server, struct client *client, int64_t now_ns)
{
    const struct http_answer *answer = &client->answer;
    enum http_more more = HTTP_OVER;
    bool was_top = client->part == client->top;
    client->sent = client->part_size = 0;
    if (was_top && answer->size != 0 && !client->headers_only) {
        client->part = answer->bytes;
        client->part_size = answer->size;
        more = HTTP_MORE;
    } else if (answer->next != NULL && !client->headers_only) {
        more = answer->next(answer->context, &client->part, &client->part_size);
    }
    RULE(more != HTTP_MORE || client->part_size != 0, "a part of an answer is not empty");
    bool rested = client->state == CLIENT_RESTS;
    client->state = more == HTTP_REST ? CLIENT_RESTS : CLIENT_GETS;
    if (more == HTTP_OVER)
        client_leave(server, client, now_ns);
    else if (more == HTTP_REST && !rested)
        set_interests(server, client, NOTIFIER_IN | NOTIFIER_HANGUP);
    return more == HTTP_MORE;
}

static void client_send(struct http_server *server, struct client *client, int64_t now_ns)
{
    size_t total = 0;
    bool more = true;
    while (more && total < SENT_MOST) {
        size_t size;
        enum tcp_result result =
            tcp_connection_send(client->connection, client->part + client->sent,
                                client->part_size - client->sent, &size);
        if (result == TCP_WOULD_BLOCK)
            break;
        if (result != TCP_OK) {
            http_client_end(server, client);
            return;
        }
        client->sent += size;
        client->since_ns = now_ns;
        total += size;
        if (client->sent == client->part_size)
            more = next_part(server, client, now_ns);
    }
    if (client->state == CLIENT_GETS)
        set_interests(server, client, NOTIFIER_OUT);
}

static void make_answer(struct http_server *server, struct client *client)
{
    unsigned status = client->status;
    client->answer = (struct http_answer){0};
    if (status == 0)
        server->options.answer(server->options.context, &client->request, &client->answer);
    else
        client->answer =
            http_answer_text(status, status == 431   ? "The request's head is too long.\n"
                                     : status == 505 ? "Use HTTP/1.1.\n"
                                                     : "This is not a request of HTTP/1.1.\n");
    client->headers_only = client->request.method == HTTP_HEAD;
}

void http_client_reply(struct http_server *server, struct client *client, int64_t now_ns)
{
    RULE(client->state == CLIENT_WAITS, "a request is answered once");
    struct output top = {.data = client->top, .capacity = sizeof client->top};
    make_answer(server, client);
    http_answer_write(&client->answer, clock_wall_ns(), &top);
    free_head(client);
    client->state = CLIENT_GETS;
    client->since_ns = now_ns;
    client->part = client->top;
    client->part_size = top.used;
    client->sent = 0;
    client_send(server, client, now_ns);
}

/* --- requests --------------------------------------------------------------------------------- */

/* Removes empty lines at the beginning. Sets head_size if the head is complete or too long. */
static void look_at_head(const struct http_server *server, struct client *client, size_t known)
{
    size_t empty = http_request_empty(client->head, client->used);
    if (empty != 0) {
        client->used -= empty;
        memmove(client->head, client->head + empty, client->used);
        known = known < empty ? 0 : known - empty;
    }
    client->head_size = http_request_size(client->head, client->used, known);
    if (client->head_size == 0 && client->used == HTTP_HEAD_SIZE)
        client->head_size = HTTP_HEAD_SIZE;
    client->reserved = http_request_begins(client->head, client->used, server->options.reserved);
}

/* Parses the complete head. The request's texts are in the head until the answer is made. */
static void parse_head(const struct http_server *server, struct client *client)
{
    const struct http_server_options *options = &server->options;
    client->status = 431;
    client->request.method = HTTP_OTHER;
    if (client->head_size < HTTP_HEAD_SIZE)
        client->status = http_request_parse(client->head, client->head_size, &client->request);
    client->request.network = client->network;
    client->limited = client->status == 0 && options->is_limited(&client->request);
}

void http_client_read(struct http_server *server, struct client *client)
{
    while (client->head_size == 0) {
        size_t size, known = client->used;
        enum tcp_result result = tcp_connection_receive(
            client->connection, client->head + client->used, HTTP_HEAD_SIZE - client->used, &size);
        if (result == TCP_WOULD_BLOCK)
            return;
        if (result != TCP_OK) {
            http_client_end(server, client);
            return;
        }
        client->used += size;
        look_at_head(server, client, known);
    }
    parse_head(server, client);
    client->state = CLIENT_WAITS;
    set_interests(server, client, 0);
}

static void client_drop(struct http_server *server, struct client *client)
{
    char bytes[4096];
    size_t size, total = 0;
    enum tcp_result result = TCP_OK;
    while (result == TCP_OK && total < DROPPED_MOST) {
        result = tcp_connection_receive(client->connection, bytes, sizeof bytes, &size);
        total += size;
    }
    if (result == TCP_BROKEN || (result == TCP_END && client->state == CLIENT_LEAVES))
        http_client_end(server, client);
    else if (result == TCP_END)
        set_interests(server, client, 0); /* the client may still read the stream */
}

void http_client_ready(struct http_server *server, struct client *client, int64_t now_ns)
{
    switch (client->state) {
    case CLIENT_ASKS:
        http_client_read(server, client);
        break;
    case CLIENT_GETS:
        client_send(server, client, now_ns);
        break;
    case CLIENT_WAITS:
    case CLIENT_RESTS:
    case CLIENT_LEAVES:
        if (client->interests == 0) /* only a broken connection is reported */
            http_client_end(server, client);
        else
            client_drop(server, client);
        break;
    case CLIENT_FREE:
    case CLIENT_ENDS:
        break;
    }
}

int64_t http_client_limit(const struct http_server *server, const struct client *client)
{
    int64_t stall_ns = server->options.stall_timeout_ns;
    switch (client->state) {
    case CLIENT_ASKS:
    case CLIENT_WAITS:
    case CLIENT_GETS:
        return client->since_ns + stall_ns;
    case CLIENT_LEAVES:
        return client->since_ns + (stall_ns < LEAVING_NS ? stall_ns : LEAVING_NS);
    case CLIENT_FREE:
    case CLIENT_RESTS:
    case CLIENT_ENDS:
        break;
    }
    return INT64_MAX;
}

void http_client_continue(struct http_server *server, struct client *client, int64_t now_ns)
{
    if (!next_part(server, client, now_ns))
        return;
    client->since_ns = now_ns;
    client_send(server, client, now_ns);
}
