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
#include <strings.h>

#include "collector/log/log.h"
#include "collector/metrics/event_stream.h"
#include "collector/metrics/http_library.h"
#include "collector/metrics/metrics_accept.h"
#include "collector/metrics/metrics_door.h"
#include "collector/metrics/metrics_page.h"
#include "collector/metrics/metrics_pages.h"
#include "collector/metrics/page_writing.h"
#include "collector/platform/clock.h"
#include "collector/platform/deadline.h"
#include "collector/platform/descriptors.h"
#include "collector/platform/tcp_listener.h"
#include "collector/status/page_files.h"
#include "collector/status/status.h"

/* What a connection's request is read into: a head that did not end by then is refused. */
#define CONNECTION_MEMORY METRICS_HEAD

/* Of the library's own, rounded up: to wait, and to be woken. */
#define LIBRARY_DESCRIPTORS 3

/* What the system holds for a client that does not read: it is given up soon after. */
#define UNREAD ((size_t)128 * 1024)

/*
 * After some work the server pauses so many times as long, but no longer than a part of the time
 * after which the library gives up a client: it counts our pauses as the client's.
 */
#define PAUSE_FACTOR 3
#define PAUSE_PART   4

/* How often it is logged that a request named another host. */
#define MISNAMED_PAUSE_NS INT64_C(60000000000)

