#include "sinks/destinations/http_request.h"

#include <string.h>

#include "sinks/destinations/http_answer.h"

#define SECOND INT64_C(1000000000)

/* The longest that a far end's wish to be left alone is followed. */
#define LONGEST_RETRY_AFTER_S 3600

/*
 * The body is read by this and not from memory, because libcurl cannot rewind it: on a connection
 * that ends without an answer it would otherwise send all of it again by itself, and nobody would
 * know that it may be there twice.
 */
static size_t read_body(char *to, size_t size, size_t count, void *context)
{
    struct http_request *request = context;
    size_t left = request->block->size - request->at;
    size_t taken = size * count < left ? size * count : left;
    memcpy(to, request->block->bytes + request->at, taken);
    request->at += taken;
    return taken;
}

static size_t keep_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct http_request *request = context;
    size_t room = sizeof request->answer - 1 - request->answer_size;
    size_t kept = size * count < room ? size * count : room;
    memcpy(request->answer + request->answer_size, bytes, kept);
    request->answer_size += kept;
    return size * count;
}

static bool set_options(struct http_request *request, const struct http_request_options *options)
{
    const struct curl_library *curl = request->library;
    CURL *easy = request->easy;
    if (options->ca != NULL && curl->easy_setopt(easy, CURLOPT_CAINFO, options->ca) != CURLE_OK)
        return false;
    return curl->easy_setopt(easy, CURLOPT_URL, options->url) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_POST, 1L) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_HTTPHEADER, options->headers) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_READFUNCTION, read_body) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_READDATA, request) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, keep_answer) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_WRITEDATA, request) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_ERRORBUFFER, request->why) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)options->timeout_ms) == CURLE_OK;
}

bool http_request_make(struct http_request *request, const struct curl_library *library,
                       const struct http_request_options *options)
{
    *request = (struct http_request){.library = library, .easy = library->easy_init()};
    if (request->easy != NULL && set_options(request, options))
        return true;
    http_request_free(request);
    return false;
}

void http_request_free(struct http_request *request)
{
    if (request->easy != NULL)
        request->library->easy_cleanup(request->easy);
    request->easy = NULL;
}

void http_request_begin(struct http_request *request, struct delivery_block *block)
{
    request->block = block;
    request->at = 0;
    request->answer_size = 0;
    request->why[0] = '\0';
    request->library->easy_setopt(request->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                                  (curl_off_t)block->size);
}

void http_request_cancel(struct http_request *request)
{
    request->block->per_record = false;
    request->block->fate = DELIVERY_NOT_SENT;
    request->retry_after_ns = 0;
    error_set(&request->error, EXIT_CODE_IO, "the request could not begin");
}

/* One line of the answer's body, or what libcurl says. */
static void explain(struct http_request *request, CURLcode result, long status)
{
    request->answer[request->answer_size] = '\0';
    request->answer[strcspn(request->answer, "\r\n")] = '\0';
    if (status != 0)
        error_set(&request->error, EXIT_CODE_IO, "the server answered %ld%s%s", status,
                  request->answer[0] == '\0' ? "" : ": ", request->answer);
    else if (result == CURLE_OK)
        error_set(&request->error, EXIT_CODE_IO, "the stop came before an answer");
    else
        error_set(&request->error, EXIT_CODE_IO, "%s",
                  request->why[0] != '\0' ? request->why : request->library->easy_strerror(result));
}

void http_request_end(struct http_request *request, CURLcode result)
{
    const struct curl_library *curl = request->library;
    long status = 0;
    curl_off_t retry_after = 0;
    curl->easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &status);
    curl->easy_getinfo(request->easy, CURLINFO_RETRY_AFTER, &retry_after);
    if (status < 200) /* on the way to an answer */
        status = 0;
    struct http_fate fate = http_fate_of(status, request->at != 0);
    request->block->per_record = false;
    request->block->fate = (uint8_t)fate.fate;
    request->block->reason = (uint8_t)fate.reason;
    if (retry_after > LONGEST_RETRY_AFTER_S)
        retry_after = LONGEST_RETRY_AFTER_S;
    request->retry_after_ns =
        fate.fate == DELIVERY_NOT_SENT && retry_after > 0 ? (int64_t)retry_after * SECOND : 0;
    explain(request, result, status);
}
