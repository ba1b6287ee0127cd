/*
 * collector/metrics/metrics_server.h by libmicrohttpd.
 *
 * The library runs no thread: it has one descriptor, which is ready when there is something to do,
 * and is then called. So every page is made by the main thread, and nothing needs a lock.
 */
#include "collector/metrics/metrics_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/log/log.h"
#include "collector/metrics/http_library.h"
#include "collector/metrics/metrics_accept.h"
#include "collector/metrics/metrics_page.h"
#include "collector/metrics/metrics_pages.h"
#include "collector/platform/clock.h"
#include "collector/platform/deadline.h"
#include "collector/platform/tcp_listener.h"

/* What a connection's requests are read into. */
#define CONNECTION_MEMORY ((size_t)16 * 1024)

/* After some work the server pauses so many times as long. */
#define PAUSE_FACTOR 3

struct metrics_server {
    const struct http_library *http;
    struct MHD_Daemon *daemon;
    wait_handle handle;
    struct metrics_pages *pages;
    size_t unsent; /* pages */
    int64_t pause_until_ns;
};

const char *metrics_server_library(void)
{
    static char text[64];
    struct error error;
    const struct http_library *http = http_library(&error);
    snprintf(text, sizeof text, "libmicrohttpd %s",
             http != NULL ? http->get_version() : "(not on this system)");
    return text;
}

bool metrics_server_can_serve(struct error *error)
{
    return http_library(error) != NULL;
}

size_t metrics_server_memory(void)
{
    return sizeof(struct metrics_server) + METRICS_CONNECTIONS * CONNECTION_MEMORY;
}

/* --- answers ---------------------------------------------------------------------------------- */

struct answer {
    unsigned status;
    const char *type;
    const char *header, *value; /* one more; NULL: none */
    struct MHD_Response *response;
};

