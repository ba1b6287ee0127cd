/*
 * Implements collector/metrics/metrics_server.h. The main thread serves, so it makes every page,
 * and no lock is needed.
 */
#include "collector/metrics/metrics_server.h"

#include <stdlib.h>

#include "collector/log/log.h"
#include "collector/metrics/event_stream.h"
#include "collector/metrics/http_server.h"
#include "collector/metrics/metrics_listener.h"
#include "collector/metrics/metrics_pages.h"
#include "collector/metrics/metrics_requests.h"
#include "collector/metrics/page_writing.h"
#include "collector/platform/clock.h"
#include "collector/platform/tcp.h"
#include "collector/status/status.h"

/* Maximum number of bytes that the kernel buffers for a client that does not read. */
#define UNREAD ((size_t)128 * 1024)

/*
 * After serving, the server pauses for PAUSE_FACTOR times the time that serving took, so that
 * requests get at most a quarter of the main thread's time. The time limits of clients also run
 * during pauses, so a pause is at most 1/PAUSE_PART of a time limit.
 */
#define PAUSE_FACTOR 3
#define PAUSE_PART   4

_Static_assert(METRICS_CONNECTIONS == HTTP_ASKING + HTTP_ANSWERS + HTTP_LEAVING,
               "all connections are planned for");

struct metrics_server {
    struct metrics_listener listener;
    struct http_server *http;
    struct metrics_requests requests;
    int64_t longest_pause_ns;
    int64_t pause_until_ns;
};

static size_t metrics_server_memory(const struct config *config)
{
    return sizeof(struct metrics_server) + http_server_memory() + status_memory(config) +
           event_stream_memory();
}

static bool server_make_parts(struct metrics_server *server,
                              const struct metrics_server_options *options)
{
    const struct status_options status = {.version = options->version,
                                          .pipeline = options->pipeline,
                                          .health = options->health,
                                          .registry = options->registry,
                                          .config = options->config};
    struct metrics_requests *requests = &server->requests;
    requests->hosts = options->config->access.metrics_hosts;
    requests->any_host = server->listener.local != NULL;
    requests->write_glossary = options->write_glossary;
    requests->registry = options->registry;
    requests->pages = metrics_pages_create(options->pipeline, options->health, options->version);
    requests->status = status_create(&status);
    requests->events = event_stream_create();
    return requests->pages != NULL && requests->status != NULL && requests->events != NULL;
}

static void metrics_server_destroy(struct metrics_server *server)
{
    if (server == NULL)
        return;
    if (server->requests.events != NULL)
        event_stream_close(server->requests.events);
    if (server->http != NULL)
        http_server_continue(server->http, clock_monotonic_ns());
    http_server_destroy(server->http);
    metrics_listener_close(&server->listener);
    event_stream_destroy(server->requests.events);
    status_destroy(server->requests.status);
    metrics_pages_destroy(server->requests.pages);
    metrics_token_destroy(server->requests.token);
    free(server);
}

/*
 * Starts to serve. On success the server owns the listener. Returns 0, or -1 with `error` filled.
 */
static int server_start(struct metrics_server *server, const struct metrics_server_options *options,
                        wait_handle listener, struct error *error)
{
    const struct http_server_options http = {.listener = listener,
                                             .stall_timeout_ns = options->stall_timeout_ns,
                                             .reserved = "/healthz",
                                             .limited_most = METRICS_PAGES,
                                             .is_limited = metrics_requests_is_limited,
                                             .answer = metrics_requests_answer,
                                             .context = &server->requests};
    server->longest_pause_ns = options->stall_timeout_ns / PAUSE_PART;
    const char *token_file = options->config->access.metrics_token_file;
    if (token_file != NULL && metrics_token_create(&server->requests.token, token_file, error) != 0)
        return -1;
    int result = server_make_parts(server, options)
                     ? http_server_create(&server->http, &http, error)
                     : error_no_memory(error);
    if (result != 0)
        error_place(error, "--metrics");
    return result;
}

static int metrics_server_check(const struct config *config, struct error *error)
{
    const char *token_file = config->access.metrics_token_file;
    if (token_file != NULL && metrics_token_check_file(token_file, error) != 0)
        return -1;
    return metrics_listener_check(config, error);
}

static int metrics_server_create(struct metrics_server **out,
                                 const struct metrics_server_options *options, struct error *error)
{
    struct metrics_server *server = calloc(1, sizeof *server);
    if (server == NULL)
        return error_no_memory(error);
    if (metrics_listener_open(&server->listener, options->config, error) != 0) {
        free(server);
        return -1;
    }
    wait_handle listener = server->listener.socket;
    tcp_listener_limit_sending(listener, UNREAD);
    if (server_start(server, options, listener, error) != 0) {
        tcp_listener_close(listener);
        metrics_server_destroy(server);
        return -1;
    }
    *out = server;
    return 0;
}

static void metrics_server_set_config(struct metrics_server *server, const struct config *config)
{
    struct error error;
    status_set_config(server->requests.status, config);
    if (server->requests.token != NULL && metrics_token_load(server->requests.token, &error) != 0)
        log_line(LOG_ERROR, "%s; the previous token remains in use", error.text);
}

static size_t metrics_server_watch(struct metrics_server *server,
                                   struct control_watch watched[METRICS_WATCHED], int64_t now_ns,
                                   int64_t *due_ns)
{
    *due_ns = status_due(server->requests.status);
    if (now_ns < server->pause_until_ns) {
        bring_forward(due_ns, server->pause_until_ns);
        return 0;
    }
    bring_forward(due_ns, http_server_due(server->http));
    watched[0] = (struct control_watch){http_server_handle(server->http), true, false};
    return 1;
}

static void write_now(void *context, struct output *out)
{
    status_write_now(context, out);
}

static void server_look(struct metrics_server *server, int64_t now_ns)
{
    struct output event;
    if (status_look(server->requests.status, now_ns) &&
        event_stream_has_clients(server->requests.events) &&
        page_write(write_now, server->requests.status, &event))
        event_stream_send(server->requests.events, &event);
}

static void metrics_server_serve(struct metrics_server *server, int64_t now_ns)
{
    server_look(server, now_ns);
    if (now_ns < server->pause_until_ns)
        return;
    http_server_continue(server->http, now_ns);
    if (!http_server_serve(server->http, now_ns))
        return;
    int64_t done_ns = clock_monotonic_ns();
    int64_t pause_ns = PAUSE_FACTOR * (done_ns - now_ns);
    if (pause_ns > server->longest_pause_ns)
        pause_ns = server->longest_pause_ns;
    server->pause_until_ns = done_ns + pause_ns;
}

static const struct metrics_service served = {
    .check = metrics_server_check,
    .memory = metrics_server_memory,
    .create = metrics_server_create,
    .destroy = metrics_server_destroy,
    .set_config = metrics_server_set_config,
    .watch = metrics_server_watch,
    .serve = metrics_server_serve,
};

const struct metrics_service *const metrics_service = &served;
