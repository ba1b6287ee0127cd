#include "collector/control/control_client.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"

/*
 * A read or write that would block although the connection was reported as ready is spurious. After
 * VAIN_MOST of them in a row within VAIN_NS, the client is not watched for REST_NS (nanoseconds).
 */
#define VAIN_MOST 100
#define VAIN_NS   INT64_C(100000000)
#define REST_NS   INT64_C(50000000)

bool control_client_create(struct control_client *client, int64_t stall_timeout_ns)
{
    *client = (struct control_client){
        .stall_timeout_ns = stall_timeout_ns,
        .out = {.data = malloc(CONTROL_ANSWER_SIZE), .capacity = CONTROL_ANSWER_SIZE}};
    return client->out.data != NULL;
}

void control_client_destroy(struct control_client *client)
{
    control_client_end(client);
    free(client->out.data);
}

size_t control_client_memory(void)
{
    return sizeof(struct control_client) + CONTROL_ANSWER_SIZE;
}

/* Gives back the memory of a large answer. */
static void shrink(struct control_client *client)
{
    struct output *out = &client->out;
    char *data =
        out->capacity > CONTROL_ANSWER_SIZE ? realloc(out->data, CONTROL_ANSWER_SIZE) : NULL;
    if (data != NULL)
        *out = (struct output){.data = data, .capacity = CONTROL_ANSWER_SIZE};
}

bool control_client_grow(struct control_client *client)
{
    struct output *out = &client->out;
    RULE(client->sent == 0, "an answer that is being sent stays");
    size_t capacity = 2 * out->capacity;
    char *data = capacity <= CONTROL_ANSWER_MOST ? malloc(capacity) : NULL;
    if (data == NULL)
        return false;
    free(out->data);
    *out = (struct output){.data = data, .capacity = capacity};
    return true;
}

bool control_client_idles(const struct control_client *client, int64_t now_ns)
{
    return now_ns - client->active_ns >= (client->requested ? CONTROL_IDLE_NS : CONTROL_SILENT_NS);
}

void control_client_begin(struct control_client *client, struct control_connection *connection,
                          int64_t now_ns)
{
    RULE(client->connection == NULL, "a client has one connection");
    client->connection = connection;
    client->active_ns = now_ns;
    client->requested = false;
    client->out.used = 0;
    client->out.overflow = false;
    client->sent = 0;
    client->line_used = 0;
    client->ended = false;
    client->backoff_until_ns = 0;
    client->vain = 0;
    client->rest_until_ns = 0;
}

void control_client_end(struct control_client *client)
{
    control_connection_close(client->connection);
    client->connection = NULL;
    client->out.used = 0;
    shrink(client);
}

static void note_vain(struct control_client *client, int64_t now_ns)
{
    if (client->vain == 0)
        client->vain_since_ns = now_ns;
    if (++client->vain < VAIN_MOST)
        return;
    if (now_ns - client->vain_since_ns < VAIN_NS)
        client->rest_until_ns = now_ns + REST_NS;
    client->vain = 0;
}

bool control_client_rests(const struct control_client *client, int64_t now_ns)
{
    return now_ns < client->rest_until_ns;
}

static void forget_sent(struct control_client *client)
{
    struct output *out = &client->out;
    RULE(client->sent <= out->used, "a client is not sent more than its answers");
    memmove(out->data, out->data + client->sent, out->used - client->sent);
    out->used -= client->sent;
    client->sent = 0;
}

bool control_client_flush(struct control_client *client, int64_t now_ns)
{
    const struct output *out = &client->out;
    enum control_result result = CONTROL_DONE;
    if (out->used == 0)
        client->progress_ns = now_ns;
    while (client->sent < out->used && !control_client_rests(client, now_ns)) {
        size_t moved;
        result = control_connection_write(client->connection, out->data + client->sent,
                                          out->used - client->sent, &moved);
        if (result != CONTROL_DONE)
            break;
        client->sent += moved;
        client->progress_ns = client->active_ns = now_ns;
        client->vain = 0;
    }
    if (result == CONTROL_WOULD_BLOCK)
        note_vain(client, now_ns);
    forget_sent(client);
    if (out->used == 0)
        shrink(client);
    return result != CONTROL_OVER && now_ns - client->progress_ns < client->stall_timeout_ns;
}

void control_client_read(struct control_client *client, int64_t now_ns)
{
    size_t moved;
    size_t room = sizeof client->line - client->line_used;
    if (client->ended || room == 0 || now_ns < client->backoff_until_ns ||
        control_client_rests(client, now_ns))
        return;
    switch (control_connection_read(client->connection, client->line + client->line_used, room,
                                    &moved)) {
    case CONTROL_DONE:
        client->line_used += moved;
        client->vain = 0;
        break;
    case CONTROL_WOULD_BLOCK:
        note_vain(client, now_ns);
        break;
    case CONTROL_OVER:
        client->ended = true;
        break;
    }
}

bool control_client_request(struct control_client *client, char *request, size_t *size,
                            int64_t now_ns)
{
    const char *end = memchr(client->line, '\n', client->line_used);
    if (end == NULL || client->out.used != 0 || now_ns < client->backoff_until_ns)
        return false;
    *size = (size_t)(end - client->line);
    memcpy(request, client->line, *size);
    client->line_used -= *size + 1;
    memmove(client->line, end + 1, client->line_used);
    client->backoff_until_ns = now_ns + CONTROL_BACKOFF_NS;
    client->active_ns = now_ns;
    client->requested = true;
    return true;
}

bool control_client_has_request(const struct control_client *client)
{
    return memchr(client->line, '\n', client->line_used) != NULL;
}

bool control_client_is_done(const struct control_client *client)
{
    if (client->out.used != 0 || control_client_has_request(client))
        return false;
    return client->ended || client->line_used == sizeof client->line;
}
