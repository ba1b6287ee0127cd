#include "collector/metrics/metrics_requests.h"

#include <string.h>
#include <strings.h>

#include "collector/log/log.h"
#include "collector/metrics/metrics_accept.h"
#include "collector/metrics/metrics_answer.h"
#include "collector/metrics/metrics_page.h"
#include "collector/metrics/metrics_server.h"
#include "collector/metrics/page_writing.h"
#include "collector/platform/clock.h"
#include "collector/status/page_files.h"

/* The interval at which a refused Host is logged. */
#define MISNAMED_PAUSE_NS INT64_C(60000000000)

/* --- pages ------------------------------------------------------------------------------------ */

/* Makes the page and sets its type. Returns false if memory is short. */
typedef bool page_maker(struct metrics_requests *requests, struct MHD_Connection *connection,
                        struct output *out, struct metrics_answer *answer);

static bool make_metrics(struct metrics_requests *requests, struct MHD_Connection *connection,
                         struct output *out, struct metrics_answer *answer)
{
    const char *accept = requests->http->lookup_connection_value(connection, MHD_HEADER_KIND,
                                                                 MHD_HTTP_HEADER_ACCEPT);
    enum metrics_format format =
        metrics_accept_openmetrics(accept) ? METRICS_OPENMETRICS : METRICS_PROMETHEUS;
    answer->type = metrics_page_types[format];
    answer->header = MHD_HTTP_HEADER_VARY;
    answer->value = MHD_HTTP_HEADER_ACCEPT;
    return metrics_pages_metrics(requests->pages, format, out);
}

static bool make_health(struct metrics_requests *requests, struct MHD_Connection *connection,
                        struct output *out, struct metrics_answer *answer)
{
    bool serving = false;
    (void)connection;
    if (!metrics_pages_health(requests->pages, out, &serving))
        return false;
    answer->status = serving ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE;
    return true;
}

static bool requests_make_sources(struct metrics_requests *requests,
                                  struct MHD_Connection *connection, struct output *out,
                                  struct metrics_answer *answer)
{
    (void)connection;
    (void)answer;
    return metrics_pages_sources(requests->pages, out);
}

static void write_first(void *context, struct output *out)
{
    status_write_first(context, out);
}

/* The first events of a stream, for a viewer for whom event_stream.h has no room. */
static bool make_events(struct metrics_requests *requests, struct MHD_Connection *connection,
                        struct output *out, struct metrics_answer *answer)
{
    (void)connection;
    answer->type = "text/event-stream";
    return page_write(write_first, requests->status, out);
}

static void write_glossary(void *context, struct output *out)
{
    const struct metrics_requests *requests = context;
    if (requests->write_glossary != NULL)
        requests->write_glossary(requests->registry, out);
}

static bool make_glossary(struct metrics_requests *requests, struct MHD_Connection *connection,
                          struct output *out, struct metrics_answer *answer)
{
    (void)connection;
    (void)answer;
    return page_write(write_glossary, requests, out);
}

static const struct {
    const char *path;
    page_maker *make;
    bool limited; /* false: a short page, which is always answered, even if other clients leave
                     pages unread */
} made_pages[] = {
    {"/metrics", make_metrics, true},
    {"/healthz", make_health, false},
    {"/sources", requests_make_sources, true},
    {"/events/once", make_events, true},
    {"/glossary", make_glossary, true},
};

static const char not_found[] =
    "Not found; use / (the status page), /metrics, /healthz, /sources or /events.\n";

/* --- the status page -------------------------------------------------------------------------- */

static enum MHD_Result send_file(const struct metrics_requests *requests,
                                 struct MHD_Connection *connection, const struct page_file *file)
{
    bool gzip = metrics_accept_gzip(requests->http->lookup_connection_value(
        connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT_ENCODING));
    size_t size = gzip ? *file->gzip_size : *file->plain_size;
    void *body = (void *)(uintptr_t)(gzip ? file->gzip : file->plain); /* not written to */
    const struct metrics_answer answer = {.status = MHD_HTTP_OK,
                                          .type = file->type,
                                          .header = MHD_HTTP_HEADER_VARY,
                                          .value = MHD_HTTP_HEADER_ACCEPT_ENCODING,
                                          .encoding = gzip ? "gzip" : NULL,
                                          .response = requests->http->create_response_from_buffer(
                                              size, body, MHD_RESPMEM_PERSISTENT)};
    return metrics_answer_send(requests->http, connection, &answer);
}

