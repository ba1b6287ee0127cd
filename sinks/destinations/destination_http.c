/*
 * An `http:` or `https:` sink sends each block of records as the body of a POST request, with
 * libcurl.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/contract/encoder.h"
#include "collector/contract/schema.h"
#include "collector/ledger/ledger.h"
#include "collector/log/log.h"
#include "collector/platform/machine.h"
#include "collector/text/secret_query.h"
#include "sinks/destinations/curl_library.h"
#include "sinks/destinations/destinations.h"
#include "sinks/destinations/http_body.h"
#include "sinks/destinations/http_client.h"
#include "sinks/destinations/http_headers.h"
#include "sinks/destinations/http_probe.h"
#include "sinks/destinations/http_tls.h"
#include "sinks/destinations/http_url.h"

/*
 * Memory of libcurl in bytes: in total once it is connected, and in addition for each connection.
 */
#define LIBRARY_MEMORY    ((size_t)3 * 1024 * 1024)
#define CONNECTION_MEMORY ((size_t)192 * 1024)

struct http {
    struct destination destination;
    struct destination_options options;
    const struct curl_library *library;
    struct http_urls urls;
    struct http_body_maker *maker;
    struct http_client *client;
    uint8_t secret[16]; /* key of the record fingerprints in http_lessons.h */
    struct log_limit partial_log;
};

static struct http *http_of(struct destination *destination)
{
    return (struct http *)destination;
}

/* --- the sink's thread ------------------------------------------------------------------------ */

static bool http_send_block(struct destination *destination, struct delivery_block *block,
                            struct error *error)
{
    (void)error;
    return http_client_send(http_of(destination)->client, block);
}

/*
 * Counts and logs a request that was accepted in part. It counts as written and is not sent again.
 */
static void note_partial(struct http *http, const struct http_result *result)
{
    uint64_t suppressed;
    counter_add(&http->options.counters->points_rejected, result->points_rejected);
    if (result->points_rejected == 0 && result->warning[0] == '\0')
        return;
    if (log_allowed(&http->partial_log, &suppressed))
        log_about(LOG_WARNING, LOG_OF_SINK, http->options.name,
                  "the server accepted a request without %" PRIu64 " of its data points%s%s",
                  result->points_rejected, result->warning[0] == '\0' ? "" : ": ", result->warning);
}

static struct delivery_block *http_answer(struct destination *destination, struct error *error,
                                          int64_t *retry_after_ns)
{
    struct http *http = http_of(destination);
    struct http_result result;
    if (!http_client_answer(http->client, &result))
        return NULL;
    note_partial(http, &result);
    *error = result.error;
    *retry_after_ns = result.retry_after_ns;
    return result.block;
}

static int make_headers(const struct destination_options *options,
                        const struct curl_library *library, struct http_headers **headers,
                        struct error *error)
{
    return http_headers_make(library, options->settings->encoder,
                             options->settings->file.compression, &options->settings->http, headers,
                             error);
}

static int http_reopen(struct destination *destination, struct error *error)
{
    struct http *http = http_of(destination);
    struct http_headers *headers;
    if (make_headers(&http->options, http->library, &headers, error) != 0)
        return -1;
    http_client_set_headers(http->client, headers);
    return 0;
}

/* Writes the record's key for http_lessons.h. Writes none until the server has refused a record. */
static size_t http_key(struct destination *destination, const struct listener *listener,
                       const struct record *record, uint8_t *key)
{
    const struct http *http = http_of(destination);
    (void)listener;
    return http_client_has_lessons(http->client) ? http_lessons_key(http->secret, record, key) : 0;
}

static void http_abandon(struct destination *destination)
{
    http_client_abandon(http_of(destination)->client);
}

static const struct delivery_ops delivery_ops = {
    .send = http_send_block,
    .answer = http_answer,
    .key = http_key,
    .reopen = http_reopen,
    .abandon = http_abandon,
};

#define METRICS_ROUTE "/v1/metrics"

/*
 * OTLP messages are posted to the path of their signal (metrics, logs, traces), other samples to
 * that of metrics.
 */
static bool otlp_route(struct destination *destination, const struct listener *listener,
                       const struct record *record, char *route)
{
    (void)destination;
    (void)listener;
    const struct schema_ops *schema = record->schema->ops;
    strcpy(route, schema->is_otlp ? schema->otlp_path : METRICS_ROUTE);
    return true;
}

static const struct delivery_ops otlp_ops = {
    .send = http_send_block,
    .answer = http_answer,
    .route = otlp_route,
    .key = http_key,
    .reopen = http_reopen,
    .abandon = http_abandon,
};

/* --- making a destination --------------------------------------------------------------------- */

static bool is_otlp(const struct destination_options *options)
{
    return strcmp(options->settings->encoder->name, "otlp") == 0;
}

static void http_destroy(struct destination *destination)
{
    struct http *http = http_of(destination);
    http_client_destroy(http->client);
    http_body_maker_destroy(http->maker);
    http_urls_free(&http->urls);
    free(http);
}

static bool is_loopback(const char *place)
{
    const char *host = place + strspn(place, "/");
    const size_t length = strcspn(host, *host == '[' ? "]" : ":/?#");
    static const char name[] = "localhost";
    const size_t named = sizeof name - 1;
    if (strncmp(host, "[::1", length) == 0 && length == 4)
        return true;
    if (length >= named && strncmp(host + length - named, name, named) == 0 &&
        (length == named || host[length - named - 1] == '.'))
        return true;
    return strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == length;
}

