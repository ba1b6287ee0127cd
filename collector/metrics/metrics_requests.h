/*
 * Answers the metrics server's requests: checks the host that each request names, and its token,
 * and serves the paths. Main thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_REQUESTS_H
#define SLUICE_COLLECTOR_METRICS_METRICS_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/config/config.h"
#include "collector/metrics/event_stream.h"
#include "collector/metrics/http_answer.h"
#include "collector/metrics/http_request.h"
#include "collector/metrics/metrics_pages.h"
#include "collector/metrics/metrics_token.h"
#include "collector/status/status.h"

/* The parts that answers are made from. The metrics server owns them. */
struct metrics_requests {
    struct metrics_pages *pages;
    struct status *status;
    struct event_stream *events;
    /* As in struct metrics_server_options. */
    void (*write_glossary)(const struct config_registry *registry, struct output *out);
    const struct config_registry *registry;
    struct host_names hosts;
    bool any_host;               /* any Host is accepted: browsers cannot connect to a local
                                    socket, so no web page can choose the Host */
    struct metrics_token *token; /* NULL if no token is needed */
    int64_t misnamed_pause_ns;   /* when a refused Host may be logged again */
};

/*
 * Returns true if the answer to the request is a page in memory. Only METRICS_PAGES of these may be
 * unsent.
 */
bool metrics_requests_is_limited(const struct http_request *request);

/* Makes the answer to a request; the context is a struct metrics_requests. */
void metrics_requests_answer(void *context, const struct http_request *request,
                             struct http_answer *answer);

#endif
