/*
 * The collector's status page, its metrics and its health, over HTTP:
 *
 *     /          the status page, for people, and /page/ with its files (collector/status/page)
 *     /events    what the page shows, once a second (collector/status/status.h)
 *     /metrics   every counter, for Prometheus (collector/metrics/metrics_page.h)
 *     /healthz   {"status":"ready"}, or what is wrong (collector/health/health.h): 200 where it is
 *                ready or degraded, 503 where it is stuck or stops
 *     /sources   the busiest senders, as JSON (collector/senders/sender_report.h)
 *
 * A request has to name the server by an address, as localhost, or by one of --metrics-host
 * (collector/base/host_names.h); any other gets 421. Clients only read, by GET and HEAD. They are
 * few, what is prepared for them is bounded, nothing waits for them, and who asks without an end
 * gets a quarter of the main thread's time.
 *
 * Lifecycle: create, then watch and serve in the main thread's loop, destroy before the pipeline.
 * CMake picks the implementation: by libmicrohttpd, or none.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_SERVER_H
#define SLUICE_COLLECTOR_METRICS_METRICS_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/platform/control.h"

/*
 * Connections with a complete request that are open at a time (metrics_door.h has the others), of
 * which the last METRICS_RESERVED are for the health only; and pages that may wait to be sent: a
 * request for one more, unless it is for the health, is answered with 503.
 */
#define METRICS_CONNECTIONS 24
#define METRICS_RESERVED    4
#define METRICS_PAGES       4

struct config;
struct config_registry;
struct health_watch;
struct metrics_server;
struct pipeline;

/*
 * The library that serves and its version, "libmicrohttpd 0.9.75", or that this system has none;
 * NULL: this program can use none.
 */
const char *metrics_server_library(void);

/* Whether it is there; false with `error` filled (EXIT_CODE_CONFIG). */
bool metrics_server_can_serve(struct error *error);

/* Bytes that it takes, but for the pages. */
size_t metrics_server_memory(const struct config *config);

struct metrics_server_options {
    const struct config *config; /* has the address, and by which names; until the next is set */
    const struct config_registry *registry; /* outlives the server, as the next two do */
    const char *version;                    /* of the program; a literal */
    struct pipeline *pipeline;
    const struct health_watch *health;
    int64_t stall_timeout_ns; /* a client that is silent for so long is given up */
};

/*
 * Listens at the address, and logs where. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CANNOT_BIND, EXIT_CODE_CONFIG without a library, EXIT_CODE_INTERNAL).
 */
int metrics_server_create(struct metrics_server **out, const struct metrics_server_options *options,
                          struct error *error);

/* Ends all connections. NULL is allowed. */
void metrics_server_destroy(struct metrics_server *server);

/* A reload has put another configuration in place of the last one, which is not read any more. */
void metrics_server_set_config(struct metrics_server *server, const struct config *config);

/*
 * Fills in what is to be watched, at most METRICS_WATCHED handles, and returns how many; *due_ns is
 * when (monotonic) to serve in any case.
 */
#define METRICS_WATCHED 2
size_t metrics_server_watch(struct metrics_server *server,
                            struct control_watch watched[METRICS_WATCHED], int64_t now_ns,
                            int64_t *due_ns);

/* Does what is due, without waiting. */
void metrics_server_serve(struct metrics_server *server, int64_t now_ns);

#endif