struct metrics_server {
    const struct http_library *http;
    struct MHD_Daemon *daemon;
    wait_handle handle;
    wait_handle listener; /* the door's */
    struct metrics_door *door;
    struct metrics_pages *pages;
    struct status *status;
    struct event_stream *events;
    struct host_names hosts;
    size_t unsent; /* pages */
    int64_t longest_pause_ns;
    int64_t pause_until_ns;
    int64_t misnamed_pause_ns; /* until then nothing is logged of it */
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

size_t metrics_server_memory(const struct config *config)
{
    return sizeof(struct metrics_server) + METRICS_CONNECTIONS * CONNECTION_MEMORY +
           metrics_door_memory() + status_memory(config) + event_stream_memory();
}

/* --- answers ---------------------------------------------------------------------------------- */

struct answer {
    unsigned status;
    const char *type;
    const char *header, *value; /* one more; NULL: none */
    const char *encoding;       /* of its body; NULL: none */
    struct MHD_Response *response;
};

/*
 * What every answer says to a browser: that it shows nothing of another place, is shown in no other
 * page, and reads no answer as anything else than it is.
 */
static const struct {
    const char *name, *value;
} safety[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
};

static enum MHD_Result send_answer(const struct http_library *http,
                                   struct MHD_Connection *connection, const struct answer *answer)
{
    if (answer->response == NULL)
        return MHD_NO; /* the connection is closed */
    http->add_response_header(answer->response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
    http->add_response_header(answer->response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    for (size_t i = 0; i < sizeof safety / sizeof *safety; i++)
        http->add_response_header(answer->response, safety[i].name, safety[i].value);
    /* Else a client could hold its place between two requests, or with half of a second one. */
    http->add_response_header(answer->response, MHD_HTTP_HEADER_CONNECTION, "close");
    if (answer->encoding != NULL)
        http->add_response_header(answer->response, MHD_HTTP_HEADER_CONTENT_ENCODING,
                                  answer->encoding);
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

static const char no_such_place[] =
    "There are / for people, /metrics, /healthz, /sources and /events.\n";

/* --- the status page -------------------------------------------------------------------------- */

static enum MHD_Result send_file(const struct metrics_server *server,
                                 struct MHD_Connection *connection, const struct page_file *file)
{
    bool gzip = metrics_accept_gzip(server->http->lookup_connection_value(
        connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT_ENCODING));
    size_t size = gzip ? *file->gzip_size : *file->plain_size;
    void *body = (void *)(uintptr_t)(gzip ? file->gzip : file->plain); /* not written to */
    const struct answer answer = {
        .status = MHD_HTTP_OK,
        .type = file->type,
        .header = MHD_HTTP_HEADER_VARY,
        .value = MHD_HTTP_HEADER_ACCEPT_ENCODING,
        .encoding = gzip ? "gzip" : NULL,
        .response = server->http->create_response_from_buffer(size, body, MHD_RESPMEM_PERSISTENT)};
    return send_answer(server->http, connection, &answer);
}

static void write_first(void *context, struct output *out)
{
    status_write_first(context, out);
}

static void write_now(void *context, struct output *out)
{
    status_write_now(context, out);
}

static enum MHD_Result send_events(struct metrics_server *server, struct MHD_Connection *connection)
{
    struct output first;
    if (!event_stream_has_room(server->events))
        return send_text(server->http, connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                         "Eight others are looking already.\n", MHD_HTTP_HEADER_RETRY_AFTER, "5");
    if (!page_write(write_first, server->status, &first))
        return send_no_memory(server->http, connection);
    const struct answer answer = {.status = MHD_HTTP_OK,
                                  .type = "text/event-stream",
                                  .response =
                                      event_stream_open(server->events, connection, &first)};
    if (answer.response == NULL)
        return send_no_memory(server->http, connection);
    return send_answer(server->http, connection, &answer);
}

static void look(struct metrics_server *server, int64_t now_ns)
{
    struct output event;
    if (status_look(server->status, now_ns) && event_stream_has_clients(server->events) &&
        page_write(write_now, server->status, &event))
        event_stream_send(server->events, &event);
}

/* --- requests --------------------------------------------------------------------------------- */

struct hosts_asked {
    const struct host_names *names;
    size_t count;
    bool allowed; /* all of them */
};

static enum MHD_Result check_host(void *context, enum MHD_ValueKind kind, const char *key,
                                  const char *value)
{
    struct hosts_asked *asked = context;
    (void)kind;
    if (strcasecmp(key, MHD_HTTP_HEADER_HOST) != 0)
        return MHD_YES;
    asked->count++;
    asked->allowed = asked->allowed && value != NULL && host_names_allow(asked->names, value);
    return MHD_YES;
}

/*
 * Whether the request names this server by a name that is its own. HTTP/1.0 does not have to; what
 * a browser sends does.
 */
static bool is_for_us(const struct hosts_asked *asked)
{
    return asked->allowed && asked->count <= 1;
}

/*
 * A request of HTTP/1.1 without a Host is answered by 400 (RFC 9112, 3.2). The library has none for
 * us either where a line that follows is folded: it takes the rest for a part of the name.
 */
static bool lacks_host(const struct hosts_asked *asked, const char *version)
{
    return asked->count == 0 && strcmp(version, MHD_HTTP_VERSION_1_0) != 0;
}

static enum MHD_Result send_misdirected(struct metrics_server *server,
                                        struct MHD_Connection *connection)
{
    int64_t now = clock_monotonic_ns();
    if (now >= server->misnamed_pause_ns) {
        server->misnamed_pause_ns = now + MISNAMED_PAUSE_NS;
        log_line(LOG_WARNING, "metrics: a request was refused as its Host is neither an address "
                              "nor localhost; --metrics-host allows names");
    }
    return send_text(server->http, connection, MHD_HTTP_MISDIRECTED_REQUEST,
                     "The Host of this request is neither an address nor localhost. Start sluice "
                     "with --metrics-host NAME to allow a name.\n",
                     NULL, NULL);
}

static enum MHD_Result send_made(struct metrics_server *server, struct MHD_Connection *connection,
                                 size_t place)
{
    struct answer answer = {.status = MHD_HTTP_OK, .type = "application/json"};
    struct output page;
    bool full = places[place].limited && server->unsent >= METRICS_PAGES;
    if (full || !places[place].make(server, connection, &page, &answer))
        return send_no_memory(server->http, connection);
    return send_page(server, connection, &answer, &page);
}

static enum MHD_Result send_place(struct metrics_server *server, struct MHD_Connection *connection,
                                  const char *path)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strcmp(places[i].path, path) == 0)
            return send_made(server, connection, i);
    for (const struct page_file *file = page_files; file->path != NULL; file++)
        if (strcmp(file->path, path) == 0)
            return send_file(server, connection, file);
    if (strcmp(path, "/events") == 0)
        return send_events(server, connection);
    return send_text(server->http, connection, MHD_HTTP_NOT_FOUND, no_such_place, NULL, NULL);
}

static enum MHD_Result answer_request(void *context, struct MHD_Connection *connection,
                                      const char *path, const char *method, const char *version,
                                      const char *body, size_t *body_size, void **state)
{
    struct metrics_server *server = context;
    struct hosts_asked asked = {.names = &server->hosts, .allowed = true};
    (void)body;
    (void)body_size;
    (void)state;
    server->http->get_connection_values(connection, MHD_HEADER_KIND, check_host, &asked);
    if (!is_for_us(&asked))
        return send_misdirected(server, connection);
    if (lacks_host(&asked, version))
        return send_text(server->http, connection, MHD_HTTP_BAD_REQUEST,
                         "A request of HTTP/1.1 has a Host.\n", NULL, NULL);
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return send_text(server->http, connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                         "There is nothing but to read.\n", MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    return send_place(server, connection, path);
}

/* --- serving ---------------------------------------------------------------------------------- */

/* Some places are reserved for requests for the health. */
static bool has_place(void *context, bool health)
{
    const struct metrics_server *server = context;
    const union MHD_DaemonInfo *info =
        server->http->get_daemon_info(server->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    unsigned most = health ? METRICS_CONNECTIONS : METRICS_CONNECTIONS - METRICS_RESERVED;
    return info != NULL && info->num_connections < most;
}

/* The library closes it in any case. It wants an address only to limit what comes from one. */
static void enter(void *context, wait_handle connection)
{
    const struct metrics_server *server = context;
    const struct sockaddr unknown = {.sa_family = AF_INET};
    server->http->add_connection(server->daemon, (MHD_socket)connection, &unknown, sizeof unknown);
}

/* The library counts in seconds. */
static struct MHD_Daemon *start_daemon(struct metrics_server *server, int64_t stall_timeout_ns)
{
    const int64_t second = 1000000000;
    unsigned seconds = (unsigned)((stall_timeout_ns + second - 1) / second);
    return server->http->start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL,
        answer_request, server, MHD_OPTION_CONNECTION_LIMIT, (unsigned)METRICS_CONNECTIONS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, MHD_OPTION_CONNECTION_TIMEOUT,
        seconds, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
}

static bool start(struct metrics_server *server, int64_t stall_timeout_ns)
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

/* Takes the listener over. Returns false where memory is short. */
static bool make_door(struct metrics_server *server, wait_handle listener, int64_t stall_timeout_ns)
{
    const struct metrics_door_options options = {.listener = listener,
                                                 .stall_timeout_ns = stall_timeout_ns,
                                                 .has_place = has_place,
                                                 .enter = enter,
                                                 .context = server};
    server->listener = listener;
    server->door = metrics_door_create(&options);
    if (server->door == NULL)
        tcp_listener_close(listener);
    return server->door != NULL;
}

/* Returns false where memory is short; the rest is destroyed with the server. */
static bool make_parts(struct metrics_server *server, const struct http_library *http,
                       const struct metrics_server_options *options)
{
    const struct status_options status = {.version = options->version,
                                          .pipeline = options->pipeline,
                                          .health = options->health,
                                          .registry = options->registry,
                                          .config = options->config};
    server->http = http;
    server->hosts = options->config->metrics_hosts;
    server->pages = metrics_pages_create(options->pipeline, options->health, options->version);
    server->status = status_create(&status);
    server->events = event_stream_create(http);
    return server->pages != NULL && server->status != NULL && server->events != NULL;
}

int metrics_server_create(struct metrics_server **out, const struct metrics_server_options *options,
                          struct error *error)
{
    struct address bound;
    const struct http_library *http = http_library(error);
    if (http == NULL)
        return -1;
    wait_handle listener = tcp_listener_open(&options->config->metrics, false, &bound, error);
    if (listener == NO_HANDLE)
        return -1;
    tcp_listener_limit_sending(listener, UNREAD);
    struct metrics_server *server = calloc(1, sizeof *server);
    if (server == NULL)
        tcp_listener_close(listener);
    bool complete = server != NULL && make_door(server, listener, options->stall_timeout_ns) &&
                    make_parts(server, http, options);
    error_set(error, EXIT_CODE_INTERNAL, "--metrics: %s",
              complete ? "cannot start to serve" : "out of memory");
    if (!complete || !start(server, options->stall_timeout_ns)) {
        metrics_server_destroy(server);
        return -1;
    }
    char text[ADDRESS_TEXT_SIZE];
    address_format(&bound, text);
    log_line(LOG_INFO, "status page at http://%s/, metrics at http://%s/metrics", text, text);
    *out = server;
    return 0;
}

void metrics_server_destroy(struct metrics_server *server)
{
    if (server == NULL)
        return;
    metrics_door_destroy(server->door);
    if (server->events != NULL)
        event_stream_close(server->events);
    if (server->daemon != NULL)
        server->http->stop_daemon(server->daemon);
    event_stream_destroy(server->events);
    status_destroy(server->status);
    metrics_pages_destroy(server->pages);
    free(server);
}

void metrics_server_set_config(struct metrics_server *server, const struct config *config)
{
    status_set_config(server->status, config);
}

size_t metrics_server_watch(struct metrics_server *server,
                            struct control_watch watched[METRICS_WATCHED], int64_t now_ns,
                            int64_t *due_ns)
{
    MHD_UNSIGNED_LONG_LONG left_ms;
    *due_ns = status_due(server->status);
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

void metrics_server_serve(struct metrics_server *server, int64_t now_ns)
{
    look(server, now_ns);
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
