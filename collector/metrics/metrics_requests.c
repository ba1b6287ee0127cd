#include "collector/metrics/metrics_requests.h"

#include <stdlib.h>
#include <string.h>

#include "collector/log/log.h"
#include "collector/metrics/metrics_accept.h"
#include "collector/metrics/metrics_page.h"
#include "collector/metrics/metrics_server.h"
#include "collector/metrics/page_writing.h"
#include "collector/platform/clock.h"
#include "collector/status/page_files.h"

/* Nanoseconds between two log lines about a refused Host. */
#define MISNAMED_PAUSE_NS INT64_C(60000000000)

/* --- pages ------------------------------------------------------------------------------------ */

/* Makes the page and sets its type. Returns false if memory is short. */
typedef bool page_maker(struct metrics_requests *requests, const struct http_request *request,
                        struct output *out, struct http_answer *answer);

static bool make_metrics(struct metrics_requests *requests, const struct http_request *request,
                         struct output *out, struct http_answer *answer)
{
    enum metrics_format format =
        metrics_accept_openmetrics(request->accept) ? METRICS_OPENMETRICS : METRICS_PROMETHEUS;
    answer->type = metrics_page_types[format];
    answer->header = "Vary";
    answer->value = "Accept";
    return metrics_pages_metrics(requests->pages, format, out);
}

#define SHORT_HEALTH(ID, NAME, ...) [HEALTH_##ID] = "{\"status\":\"" #NAME "\"}\n",
static const char *const short_healths[] = {HEALTH_STATUSES(SHORT_HEALTH)};

static bool make_health(struct metrics_requests *requests, const struct http_request *request,
                        struct output *out, struct http_answer *answer)
{
    enum health_status status;
    (void)request;
    if (!metrics_pages_health(requests->pages, out, &status))
        return false;
    answer->status = health_status_serves(status) ? 200 : 503;
    return true;
}

/* Answers /healthz without a token. It has only the status, because probes need no more. */
static bool make_short_health(struct metrics_requests *requests, struct http_answer *answer)
{
    enum health_status status;
    struct output whole;
    if (!metrics_pages_health(requests->pages, &whole, &status))
        return false;
    free(whole.data);
    *answer = (struct http_answer){.status = health_status_serves(status) ? 200 : 503,
                                   .type = "application/json",
                                   .bytes = short_healths[status],
                                   .size = strlen(short_healths[status])};
    return true;
}

static bool requests_make_sources(struct metrics_requests *requests,
                                  const struct http_request *request, struct output *out,
                                  struct http_answer *answer)
{
    (void)request;
    (void)answer;
    return metrics_pages_sources(requests->pages, out);
}

static void write_first(void *context, struct output *out)
{
    status_write_first(context, out);
}

/* Answers /events/once: the first events, for viewers for whom the event stream has no room. */
static bool make_events(struct metrics_requests *requests, const struct http_request *request,
                        struct output *out, struct http_answer *answer)
{
    (void)request;
    answer->type = "text/event-stream";
    return page_write(write_first, requests->status, out);
}

static void write_glossary(void *context, struct output *out)
{
    const struct metrics_requests *requests = context;
    if (requests->write_glossary != NULL)
        requests->write_glossary(requests->registry, out);
}

static bool make_glossary(struct metrics_requests *requests, const struct http_request *request,
                          struct output *out, struct http_answer *answer)
{
    (void)request;
    (void)answer;
    return page_write(write_glossary, requests, out);
}

static const struct {
    const char *path;
    page_maker *make;
    bool limited; /* few may be unsent at a time; false means a short page */
} made_pages[] = {
    {"/metrics", make_metrics, true},          {"/healthz", make_health, false},
    {"/sources", requests_make_sources, true}, {"/events/once", make_events, true},
    {"/glossary", make_glossary, true},
};

#define MADE_PAGES (sizeof made_pages / sizeof *made_pages)

static const char not_found[] =
    "Not found; use / (the status page), /metrics, /healthz, /sources or /events.\n";

/* Returns the index in made_pages, or the number of its rows if the path is another one. */
static size_t find_made(const char *path)
{
    size_t i = 0;
    while (i < MADE_PAGES && strcmp(made_pages[i].path, path) != 0)
        i++;
    return i;
}

bool metrics_requests_is_limited(const struct http_request *request)
{
    size_t index = find_made(request->path);
    return index < MADE_PAGES && made_pages[index].limited;
}

static void send_made(struct metrics_requests *requests, const struct http_request *request,
                      size_t index, struct http_answer *answer)
{
    struct output text;
    *answer = (struct http_answer){.status = 200, .type = "application/json"};
    if (!made_pages[index].make(requests, request, &text, answer)) {
        *answer = http_answer_no_memory();
        return;
    }
    answer->bytes = text.data;
    answer->size = text.used;
    answer->done = free;
    answer->context = text.data;
}

