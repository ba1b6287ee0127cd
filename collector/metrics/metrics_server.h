/*
 * Serves the collector's status page, its metrics and its health over HTTP:
 *
 *     /          the status page, and /page/ with its files (collector/status/page)
 *     /events    the data of the page, once a second (collector/status/status.h)
 *     /events/once  its first events only, for viewers for whom there is no room
 *     /glossary  the meaning of each word, as JSON (collector/glossary/glossary_json.h)
 *     /metrics   every counter, for Prometheus (collector/metrics/metrics_page.h)
 *     /healthz   {"status":"ready"}, or the reasons (collector/health/health.h): 200 if ready or
 *                degraded, 503 if stuck or stopping
 *     /sources   the busiest senders, as JSON (collector/senders/sender_report.h)
 *
 * A request must name the server by an address, as localhost, or by a name of --metrics-host
 * (collector/base/host_names.h); any other Host gets 421, except at a local socket, which browsers
 * do not reach. With --metrics-token-file it must have the token (metrics_token.h), otherwise it
 * gets 401 or, from /healthz, only the status. Only GET and HEAD are supported. The number of
 * connections and of prepared pages is bounded, no function waits for a client, and clients
 * together get at most a quarter of the main thread's time.
 *
 * Lifecycle: create, then watch and serve in the main thread's loop, destroy before the pipeline.
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
 * The maximum number of connections (http_server.h divides them up) and of unsent pages. When that
 * many pages are unsent, requests for pages other than /healthz wait until one of them is sent, or
 * ended because its client is slow.
 */
#define METRICS_CONNECTIONS 120
#define METRICS_PAGES       4

struct config;
struct config_registry;
struct health_watch;
struct metrics_server;
struct output;
struct pipeline;

struct metrics_server_options {
    const struct config *config;            /* valid until the next set_config */
    const struct config_registry *registry; /* outlives the server, as do the three members below */
    const char *version;                    /* version of the program; a literal */
    struct pipeline *pipeline;
    const struct health_watch *health;
    /* Appends the glossary as JSON (glossary/glossary_json.h). NULL if /glossary is empty. */
    void (*write_glossary)(const struct config_registry *registry, struct output *out);
    int64_t stall_timeout_ns; /* nanoseconds after which a silent client is disconnected */
};

#define METRICS_WATCHED 1

/* All functions are for the main thread. */
struct metrics_service {
    /*
     * Checks that a server could be created: its socket, and the file of its token. Returns 0, or
     * -1 with `error` filled (EXIT_CODE_CONFIG, EXIT_CODE_CANNOT_BIND).
     */
    int (*check)(const struct config *config, struct error *error);

    /* Returns the bytes of the server's memory without the pages. */
    size_t (*memory)(const struct config *config);

    /*
     * Listens at the address, and logs the address. Returns 0, or -1 with `error` filled
     * (EXIT_CODE_CANNOT_BIND, EXIT_CODE_CONFIG, EXIT_CODE_INTERNAL).
     */
    int (*create)(struct metrics_server **out, const struct metrics_server_options *options,
                  struct error *error);

    /* Ends all connections. NULL is allowed. */
    void (*destroy)(struct metrics_server *server);

    /*
     * Called after a reload has replaced the configuration; the previous configuration is no longer
     * used. Reads the token again. If that fails, logs it and keeps the old token.
     */
    void (*set_config)(struct metrics_server *server, const struct config *config);

    /*
     * Fills `watched` with the handles to wait for, and returns their number. *due_ns is when to
     * call `serve` even without an event (monotonic).
     */
    size_t (*watch)(struct metrics_server *server, struct control_watch watched[METRICS_WATCHED],
                    int64_t now_ns, int64_t *due_ns);

    /* Serves clients without waiting. */
    void (*serve)(struct metrics_server *server, int64_t now_ns);
};

/* NULL if this program was built without metrics. */
extern const struct metrics_service *const metrics_service;

#endif
