/*
 * One client of the control socket: its requests, a line each, and what is on its way to it.
 *
 * All memory is taken at the creation; a client that sends no end of a line, or takes nothing of
 * what it asked for, is given up. Nothing here waits. Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONTROL_CONTROL_CLIENT_H
#define SLUICE_COLLECTOR_CONTROL_CONTROL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/platform/control.h"
#include "collector/text/output.h"

/* Bytes of the longest request and of the longest answer. */
#define CONTROL_REQUEST_SIZE ((size_t)512)
#define CONTROL_ANSWER_SIZE  ((size_t)256 * 1024)

/* How long after an answer the next request is read: who asks without end costs little. */
#define CONTROL_BACKOFF_NS INT64_C(50000000)

struct control_client {
    struct control_connection *connection; /* NULL: there is no client */
    struct output out;                     /* append what it is to get */
    size_t sent;                           /* bytes of it */
    char line[CONTROL_REQUEST_SIZE];
    size_t line_used;
    bool ended;               /* it will send no more */
    int64_t backoff_until_ns; /* monotonic nanoseconds: until then nothing is read */
    int64_t progress_ns;      /* when it last took something, or something began to wait */
    int64_t stall_timeout_ns;
};

/*
 * A client may take nothing of what waits for it for less than `stall_timeout_ns`. Returns false
 * where memory is short.
 */
bool control_client_create(struct control_client *client, int64_t stall_timeout_ns);
void control_client_destroy(struct control_client *client);

/* Bytes that a client takes; pages that no answer needs stay untouched. */
size_t control_client_memory(void);

/* A connection begins, and is the client's; or it ends, if there is one. */
void control_client_begin(struct control_client *client, struct control_connection *connection);
void control_client_end(struct control_client *client);

/* Sends what it can. Returns false where the client has gone, or is given up: it is to be ended. */
bool control_client_flush(struct control_client *client, int64_t now_ns);

/* Reads what has come, unless it backs off. */
void control_client_read(struct control_client *client, int64_t now_ns);

/*
 * Copies the next whole request, without the end of its line, to the CONTROL_REQUEST_SIZE bytes of
 * `request`; false: there is none yet, or the client backs off, or has not taken the last answer.
 * After a request it backs off.
 */
bool control_client_request(struct control_client *client, char *request, size_t *size,
                            int64_t now_ns);

/* A whole request has come. */
bool control_client_has_request(const struct control_client *client);

/* It has all that it asked for and will ask no more, or it sends what no request can be. */
bool control_client_is_done(const struct control_client *client);

#endif
