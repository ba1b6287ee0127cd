/*
 * Accepts the clients of the HTTP server (http_server.h), reads their requests, and sends the
 * answers. Only for the server's files (http_*.c). Main thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_HTTP_CLIENT_H
#define SLUICE_COLLECTOR_METRICS_HTTP_CLIENT_H

#include "collector/base/address.h"
#include "collector/metrics/http_server.h"
#include "collector/platform/notifier.h"

#define CLIENTS (HTTP_ASKING + HTTP_ANSWERS + HTTP_LEAVING)

/*
 * A client that has not completed its request, or accepted no byte of its answer, for this time may
 * be ended if another client needs its slot. On Linux the kernel accepts more bytes only after the
 * client has read a third of those it holds, so a client that reads a few bytes at a time is slow
 * too.
 */
#define HTTP_SLOW_NS INT64_C(100000000)

enum client_state {
    CLIENT_FREE,
    CLIENT_ASKS,   /* its request is not complete */
    CLIENT_WAITS,  /* its request is complete and waits for a slot */
    CLIENT_GETS,   /* its answer is being sent */
    CLIENT_RESTS,  /* its answer is a stream, and there is no next part yet */
    CLIENT_LEAVES, /* its answer was sent; bytes that it still sends are dropped */
    CLIENT_ENDS,   /* it is removed from the notifier, and is closed after the REMOVED event */
};

struct client {
    enum client_state state;
    wait_handle connection;
    struct address network; /* address of the peer's network */
    unsigned interests;     /* the events that the notifier reports */
    int64_t since_ns;       /* by state: when it arrived, when its answer last made progress, or
                               when its answer ended */

    /* The request. */
    char *head; /* HTTP_HEAD_SIZE bytes; NULL after the request was answered */
    size_t used;
    size_t head_size; /* 0: the head is not complete; HTTP_HEAD_SIZE: it is too long */
    bool reserved;
    unsigned status; /* of the answer to a request that is not valid; 0 if it is valid */
    struct http_request request;
    bool limited; /* its answer needs one of `limited_most` slots too */

    /* The answer. */
    struct http_answer answer;
    bool headers_only;
    char top[HTTP_TOP_SIZE];
    const char *part; /* the bytes that are being sent */
    size_t part_size, sent;
};

struct http_server {
    struct http_server_options options;
    struct notifier *notifier;
    wait_handle handle;
    int64_t closed_until_ns; /* no client is accepted before this time; 0 if clients are accepted */
    int64_t quiet_until_ns;  /* when a refusal may be logged again */
    int64_t due_ns;
    int64_t slow_due_ns; /* when an answer may be ended for a request that waits */
    bool listener_removed;
    struct client clients[CLIENTS];
};

/* Ends the connection, which is closed after the notifier's REMOVED event. */
void http_client_end(struct http_server *server, struct client *client);

/* Called after the notifier's REMOVED event: closes the connection and frees its slot. */
void http_client_removed(struct client *client);

/* Returns the number of clients, of one network or (NULL) of all, for which `counts` is true. */
size_t http_count_clients(const struct http_server *server, const struct address *network,
                          bool (*counts)(const struct client *client));

/* Reads the request; a complete one then waits for http_admit_waiting. */
void http_client_read(struct http_server *server, struct client *client);

/*
 * Answers the requests that wait and have a slot, after ending slow answers for them. Call it after
 * the available events were handled, so that a client that reads does not count as slow.
 */
void http_admit_waiting(struct http_server *server, int64_t now_ns);

/* Makes the answer to a request that waits, and begins to send it. */
void http_client_reply(struct http_server *server, struct client *client, int64_t now_ns);

/* Handles an event of a client. */
void http_client_ready(struct http_server *server, struct client *client, int64_t now_ns);

/* Requests the next part of a client's stream, if it had none before, and sends it. */
void http_client_continue(struct http_server *server, struct client *client, int64_t now_ns);

/* Returns when to end the client (monotonic nanoseconds), or INT64_MAX if it has no time limit. */
int64_t http_client_limit(const struct http_server *server, const struct client *client);

/* Accepts waiting clients, and makes room for them. */
void http_accept(struct http_server *server, int64_t now_ns);

/* Accepts clients again if a pause is over. */
void http_accept_again(struct http_server *server, int64_t now_ns);

/* Must be called when the system has ended the listener's registration. */
void http_accept_lost(struct http_server *server, int64_t now_ns);

#endif