/* --- the status page -------------------------------------------------------------------------- */

static void send_file(const struct http_request *request, const struct page_file *file,
                      struct http_answer *answer)
{
    bool gzip = metrics_accept_gzip(request->accept_encoding);
    *answer = (struct http_answer){.status = 200,
                                   .type = file->type,
                                   .header = "Vary",
                                   .value = "Accept-Encoding",
                                   .encoding = gzip ? "gzip" : NULL,
                                   .bytes = (const char *)(gzip ? file->gzip : file->plain),
                                   .size = gzip ? *file->gzip_size : *file->plain_size};
}

static void send_events(struct metrics_requests *requests, const struct http_request *request,
                        struct http_answer *answer)
{
    struct output first;
    bool full = !event_stream_has_room(requests->events);
    *answer = (struct http_answer){.status = 200, .type = "text/event-stream"};
    if (full) {
        *answer =
            http_answer_text(503, "Too many viewers (8). Use /events/once, or try again later.\n");
        answer->header = "Retry-After";
        answer->value = "5";
    } else if (request->method == HTTP_GET &&
               (!page_write(write_first, requests->status, &first) ||
                !event_stream_open(requests->events, &first, answer))) {
        *answer = http_answer_no_memory();
    }
}

/* --- requests --------------------------------------------------------------------------------- */

static void send_misdirected(struct metrics_requests *requests, struct http_answer *answer)
{
    int64_t now = clock_monotonic_ns();
    if (now >= requests->misnamed_pause_ns) {
        requests->misnamed_pause_ns = now + MISNAMED_PAUSE_NS;
        log_line(LOG_WARNING, "metrics: refused a request whose Host is neither an address nor "
                              "localhost; allow its name with --metrics-host");
    }
    *answer = http_answer_text(
        421, "The Host of this request is neither an address nor localhost. Allow its name with "
             "sluice --metrics-host NAME.\n");
}

/*
 * Offers both schemes: with Basic, a browser asks its user for a password, and sends it with each
 * request of the page.
 */
static const char challenges[] = "Basic realm=\"sluice\", charset=\"UTF-8\"\r\n"
                                 "WWW-Authenticate: Bearer realm=\"sluice\"";

static void send_unauthorized(struct metrics_requests *requests, const struct http_request *request,
                              enum metrics_admission admission, struct http_answer *answer)
{
    if (admission == METRICS_NO_TOKEN && strcmp(request->path, "/healthz") == 0) {
        if (!make_short_health(requests, answer))
            *answer = http_answer_no_memory();
        return;
    }
    if (admission == METRICS_TOO_MANY_TRIES) {
        *answer = http_answer_text(429, "Too many wrong tokens; try again in a minute.\n");
        answer->header = "Retry-After";
        answer->value = "60";
        return;
    }
    *answer = http_answer_text(401, "This needs the token of --metrics-token-file, as a bearer "
                                    "token or as the password of any user.\n");
    answer->header = "WWW-Authenticate";
    answer->value = challenges;
}

static void send_path(struct metrics_requests *requests, const struct http_request *request,
                      struct http_answer *answer)
{
    size_t index = find_made(request->path);
    if (index < MADE_PAGES) {
        send_made(requests, request, index, answer);
        return;
    }
    for (const struct page_file *file = page_files; file->path != NULL; file++) {
        if (strcmp(file->path, request->path) == 0) {
            send_file(request, file, answer);
            return;
        }
    }
    if (strcmp(request->path, "/events") == 0)
        send_events(requests, request, answer);
    else
        *answer = http_answer_text(404, not_found);
}

/*
 * The request's Host must be one of this server's names. HTTP/1.0, which browsers do not use, needs
 * no Host; HTTP/1.1 does (RFC 9112, 3.2).
 */
void metrics_requests_answer(void *context, const struct http_request *request,
                             struct http_answer *answer)
{
    struct metrics_requests *requests = context;
    enum metrics_admission admission = METRICS_ADMITTED;
    if (request->hosts > 1 || (request->hosts == 1 && !requests->any_host &&
                               !host_names_allow(&requests->hosts, request->host))) {
        send_misdirected(requests, answer);
    } else if (request->hosts == 0 && !request->old) {
        *answer = http_answer_text(400, "A request of HTTP/1.1 must have one Host header.\n");
    } else if (request->method == HTTP_OTHER) {
        *answer = http_answer_text(405, "Only GET and HEAD are supported.\n");
        answer->header = "Allow";
        answer->value = "GET, HEAD";
    } else if (requests->token != NULL &&
               (admission = metrics_token_check(requests->token, request->authorization,
                                                &request->network, clock_monotonic_ns())) !=
                   METRICS_ADMITTED) {
        send_unauthorized(requests, request, admission, answer);
    } else {
        send_path(requests, request, answer);
    }
}
