/*
 * Implements collector/metrics/metrics_server.h by libmicrohttpd.
 *
 * The library runs no thread: it has one file descriptor, and is called when the descriptor is
 * ready. So the main thread makes every page, and no lock is needed.
 */
#include "collector/metrics/metrics_server.h"

#include <stdlib.h>

#include "collector/log/log.h"
#include "collector/metrics/event_stream.h"
#include "collector/metrics/http_library.h"
#include "collector/metrics/metrics_door.h"
#include "collector/metrics/metrics_pages.h"
#include "collector/metrics/metrics_requests.h"
#include "collector/metrics/page_writing.h"
#include "collector/platform/clock.h"
#include "collector/platform/process.h"
#include "collector/platform/tcp.h"
#include "collector/status/status.h"

/* The buffer of a connection's request; a longer head is refused. */
#define CONNECTION_MEMORY METRICS_HEAD

/* The number of the library's own file descriptors, rounded up: epoll and its wake-up. */
#define LIBRARY_DESCRIPTORS 3

/* Bytes that the kernel buffers for a client that does not read. */
#define UNREAD ((size_t)128 * 1024)

/*
 * After serving, the server pauses for PAUSE_FACTOR times the time that serving took, so that
 * requests get at most a quarter of the main thread. The pause is at most 1/PAUSE_PART of the
 * client's time limit, because the library's limit also runs during the pauses.
 */
#define PAUSE_FACTOR 3
#define PAUSE_PART   4

struct metrics_server {
    const struct http_library *http;
    struct MHD_Daemon *daemon;
    wait_handle handle;
    wait_handle listener; /* owned by the door */
    struct metrics_door *door;
    struct metrics_requests requests;
    int64_t longest_pause_ns;
    int64_t pause_until_ns;
};

static bool metrics_server_load(struct error *error)
{
    return http_library(error) != NULL;
}

static size_t metrics_server_memory(const struct config *config)
{
    return sizeof(struct metrics_server) + METRICS_CONNECTIONS * CONNECTION_MEMORY +
           metrics_door_memory() + status_memory(config) + event_stream_memory();
}

/* --- serving ---------------------------------------------------------------------------------- */

/*
 * Whether the server has a free slot. The last METRICS_RESERVED slots are for requests of /healthz.
 */
static bool has_slot(void *context, bool health)
{
    const struct metrics_server *server = context;
    const union MHD_DaemonInfo *info =
        server->http->get_daemon_info(server->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    unsigned most = health ? METRICS_CONNECTIONS : METRICS_CONNECTIONS - METRICS_RESERVED;
    return info != NULL && info->num_connections < most;
}

/*
 * Passes a connection to the library, which closes it in any case. The library only uses the
 * address for limits, which are not set.
 */
static void server_enter(void *context, wait_handle connection)
{
    const struct metrics_server *server = context;
    const struct sockaddr unknown = {.sa_family = AF_INET};
    server->http->add_connection(server->daemon, (MHD_socket)connection, &unknown, sizeof unknown);
}

/* Starts the library, whose time limit is in whole seconds. */
static struct MHD_Daemon *start_daemon(struct metrics_server *server, int64_t stall_timeout_ns)
{
    const int64_t second = 1000000000;
    unsigned seconds = (unsigned)((stall_timeout_ns + second - 1) / second);
    return server->http->start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL,
        metrics_requests_answer, &server->requests, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)METRICS_CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY,
        MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        MHD_OPTION_END);
}

static bool server_start(struct metrics_server *server, int64_t stall_timeout_ns)
{
    unsigned times = 0;
    server->longest_pause_ns = stall_timeout_ns / PAUSE_PART;
    server->daemon = start_daemon(server, stall_timeout_ns);
    while (server->daemon == NULL &&
           descriptors_lend(DESCRIPTOR_OF_CLIENT, LIBRARY_DESCRIPTORS, &times)) {
        server->daemon = start_daemon(server, stall_timeout_ns);
        descriptors_take_back(DESCRIPTOR_OF_CLIENT, LIBRARY_DESCRIPTORS);
    }
    if (server->daemon == NULL)
        return false;
    const union MHD_DaemonInfo *info =
        server->http->get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (info == NULL)
        return false;
    server->handle = info->epoll_fd;
    return true;
}

/* Makes the door, which takes ownership of the listener. Returns false if memory is short. */
static bool make_door(struct metrics_server *server, wait_handle listener, int64_t stall_timeout_ns)
{
    const struct metrics_door_options options = {.listener = listener,
                                                 .stall_timeout_ns = stall_timeout_ns,
                                                 .has_slot = has_slot,
                                                 .enter = server_enter,
                                                 .context = server};
    server->listener = listener;
    server->door = metrics_door_create(&options);
    if (server->door == NULL)
        tcp_listener_close(listener);
    return server->door != NULL;
}

