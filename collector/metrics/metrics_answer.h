/*
 * Sends answers by libmicrohttpd. Each answer closes its connection, and restricts what a browser
 * may do with it. If memory is short the connection is closed without an answer.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_ANSWER_H
#define SLUICE_COLLECTOR_METRICS_METRICS_ANSWER_H

#include <stddef.h>

#include "collector/metrics/http_library.h"
#include "collector/text/output.h"

struct metrics_answer {
    unsigned status;
    const char *type;
    const char *header, *value; /* an additional header; NULL: none */
    const char *encoding;       /* the encoding of its body; NULL: none */
    struct MHD_Response *response;
};

/* Sends the answer; takes ownership of the response. */
enum MHD_Result metrics_answer_send(const struct http_library *http,
                                    struct MHD_Connection *connection,
                                    const struct metrics_answer *answer);

/* Sends a text with static lifetime, and an additional header if it is not NULL. */
enum MHD_Result metrics_answer_text(const struct http_library *http,
                                    struct MHD_Connection *connection, unsigned status,
                                    const char *text, const char *header, const char *value);

/* Answers 503 because memory is short, or because too many pages are unsent. */
enum MHD_Result metrics_answer_no_memory(const struct http_library *http,
                                         struct MHD_Connection *connection);

/*
 * Sends a generated page; `answer` has everything but the response. Takes ownership of the text's
 * memory. Counts the page in *unsent until it is sent or its client is gone.
 */
enum MHD_Result metrics_answer_page(const struct http_library *http,
                                    struct MHD_Connection *connection,
                                    struct metrics_answer *answer, const struct output *text,
                                    size_t *unsent);

#endif