static enum MHD_Result send_events(struct metrics_requests *requests,
                                   struct MHD_Connection *connection)
{
    struct output first;
    if (!event_stream_has_room(requests->events))
        return metrics_answer_text(requests->http, connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                                   "Too many viewers (8). Use /events/once, or try again later.\n", MHD_HTTP_HEADER_RETRY_AFTER, "5");
    if (!page_write(write_first, requests->status, &first))
        return metrics_answer_no_memory(requests->http, connection);
    const struct metrics_answer answer = {
        .status = MHD_HTTP_OK,
        .type = "text/event-stream",
        .response = event_stream_open(requests->events, connection, &first)};
    if (answer.response == NULL)
        return metrics_answer_no_memory(requests->http, connection);
    return metrics_answer_send(requests->http, connection, &answer);
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
 * Whether the request's Host is one of this server's names. It may be missing in HTTP/1.0, which
 * browsers do not use.
 */
static bool is_for_us(const struct hosts_asked *asked)
{
    return asked->allowed && asked->count <= 1;
}

/*
 * A request of HTTP/1.1 without a Host is answered by 400 (RFC 9112, 3.2). That includes a Host
 * followed by a folded line, because the library then mangles the header's name.
 */
static bool lacks_host(const struct hosts_asked *asked, const char *version)
{
    return asked->count == 0 && strcmp(version, MHD_HTTP_VERSION_1_0) != 0;
}

static enum MHD_Result send_misdirected(struct metrics_requests *requests,
                                        struct MHD_Connection *connection)
{
    int64_t now = clock_monotonic_ns();
    if (now >= requests->misnamed_pause_ns) {
        requests->misnamed_pause_ns = now + MISNAMED_PAUSE_NS;
        log_line(LOG_WARNING, "metrics: refused a request whose Host is neither an address nor "
                              "localhost; allow its name with --metrics-host");
    }
    return metrics_answer_text(
        requests->http, connection, MHD_HTTP_MISDIRECTED_REQUEST,
        "The Host of this request is neither an address nor localhost. Allow its name with "
        "sluice --metrics-host NAME.\n",
        NULL, NULL);
}

static enum MHD_Result send_made(struct metrics_requests *requests,
                                 struct MHD_Connection *connection, size_t index)
{
    struct metrics_answer answer = {.status = MHD_HTTP_OK, .type = "application/json"};
    struct output page;
    bool full = made_pages[index].limited && requests->unsent >= METRICS_PAGES;
    if (full || !made_pages[index].make(requests, connection, &page, &answer))
        return metrics_answer_no_memory(requests->http, connection);
    return metrics_answer_page(requests->http, connection, &answer, &page, &requests->unsent);
}

static enum MHD_Result send_path(struct metrics_requests *requests,
                                 struct MHD_Connection *connection, const char *path)
{
    for (size_t i = 0; i < sizeof made_pages / sizeof *made_pages; i++)
        if (strcmp(made_pages[i].path, path) == 0)
            return send_made(requests, connection, i);
    for (const struct page_file *file = page_files; file->path != NULL; file++)
        if (strcmp(file->path, path) == 0)
            return send_file(requests, connection, file);
    if (strcmp(path, "/events") == 0)
        return send_events(requests, connection);
    return metrics_answer_text(requests->http, connection, MHD_HTTP_NOT_FOUND, not_found, NULL,
                               NULL);
}

enum MHD_Result metrics_requests_answer(void *context, struct MHD_Connection *connection,
                                        const char *path, const char *method, const char *version,
                                        const char *body, size_t *body_size, void **state)
{
    struct metrics_requests *requests = context;
    struct hosts_asked asked = {.names = &requests->hosts, .allowed = true};
    (void)body;
    (void)body_size;
    (void)state;
    requests->http->get_connection_values(connection, MHD_HEADER_KIND, check_host, &asked);
    if (!is_for_us(&asked))
        return send_misdirected(requests, connection);
    if (lacks_host(&asked, version))
        return metrics_answer_text(requests->http, connection, MHD_HTTP_BAD_REQUEST,
                                   "A request of HTTP/1.1 must have one Host header.\n", NULL,
                                   NULL);
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return metrics_answer_text(requests->http, connection, MHD_HTTP_METHOD_NOT_ALLOWED,
                                   "Only GET and HEAD are supported.\n", MHD_HTTP_HEADER_ALLOW,
                                   "GET, HEAD");
    return send_path(requests, connection, path);
}