static enum MHD_Result send_answer(const struct http_library *http,
                                   struct MHD_Connection *connection, const struct answer *answer)
{
    if (answer->response == NULL)
        return MHD_NO; /* the connection is closed */
    http->add_response_header(answer->response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
    http->add_response_header(answer->response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if (answer->header != NULL)
        http->add_response_header(answer->response, answer->header, answer->value);
    enum MHD_Result result = http->queue_response(connection, answer->status, answer->response);
    http->destroy_response(answer->response);
    return result;
}

static const char plain_text[] = "text/plain; charset=utf-8";

/* A text that lives as long as the program. */
static enum MHD_Result send_text(const struct http_library *http, struct MHD_Connection *connection,
                                 unsigned status, const char *text, const char *header,
                                 const char *value)
{
    char *body = (char *)(uintptr_t)text; /* which the library does not write to */
    const struct answer answer = {
        .status = status,
        .type = plain_text,
        .header = header,
        .value = value,
        .response = http->create_response_from_buffer(strlen(text), body, MHD_RESPMEM_PERSISTENT)};
    return send_answer(http, connection, &answer);
}

static enum MHD_Result send_no_memory(const struct http_library *http,
                                      struct MHD_Connection *connection)
{
    return send_text(http, connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                     "There is no memory for one more page now.\n", MHD_HTTP_HEADER_RETRY_AFTER,
                     "1");
}

/* A page is sent, or its client has gone. */
struct page {
    struct metrics_server *server;
    char *text;
    size_t size; /* bytes of it */
};

/* Bytes that the library takes of it at a time. */
#define PAGE_BLOCK ((size_t)16 * 1024)

static ssize_t read_page(void *argument, uint64_t at, char *out, size_t most)
{
    const struct page *page = argument;
    if (at >= page->size)
        return MHD_CONTENT_READER_END_OF_STREAM;
    size_t left = page->size - (size_t)at;
    size_t size = left < most ? left : most;
    memcpy(out, page->text + at, size);
    return (ssize_t)size;
}

static void free_page(void *argument)
{
    struct page *page = argument;
    page->server->unsent--;
    free(page->text);
    free(page);
}

static enum MHD_Result send_page(struct metrics_server *server, struct MHD_Connection *connection,
                                 struct answer *answer, const struct output *text)
{
    struct page *page = malloc(sizeof *page);
    if (page != NULL) {
        *page = (struct page){server, text->data, text->used};
        answer->response = server->http->create_response_from_callback(text->used, PAGE_BLOCK,
                                                                       read_page, page, free_page);
    }
    if (answer->response == NULL) {
        free(page);
        free(text->data);
        return send_no_memory(server->http, connection);
    }
    server->unsent++;
    return send_answer(server->http, connection, answer);
}

/* --- pages ------------------------------------------------------------------------------------ */

/* Makes the page and says what it is. Returns false where memory is short. */
typedef bool page_maker(struct metrics_server *server, struct MHD_Connection *connection,
                        struct output *out, struct answer *answer);

static bool make_metrics(struct metrics_server *server, struct MHD_Connection *connection,
                         struct output *out, struct answer *answer)
{
    const char *accept =
        server->http->lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
    enum metrics_format format =
        metrics_accept_openmetrics(accept) ? METRICS_OPENMETRICS : METRICS_PROMETHEUS;
    answer->type = metrics_page_types[format];
    answer->header = MHD_HTTP_HEADER_VARY;
    answer->value = MHD_HTTP_HEADER_ACCEPT;
    return metrics_pages_metrics(server->pages, format, out);
}

static bool make_health(struct metrics_server *server, struct MHD_Connection *connection,
                        struct output *out, struct answer *answer)
{
    bool serving = false;
    (void)connection;
    if (!metrics_pages_health(server->pages, out, &serving))
        return false;
    answer->status = serving ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
    return true;
}

static bool make_sources(struct metrics_server *server, struct MHD_Connection *connection,
                         struct output *out, struct answer *answer)
{
    (void)connection;
    (void)answer;
    return metrics_pages_sources(server->pages, out);
}

static const struct {
    const char *path;
    page_maker *make;
    bool limited; /* else always answered, being short: who does not read must not make it look ill
                   */
} places[] = {
    {"/metrics", make_metrics, true},
    {"/healthz", make_health, false},
    {"/sources", make_sources, true},
};

static const char no_such_place[] = "There are /metrics, /healthz and /sources.\n";

static enum MHD_Result answer_request(void *context, struct MHD_Connection *connection,
                                      const char *path, const char *method, const char *version,
                                      const char *body, size_t *body_size, void **state)
{
    struct metrics_server *server = context;
    struct answer answer = {.status = MHD_HTTP_OK, .type = "application/json"};
    struct output page;
    size_t at = 0;
    (void)version;
    (void)body;
    (void)body_size;
    (void)state;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return send_text(server->http, connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                         "There is nothing but to read.\n", MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    while (at < sizeof places / sizeof *places && strcmp(places[at].path, path) != 0)
        at++;
    if (at == sizeof places / sizeof *places)
        return send_text(server->http, connection, MHD_HTTP_NOT_FOUND, no_such_place, NULL, NULL);
    bool full = places[at].limited && server->unsent >= METRICS_PAGES;
    if (full || !places[at].make(server, connection, &page, &answer))
        return send_no_memory(server->http, connection);
    return send_page(server, connection, &answer, &page);
}

/* --- serving ---------------------------------------------------------------------------------- */

/* The library closes the socket with itself. It counts in seconds. */
static bool start(struct metrics_server *server, wait_handle listener, int64_t stall_timeout_ns)
{
    const int64_t second = 1000000000;
    unsigned seconds = (unsigned)((stall_timeout_ns + second - 1) / second);
    server->daemon = server->http->start_daemon(
        MHD_USE_EPOLL, 0, NULL, NULL, answer_request, server, MHD_OPTION_LISTEN_SOCKET,
        (MHD_socket)listener, MHD_OPTION_CONNECTION_LIMIT, (unsigned)METRICS_CONNECTIONS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, MHD_OPTION_CONNECTION_TIMEOUT,
        seconds, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
    if (server->daemon == NULL)
        return false;
    const union MHD_DaemonInfo *info =
        server->http->get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (info == NULL)
        return false;
    server->handle = info->epoll_fd;
    return true;
}

int metrics_server_create(struct metrics_server **out, const struct metrics_server_options *options,
                          struct error *error)
{
    struct address bound;
    const struct http_library *http = http_library(error);
    if (http == NULL)
        return -1;
    wait_handle listener = tcp_listener_open(&options->address, false, &bound, error);
    if (listener == NO_HANDLE)
        return -1;
    struct metrics_server *server = calloc(1, sizeof *server);
    if (server != NULL) {
        server->http = http;
        server->pages = metrics_pages_create(options->pipeline, options->health, options->version);
    }
    error_set(error, EXIT_CODE_INTERNAL, "--metrics: %s",
              server == NULL || server->pages == NULL ? "out of memory" : "cannot start to serve");
    if (server == NULL || server->pages == NULL ||
        !start(server, listener, options->stall_timeout_ns)) {
        if (server == NULL || server->daemon == NULL)
            tcp_listener_close(listener);
        metrics_server_destroy(server);
        return -1;
    }
    char text[ADDRESS_TEXT_SIZE];
    address_format(&bound, text);
    log_line(LOG_INFO, "metrics at http://%s/metrics", text);
    *out = server;
    return 0;
}

void metrics_server_destroy(struct metrics_server *server)
{
    if (server == NULL)
        return;
    if (server->daemon != NULL)
        server->http->stop_daemon(server->daemon);
    metrics_pages_destroy(server->pages);
    free(server);
}

size_t metrics_server_watch(struct metrics_server *server,
                            struct control_watch watched[METRICS_WATCHED], int64_t now_ns,
                            int64_t *due_ns)
{
    MHD_UNSIGNED_LONG_LONG left_ms;
    *due_ns = INT64_MAX;
    if (now_ns < server->pause_until_ns) {
        bring_forward(due_ns, server->pause_until_ns);
        return 0;
    }
    if (server->http->get_timeout(server->daemon, &left_ms) == MHD_YES)
        bring_forward(due_ns, now_ns + (int64_t)left_ms * 1000000);
    watched[0] = (struct control_watch){server->handle, true, false};
    return 1;
}

void metrics_server_serve(struct metrics_server *server, int64_t now_ns)
{
    if (now_ns < server->pause_until_ns)
        return;
    server->http->run(server->daemon);
    int64_t spent = clock_monotonic_ns() - now_ns;
    server->pause_until_ns = now_ns + (1 + PAUSE_FACTOR) * spent;
}
