/*
 * Answers to requests, by libmicrohttpd. Each closes its connection, and says to a browser what it
 * may not do with it. Where memory is short the connection is closed.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_ANSWER_H
#define SLUICE_COLLECTOR_METRICS_METRICS_ANSWER_H

#include <stddef.h>

#include "collector/metrics/http_library.h"
#include "collector/text/output.h"

struct metrics_answer {
    unsigned status;
    const char *type;
    const char *header, *value; /* one more; NULL: none */
    const char *encoding;       /* of its body; NULL: none */
    struct MHD_Response *response;
};

/* Has it sent; its response is not the caller's any more. */
enum MHD_Result metrics_answer_send(const struct http_library *http,
                                    struct MHD_Connection *connection,
                                    const struct metrics_answer *answer);

/* A text that lives as long as the program, with one more header, or NULL. */
enum MHD_Result metrics_answer_text(const struct http_library *http,
                                    struct MHD_Connection *connection, unsigned status,
                                    const char *text, const char *header, const char *value);

/* There is no memory for one more page now; a client may come again. */
enum MHD_Result metrics_answer_no_memory(const struct http_library *http,
                                         struct MHD_Connection *connection);

/*
 * A page that was made, whose memory it takes, with all else as `answer` says. It counts among
 * *unsent until it is sent, or its client has gone.
 */
enum MHD_Result metrics_answer_page(const struct http_library *http,
                                    struct MHD_Connection *connection,
                                    struct metrics_answer *answer, const struct output *text,
                                    size_t *unsent);

#endif
