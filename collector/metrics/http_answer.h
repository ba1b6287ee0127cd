/*
 * An answer to an HTTP request: its status, headers and body. Each answer ends its connection, and
 * restricts what a browser may do with it. Main thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_HTTP_ANSWER_H
#define SLUICE_COLLECTOR_METRICS_HTTP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/text/output.h"

/* The maximum size in bytes of a status line with its headers and the empty line after them. */
#define HTTP_TOP_SIZE 1024

enum http_more {
    HTTP_MORE, /* the next part is there */
    HTTP_REST, /* there is no next part yet */
    HTTP_OVER, /* the body has ended */
};

struct http_answer {
    unsigned status;
    const char *type;           /* media type of the body */
    const char *header, *value; /* an additional header, or NULL */
    const char *encoding;       /* encoding of the body, or NULL */

    /* The body, or the first part of a stream's body. Valid until `done` or `next` is called. */
    const char *bytes;
    size_t size;

    /*
     * NULL if `bytes` is the whole body. Otherwise the size of the body is unknown, and this
     * function sets its next part. A part is not empty, and is valid until the next call.
     */
    enum http_more (*next)(void *context, const char **bytes, size_t *size);

    /* Called once, when the body was sent or its client is gone. NULL if not needed. */
    void (*done)(void *context);
    void *context;
};

/* Returns an answer with a text of static lifetime. */
struct http_answer http_answer_text(unsigned status, const char *text);

/* Returns an answer with status 503: memory is short, or too many pages are unsent. */
struct http_answer http_answer_no_memory(void);

/*
 * Appends the status line, the headers and the empty line; at most HTTP_TOP_SIZE bytes. `now_ns`:
 * the time for Date, since 1970 UTC.
 */
void http_answer_write(const struct http_answer *answer, int64_t now_ns, struct output *out);

#endif
