/*
 * Reads the requests of one client of the control socket, one line each, and sends the answers.
 *
 * Memory for usual answers is allocated by control_client_create. A client that sends an endless
 * line, or does not read its answers, is disconnected. No function waits. Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONTROL_CONTROL_CLIENT_H
#define SLUICE_COLLECTOR_CONTROL_CONTROL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/platform/control.h"
#include "collector/text/output.h"

/* The maximum number of bytes of a request. */
#define CONTROL_REQUEST_SIZE ((size_t)512)

/*
 * The bytes of answers that each client has room for, and the maximum of one answer, for which
 * memory is allocated until it is sent.
 */
#define CONTROL_ANSWER_SIZE ((size_t)256 * 1024)
#define CONTROL_ANSWER_MOST ((size_t)4 * 1024 * 1024)

/*
 * A client is idle if it has sent no request and accepted no byte of an answer for CONTROL_IDLE_NS;
 * before its first request, for CONTROL_SILENT_NS.
 */
#define CONTROL_IDLE_NS   INT64_C(2000000000)
#define CONTROL_SILENT_NS INT64_C(100000000)

/* Nanoseconds between two requests of a client, so that endless requests cost little. */
#define CONTROL_BACKOFF_NS INT64_C(50000000)

struct control_client {
    struct control_connection *connection; /* NULL if the slot is free */
    struct output out;                     /* answers; append to it */
    size_t sent;                           /* bytes of `out` that were sent */
    char line[CONTROL_REQUEST_SIZE];
    size_t line_used;
    bool ended;               /* the client has closed its sending side */
    int64_t backoff_until_ns; /* no request is read before this time (monotonic nanoseconds) */
    unsigned vain;            /* consecutive reads and writes that would have blocked although the
                                 connection was ready */
    int64_t vain_since_ns;    /* time of the first of these reads and writes */
    int64_t rest_until_ns;    /* until then the client is neither read, written to nor watched */
    int64_t progress_ns;      /* when it last accepted a byte, or `out` became non-empty */
    int64_t stall_timeout_ns;
    int64_t active_ns; /* when it connected, sent its last request, or last accepted a byte */
    bool requested;    /* it has sent a request */
};

/*
 * A client that accepts no byte of its answer for `stall_timeout_ns` is disconnected. Returns false
 * if memory is short.
 */
bool control_client_create(struct control_client *client, int64_t stall_timeout_ns);
void control_client_destroy(struct control_client *client);

/* Returns the bytes of a client's memory. The pages that no answer has used need no RAM. */
size_t control_client_memory(void);

/* begin takes ownership of the connection; end closes the connection, if there is one. */
void control_client_begin(struct control_client *client, struct control_connection *connection,
                          int64_t now_ns);
void control_client_end(struct control_client *client);

/*
 * Doubles the room of `out` for an answer that did not fit, and empties `out`. Returns false if it
 * would exceed CONTROL_ANSWER_MOST, or memory is short. The memory is freed after the answer was
 * sent.
 */
bool control_client_grow(struct control_client *client);

/* Returns whether the client is idle (CONTROL_IDLE_NS, CONTROL_SILENT_NS). */
bool control_client_idles(const struct control_client *client, int64_t now_ns);

/*
 * Sends as many bytes as possible without waiting. Returns false if the client is gone or stalled;
 * the caller then ends it.
 */
bool control_client_flush(struct control_client *client, int64_t now_ns);

/* Reads the bytes that have arrived, unless the client is in its pause between requests. */
void control_client_read(struct control_client *client, int64_t now_ns);

/*
 * Copies the next whole request, without its newline, to the CONTROL_REQUEST_SIZE bytes of
 * `request`, and begins the pause between requests. Returns false if there is no whole request, the
 * pause has not ended, or the last answer is not sent.
 */
bool control_client_request(struct control_client *client, char *request, size_t *size,
                            int64_t now_ns);

/*
 * Returns true while the client backs off, because its connection was often reported as ready
 * although neither a read nor a write made progress. Such a client is not watched before
 * rest_until_ns.
 */
bool control_client_rests(const struct control_client *client, int64_t now_ns);

/* Returns true if a whole request has arrived. */
bool control_client_has_request(const struct control_client *client);

/*
 * Returns true if the client must be ended: all answers are sent and no request can follow, or a
 * line is too long.
 */
bool control_client_is_done(const struct control_client *client);

#endif