static bool has_secret(const struct destination_options *options,
                       const struct http_headers *headers)
{
    const char *query = options->settings->http.query;
    return http_headers_have_secret(headers) ||
           (query != NULL && secret_query_has(query, strlen(query)));
}

/*
 * Refuses to send a secret unencrypted, or, with insecure=yes, logs a warning. Returns 0, or -1
 * with `error` filled.
 */
static int check_plain(const struct destination_options *options,
                       const struct http_headers *headers, struct error *error)
{
    if (is_loopback(options->path) || !has_secret(options, headers))
        return 0;
    if (!options->settings->http.insecure) {
        error_set(error, EXIT_CODE_CONFIG,
                  "%s: a password or token would be sent without encryption; use https:, or set "
                  "insecure=yes if everyone on the way may read it",
                  options->name);
        return -1;
    }
    log_about(LOG_WARNING, LOG_OF_SINK, options->name,
              "a password or token is sent without encryption; use https:");
    return 0;
}

/*
 * Checks everything except the connection. Fills http->library, http->urls and *headers. The caller
 * frees the URLs and headers, even if this call fails.
 */
static int http_prepare(struct http *http, const struct destination_options *options,
                        struct http_headers **headers, struct error *error)
{
    *headers = NULL;
    http->library = curl_library(error);
    if (http->library == NULL)
        return -1;
    if (http->library->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        error_set(error, EXIT_CODE_CONFIG, "%s: cannot initialise libcurl", options->scheme);
        return -1;
    }
    bool https = strcmp(options->scheme, "https") == 0;
    if (http_urls_make(options->scheme, options->path, options->settings->http.query,
                       is_otlp(options), &http->urls, error) != 0 ||
        http_tls_check(http->library, &options->settings->tls, https, error) != 0 ||
        make_headers(options, http->library, headers, error) != 0)
        return -1;
    return https ? 0 : check_plain(options, *headers, error);
}

static int http_fill(struct http *http, const struct destination_options *options,
                     struct error *error)
{
    struct http_headers *headers;
    if (http_prepare(http, options, &headers, error) != 0) {
        http_headers_free(headers);
        return -1;
    }
    http->maker = http_body_maker_create(options->settings->encoder,
                                         options->settings->file.compression, options->block_size);
    if (http->maker == NULL) {
        http_headers_free(headers);
        return error_no_memory(error);
    }
    const struct http_client_options to = {
        .library = http->library,
        .format = options->settings->encoder->name,
        .two_shapes = options->settings->encoder->request != NULL &&
                      options->settings->encoder->request->shape_count == 2,
        .only_second = options->settings->encoding.native == NATIVE_ALL,
        .repeats = delivery_repeats(options->settings->delivery.retry,
                                    options->settings->delivery.spill != NULL,
                                    options->settings->encoder->overwrites),
        .urls = &http->urls,
        .maker = http->maker,
        .request = {.tls = options->settings->tls,
                    .timeout_ms = (int64_t)options->settings->delivery.timeout / 3 / 1000000},
        .in_flight = options->settings->delivery.in_flight,
        .wakeup = options->wakeup,
    };
    if (http_client_create(&to, headers, &http->client, error) != 0)
        return -1;
    http->destination.figures = http_client_figures(http->client);
    http->destination.has_figures = HTTP_FIGURES;
    return 0;
}

static int http_create(const struct destination_options *options, struct destination **out,
                       struct error *error)
{
    struct http *made = calloc(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error);
    made->destination.delivery = is_otlp(options) ? &otlp_ops : &delivery_ops;
    made->destination.destroy = http_destroy;
    made->options = *options;
    if (random_bytes(made->secret, sizeof made->secret, error) != 0 ||
        http_fill(made, options, error) != 0) {
        http_destroy(&made->destination);
        return -1;
    }
    *out = &made->destination;
    return 0;
}

static void http_probe(const struct destination_options *options, int64_t timeout_ns,
                       struct error *said)
{
    struct http tried = {.library = NULL};
    struct http_headers *headers;
    if (http_prepare(&tried, options, &headers, said) == 0)
        http_probe_run(tried.library, options, http_urls_find(&tried.urls, METRICS_ROUTE), headers,
                       timeout_ns, said);
    http_headers_free(headers);
    http_urls_free(&tried.urls);
}

static int http_check(const struct destination_options *options, struct error *error)
{
    struct http tried = {.library = NULL};
    struct http_headers *headers;
    int result = http_prepare(&tried, options, &headers, error);
    http_headers_free(headers);
    http_urls_free(&tried.urls);
    return result;
}

static bool http_shape(const struct destination_options *options, struct destination_shape *shape)
{
    *shape = (struct destination_shape){
        .memory = sizeof(struct http) + LIBRARY_MEMORY +
                  http_client_memory(options->settings->delivery.in_flight) +
                  options->settings->delivery.in_flight * CONNECTION_MEMORY +
                  http_body_memory(options->settings->encoder, options->settings->file.compression,
                                   options->block_size, options->settings->delivery.in_flight),
    };
    return true;
}

const struct destination_ops destination_http = {
    DESTINATION_http,    .library = curl_library_version, .shape = http_shape, .check = http_check,
    .probe = http_probe, .create = http_create,
};

const struct destination_ops destination_https = {
    DESTINATION_https,   .spilled_for = "http", .shape = http_shape,
    .check = http_check, .probe = http_probe,   .create = http_create,
};
