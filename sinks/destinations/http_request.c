#include "sinks/destinations/http_request.h"

#include <stdio.h>
#include <string.h>

#include "collector/base/parse_error.h"

#define SECOND INT64_C(1000000000)

/* The longest that a far end's wish to be left alone is followed. */
#define LONGEST_RETRY_AFTER_S 3600

/* Bytes of an answer's body that are shown to people. */
#define ANSWER_SHOWN 160

/*
 * The body is read by this and not from memory, because libcurl cannot rewind it: on a connection
 * that ends without an answer it would otherwise send all of it again by itself, and nobody would
 * know that it may be there twice.
 */
static size_t read_body(char *to, size_t size, size_t count, void *context)
{
    struct http_request *request = context;
    const struct text *piece = request->body->pieces;
    size_t at = request->at;
    if (at >= piece->size && piece != request->body->pieces + HTTP_BODY_PIECES - 1)
        at -= piece++->size;
    size_t left = piece->size - at;
    size_t taken = size * count < left ? size * count : left;
    if (taken != 0)
        memcpy(to, piece->data + at, taken);
    request->at += taken;
    return taken;
}

/* Reads no more of what has no end: the connection is closed, and the status counts. */
static size_t keep_answer(char *bytes, size_t size, size_t count, void *context)
{
    struct http_request *request = context;
    size_t room = sizeof request->answer - request->answer_size;
    size_t kept = size * count < room ? size * count : room;
    memcpy(request->answer + request->answer_size, bytes, kept);
    request->answer_size += kept;
    request->answer_seen += size * count;
    return request->answer_seen > HTTP_ANSWER_MOST ? 0 : size * count;
}

/* A header is `text` with other letters, perhaps, and a colon. */
static bool is_called(const char *header, size_t size, const char *text)
{
    size_t length = strlen(text);
    if (size <= length || header[length] != ':')
        return false;
    for (size_t i = 0; i < length; i++)
        if ((header[i] | 0x20) != (text[i] | 0x20))
            return false;
    return true;
}

static size_t note_header(char *header, size_t size, size_t count, void *context)
{
    struct http_request *request = context;
    if (is_called(header, size * count, "X-Prometheus-Remote-Write-Samples-Written"))
        request->proof = true;
    return size * count;
}

static bool set_file(struct http_request *request, CURLoption option, const char *path)
{
    return path == NULL || request->library->easy_setopt(request->easy, option, path) == CURLE_OK;
}

static bool set_options(struct http_request *request, const struct http_request_options *options)
{
    const struct curl_library *curl = request->library;
    CURL *easy = request->easy;
    return set_file(request, CURLOPT_CAINFO, options->tls.ca) &&
           set_file(request, CURLOPT_SSLCERT, options->tls.cert) &&
           set_file(request, CURLOPT_SSLKEY, options->tls.key) &&
           curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_POST, 1L) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_READFUNCTION, read_body) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_READDATA, request) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, keep_answer) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_WRITEDATA, request) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, note_header) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_HEADERDATA, request) == CURLE_OK &&
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

bool http_request_begin(struct http_request *request, const char *url, struct curl_slist *headers,
                        const struct http_body *body)
{
    const struct curl_library *curl = request->library;
    request->body = body;
    request->at = 0;
    request->answer_size = request->answer_seen = 0;
    request->why[0] = '\0';
    request->proof = false;
    return curl->easy_setopt(request->easy, CURLOPT_URL, url) == CURLE_OK &&
           curl->easy_setopt(request->easy, CURLOPT_HTTPHEADER, headers) == CURLE_OK &&
           curl->easy_setopt(request->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                             (curl_off_t)http_body_size(body)) == CURLE_OK;
}

/* One line of the answer's body, or what libcurl says. */
static void explain(struct http_request *request, CURLcode result, long status)
{
    char line[ANSWER_SHOWN];
    const char *end = memchr(request->answer, '\n', request->answer_size);
    copy_printable(line, sizeof line, request->answer,
                   end != NULL ? (size_t)(end - request->answer) : request->answer_size);
    if (status != 0)
        snprintf(request->text, sizeof request->text, "the server answered %ld%s%s", status,
                 line[0] == '\0' ? "" : ": ", line);
    else if (result == CURLE_OK)
        snprintf(request->text, sizeof request->text, "the stop came before an answer");
    else
        snprintf(request->text, sizeof request->text, "%s",
                 request->why[0] != '\0' ? request->why : request->library->easy_strerror(result));
}

void http_request_end(struct http_request *request, CURLcode result, struct http_reply *reply)
{
    const struct curl_library *curl = request->library;
    long status = 0;
    curl_off_t retry_after = 0, took_us = 0;
    long connects = 0;
    curl->easy_getinfo(request->easy, CURLINFO_RESPONSE_CODE, &status);
    curl->easy_getinfo(request->easy, CURLINFO_RETRY_AFTER, &retry_after);
    curl->easy_getinfo(request->easy, CURLINFO_NUM_CONNECTS, &connects);
    curl->easy_getinfo(request->easy, CURLINFO_TOTAL_TIME_T, &took_us);
    if (status < 200) /* on the way to an answer */
        status = 0;
    if (retry_after < 0)
        retry_after = 0;
    if (retry_after > LONGEST_RETRY_AFTER_S)
        retry_after = LONGEST_RETRY_AFTER_S;
    explain(request, result, status);
    *reply = (struct http_reply){.status = status,
                                 .sent = request->at != 0,
                                 .proof = request->proof,
                                 .retry_after_ns = (int64_t)retry_after * SECOND,
                                 .connects = (uint64_t)connects,
                                 .took_ns = (int64_t)took_us * 1000,
                                 .text = request->text};
}

bool http_request_answer(const struct http_request *request, struct text *answer)
{
    *answer = (struct text){request->answer, request->answer_size};
    return request->answer_seen == request->answer_size;
}