/*
 * Makes the parts of the server. Returns false if memory is short; metrics_server_destroy frees the
 * parts.
 */
static bool server_make_parts(struct metrics_server *server, const struct http_library *http,
                              const struct metrics_server_options *options)
{
    const struct status_options status = {.version = options->version,
                                          .pipeline = options->pipeline,
                                          .health = options->health,
                                          .registry = options->registry,
                                          .config = options->config};
    struct metrics_requests *requests = &server->requests;
    server->http = requests->http = http;
    requests->hosts = options->config->access.metrics_hosts;
    requests->write_glossary = options->write_glossary;
    requests->registry = options->registry;
    requests->pages = metrics_pages_create(options->pipeline, options->health, options->version);
    requests->status = status_create(&status);
    requests->events = event_stream_create(http);
    return requests->pages != NULL && requests->status != NULL && requests->events != NULL;
}

static void metrics_server_destroy(struct metrics_server *server)
{
    if (server == NULL)
        return;
    metrics_door_destroy(server->door);
    if (server->requests.events != NULL)
        event_stream_close(server->requests.events);
    if (server->daemon != NULL)
        server->http->stop_daemon(server->daemon);
    event_stream_destroy(server->requests.events);
    status_destroy(server->requests.status);
    metrics_pages_destroy(server->requests.pages);
    free(server);
}

static int metrics_server_create(struct metrics_server **out,
                                 const struct metrics_server_options *options, struct error *error)
{
    struct address bound;
    const struct http_library *http = http_library(error);
    if (http == NULL)
        return -1;
    wait_handle listener =
        tcp_listener_open(&options->config->access.metrics, false, &bound, error);
    if (listener == NO_HANDLE) {
        error_place(error, "--metrics");
        return -1;
    }
    tcp_listener_limit_sending(listener, UNREAD);
    struct metrics_server *server = calloc(1, sizeof *server);
    if (server == NULL)
        tcp_listener_close(listener);
    bool complete = server != NULL && make_door(server, listener, options->stall_timeout_ns) &&
                    server_make_parts(server, http, options);
    error_set(error, EXIT_CODE_INTERNAL, "--metrics: %s",
              complete ? "cannot start the server" : "out of memory");
    if (!complete || !server_start(server, options->stall_timeout_ns)) {
        metrics_server_destroy(server);
        return -1;
    }
    char text[ADDRESS_TEXT_SIZE];
    address_format(&bound, text);
    log_line(LOG_INFO, "status page at http://%s/, metrics at http://%s/metrics", text, text);
    *out = server;
    return 0;
}

static void metrics_server_set_config(struct metrics_server *server, const struct config *config)
{
    status_set_config(server->requests.status, config);
}

static size_t metrics_server_watch(struct metrics_server *server,
                                   struct control_watch watched[METRICS_WATCHED], int64_t now_ns,
                                   int64_t *due_ns)
{
    MHD_UNSIGNED_LONG_LONG left_ms;
    *due_ns = status_due(server->requests.status);
    if (now_ns < server->pause_until_ns) {
        bring_forward(due_ns, server->pause_until_ns);
        return 0;
    }
    if (server->http->get_timeout(server->daemon, &left_ms) == MHD_YES)
        bring_forward(due_ns, now_ns + (int64_t)left_ms * 1000000);
    bring_forward(due_ns, metrics_door_due(server->door));
    watched[0] = (struct control_watch){server->handle, true, false};
    watched[1] = (struct control_watch){server->listener, true, false};
    return metrics_door_is_open(server->door, now_ns) ? 2 : 1;
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
    metrics_door_serve(server->door, now_ns);
    server->http->run(server->daemon);
    int64_t done_ns = clock_monotonic_ns();
    int64_t pause_ns = PAUSE_FACTOR * (done_ns - now_ns);
    if (pause_ns > server->longest_pause_ns)
        pause_ns = server->longest_pause_ns;
    server->pause_until_ns = done_ns + pause_ns;
}

static const struct metrics_service by_microhttpd = {
    .library = http_library_version,
    .load = metrics_server_load,
    .memory = metrics_server_memory,
    .create = metrics_server_create,
    .destroy = metrics_server_destroy,
    .set_config = metrics_server_set_config,
    .watch = metrics_server_watch,
    .serve = metrics_server_serve,
};

const struct metrics_service *const metrics_service = &by_microhttpd;
