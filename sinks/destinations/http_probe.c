#include "sinks/destinations/http_probe.h"

#include <stdio.h>

#include "collector/contract/destination.h"
#include "sinks/destinations/http_body.h"

/* Bytes of a block that no record is in. */
#define BLOCK_SIZE 4096

static int refused(struct error *error, enum exit_code code, const char *said, const char *advice)
{
    error_set(error, code, "%s: %s", said, advice);
    return -1;
}

int http_probe_judge(long status, const char *said, char *reached, struct error *error)
{
    if (status >= 200 && status < 300) {
        snprintf(reached, DESTINATION_REACHED_SIZE,
                 "reached; it took a request without records (%ld)", status);
        return 0;
    }
    if (status >= 300 && status < 400)
        return refused(error, EXIT_CODE_CONFIG, said,
                       "redirects are not followed; write the address that this one leads to");
    if (status >= 500 || status == 408 || status == 429)
        return refused(error, EXIT_CODE_NOT_REACHED, said, "it takes nothing now");
    switch (status) {
    case 401:
    case 403:
        return refused(error, EXIT_CODE_CONFIG, said,
                       "it does not let us write; who we are stands in token_file=, "
                       "password_file=, header_file= or client_cert=");
    case 404:
    case 405:
    case 410:
        return refused(error, EXIT_CODE_CONFIG, said, "nothing takes records at this path");
    case 415:
        return refused(error, EXIT_CODE_CONFIG, said, "it does not take this format=");
    default:
        break;
    }
    snprintf(reached, DESTINATION_REACHED_SIZE,
             "reached; of a request without records %s, which says nothing about others", said);
    return 0;
}

/* What is wrong with how we go there, and not with the server or the way. */
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

static int probe_classify(CURLcode result, const struct http_reply *reply, char *reached,
                          struct error *error)
{
    if (reply->status != 0)
        return http_probe_judge(reply->status, reply->text, reached, error);
    if (result == CURLE_PEER_FAILED_VERIFICATION)
        return refused(error, EXIT_CODE_CONFIG, reply->text,
                       "server_ca= says whose certificates are right");
    error_set(error, is_setting(result) ? EXIT_CODE_CONFIG : EXIT_CODE_NOT_REACHED, "%s",
              reply->text);
    return -1;
}

static int exchange(const struct http_probe *probe, const struct http_body *body, char *reached,
                    struct error *error)
{
    struct http_request request;
    struct http_reply reply;
    if (!http_request_make(&request, probe->library, &probe->request))
        return error_no_memory(error);
    int result = -1;
    if (http_request_begin(&request, probe->url, probe->headers->lists[0], body)) {
        CURLcode code = probe->library->easy_perform(request.easy);
        http_request_end(&request, code, &reply);
        result = probe_classify(code, &reply, reached, error);
    } else {
        error_no_memory(error);
    }
    http_request_free(&request);
    return result;
}

int http_probe_run(const struct http_probe *probe, char *reached, struct error *error)
{
    struct http_body_maker *maker =
        http_body_maker_create(probe->encoder, probe->compression, BLOCK_SIZE);
    struct http_body body = {0};
    int result;
    if (maker == NULL || !http_body_init(&body, maker) || !http_body_make_empty(maker, &body))
        result = error_no_memory(error);
    else
        result = exchange(probe, &body, reached, error);
    http_body_free(&body);
    http_body_maker_destroy(maker);
    return result;
}
