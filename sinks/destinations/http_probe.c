#include "sinks/destinations/http_probe.h"

#include <limits.h>

#include "sinks/destinations/http_request.h"

/* Bytes of the request's block, which contains no records. */
#define BLOCK_SIZE 4096

static const char login[] = "it does not permit us to write; check token_file=, password_file=, "
                            "header_file= or client_cert=";
static const char path[] = "it does not accept records at this path";
static const char later[] = "it does not accept records now";

/* Ranges of statuses, and the advice for each. */
static const struct {
    long first, last;
    enum exit_code code;
    const char *advice;
} refusals[] = {
    {300, 399, EXIT_CODE_CONFIG,
     "redirects are not followed; write the address that it redirects to"},
    {401, 401, EXIT_CODE_CONFIG, login},
    {403, 403, EXIT_CODE_CONFIG, login},
    {404, 405, EXIT_CODE_CONFIG, path},
    {408, 408, EXIT_CODE_NOT_REACHED, later},
    {410, 410, EXIT_CODE_CONFIG, path},
    {415, 415, EXIT_CODE_CONFIG, "it does not accept this format="},
    {429, 429, EXIT_CODE_NOT_REACHED, later},
    {500, 599, EXIT_CODE_NOT_REACHED, later},
    {600, LONG_MAX, EXIT_CODE_CONFIG,
     "this is not a status of HTTP (100 to 599); records would be refused"},
};

void http_probe_classify(long status, const char *answer, struct error *said)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        if (status < refusals[i].first || status > refusals[i].last)
            continue;
        error_set(said, refusals[i].code, "%s: %s", answer, refusals[i].advice);
        return;
    }
    if (status >= 200 && status < 300)
        error_set(said, EXIT_CODE_OK, "reached; it accepted a request without records (%ld)",
                  status);
    else
        error_set(said, EXIT_CODE_OK,
                  "reached; for a request without records %s; others may be accepted", answer);
}

static bool is_setting(CURLcode result)
{
    switch (result) {
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
        return true;
    default:
        return false;
    }
}

static void probe_classify(CURLcode result, const struct http_reply *reply, struct error *said)
{
    if (reply->status != 0)
        http_probe_classify(reply->status, reply->text, said);
    else
        error_set(said, is_setting(result) ? EXIT_CODE_CONFIG : EXIT_CODE_NOT_REACHED, "%s",
                  reply->text);
}

void http_probe_run(const struct curl_library *library, const struct destination_options *options,
                    const char *url, const struct http_headers *headers, int64_t timeout_ns,
                    struct error *said)
{
    const struct http_request_options to = {.tls = options->settings->tls,
                                            .timeout_ms = timeout_ns / 1000000};
    struct http_body_maker *maker = http_body_maker_create(
        options->settings->encoder, options->settings->file.compression, BLOCK_SIZE);
    struct http_body body = {0};
    struct http_request request = {.easy = NULL};
    struct http_reply reply;
    bool second = options->settings->encoding.native == NATIVE_ALL;
    if (maker == NULL || !http_body_init(&body, maker) ||
        !http_body_make_empty(maker, &body, second) || !http_request_make(&request, library, &to) ||
        !http_request_begin(&request, url, headers->lists[second], &body)) {
        error_no_memory(said);
    } else {
        CURLcode code = library->easy_perform(request.easy);
        http_request_end(&request, code, &reply);
        if (second)
            http_reply_require_proof(&reply);
        probe_classify(code, &reply, said);
    }
    http_request_free(&request);
    http_body_free(&body);
    http_body_maker_destroy(maker);
}
