#include "sinks/destinations/http_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/base/rule.h"
#include "sinks/destinations/certificate_advice.h"
#include "sinks/destinations/http_answer.h"
#include "sinks/destinations/http_tls.h"

#define SECOND INT64_C(1000000000)

/* The longest Retry-After that is obeyed, in seconds. */
#define LONGEST_RETRY_AFTER_S 3600

/* The number of bytes of an answer's body that an error contains. */
#define ANSWER_SHOWN 160

/*
 * libcurl reads the body through this function, and not as a block of memory, so that it cannot
 * rewind the body. Otherwise libcurl would send the body again by itself if a connection ended
 * without an answer, and duplicates would not be counted.
 */
static size_t request_read_body(char *to, size_t size, size_t count, void *context)
{
    struct http_request *request = context;
    const struct text *piece = request->body->pieces;
    size_t at = request->at;
    if (at == 0)
        request->refused = false; /* a new attempt begins; the refusal was for an earlier one */
    if (at >= piece->size && piece != request->body->pieces + HTTP_BODY_PIECES - 1)
        at -= piece++->size;
    size_t left = piece->size - at;
    size_t taken = size * count < left ? size * count : left;
    if (taken != 0)
        memcpy(to, piece->data + at, taken);
    request->at += taken;
    RULE(request->at <= http_body_size(request->body), "no more is sent than the body has");
    return taken;
}

/*
 * Prevents libcurl from sending the request again on another connection: only the sink resends. A
 * rewind to the beginning must succeed if no byte was read: after a failed rewind libcurl 8 rewinds
 * at the start of the handle's next request, and would fail all later requests of the handle.
 */
static int rewind_body(void *context, curl_off_t offset, int origin)
{
    const struct http_request *request = context;
    return request->at == 0 && offset == 0 && origin == SEEK_SET ? CURL_SEEKFUNC_OK
                                                                 : CURL_SEEKFUNC_FAIL;
}

/* Returns 0 if there is no number after `word`. */
static unsigned long number_after(const char *words, const char *word)
{
    const char *at = strstr(words, word);
    return at == NULL ? 0 : strtoul(at + strlen(word), NULL, 10);
}

/*
 * Reads what libcurl reports only in log messages: that a server refused a stream, or closed the
 * connection without processing it (RFC 9113, section 8.7). If a version of libcurl has other
 * messages, the request counts as possibly processed.
 */
static int note_words(CURL *easy, curl_infotype type, char *bytes, size_t size, void *context)
{
    static const char last[] = "last_stream=";
    struct http_request *request = context;
    char words[128];
    (void)easy;
    if (type != CURLINFO_TEXT)
        return 0;
    snprintf(words, sizeof words, "%.*s", (int)(size < sizeof words ? size : sizeof words), bytes);
    unsigned long stream = number_after(words, "Using Stream ID: ");
    if (stream == 0 && strstr(words, "] OPENED stream") != NULL)
        stream = number_after(words, "[HTTP/2] [");
    if (stream != 0)
        request->stream = stream;
    if (strstr(words, "REFUSED_STREAM") != NULL)
        request->refused = true;
    if (request->goaways != NULL && strstr(words, "GOAWAY") != NULL && strstr(words, last) != NULL)
        *request->goaways =
            (struct http_goaways){request->goaways->count + 1, number_after(words, last)};
    return 0;
}

/* Aborts the request after HTTP_ANSWER_MOST bytes, which closes the connection. */
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

static bool request_is_header(const char *header, size_t size, const char *text)
{
    size_t length = strlen(text);
    if (size <= length || header[length] != ':')
        return false;
    for (size_t i = 0; i < length; i++)
        if ((header[i] | 0x20) != (text[i] | 0x20))
            return false;
    return true;
}

/*
 * Reads a line of an answer's head, which begins with a status and ends with an empty line. Interim
 * answers have heads, too.
 */
static void note_head_line(struct http_request *request, const char *line, size_t size)
{
    static const char status[] = "HTTP/";
    if (size >= sizeof status - 1 && memcmp(line, status, sizeof status - 1) == 0)
        request->head_ended = request->proof = false;
    else if (size == 0 || line[0] == '\r' || line[0] == '\n')
        request->head_ended = true;
    else if (request_is_header(line, size, "X-Prometheus-Remote-Write-Samples-Written"))
        request->proof = true;
}

/* Aborts the request after HTTP_HEAD_MOST bytes of headers: then it has no answer. */
static size_t note_header(char *header, size_t size, size_t count, void *context)
{
    struct http_request *request = context;
    request->head_seen += size * count;
    if (request->head_seen > HTTP_HEAD_MOST)
        return 0;
    note_head_line(request, header, size * count);
    return size * count;
}

/*
 * If a request on a reused connection ends without an answer, libcurl sends it again and does not
 * report whether the server refused it, although the server may have processed it. This RTSP option
 * prevents that. If libcurl is built without RTSP, the outcome of such a request is unknown.
 */
static void tell_refused_from_ended(struct http_request *request)
{
    request->library->easy_setopt(request->easy, CURLOPT_RTSP_REQUEST, (long)CURL_RTSPREQ_RECEIVE);
}

static bool set_options(struct http_request *request, const struct http_request_options *options)
{
    const struct curl_library *curl = request->library;
    CURL *easy = request->easy;
    tell_refused_from_ended(request);
    return http_tls_set(curl, easy, &options->tls) &&
           curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_POST, 1L) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_READFUNCTION, request_read_body) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_READDATA, request) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, keep_answer) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_WRITEDATA, request) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, note_header) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_HEADERDATA, request) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_SEEKFUNCTION, rewind_body) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_SEEKDATA, request) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_DEBUGFUNCTION, note_words) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_DEBUGDATA, request) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_VERBOSE, 1L) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_ERRORBUFFER, request->why) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L) == CURLE_OK &&
           curl->easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)options->timeout_ms) == CURLE_OK;
}

bool http_request_make(struct http_request *request, const struct curl_library *library,
                       const struct http_request_options *options)
{
    *request = (struct http_request){
        .library = library, .easy = library->easy_init(), .goaways = options->goaways};
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
    request->proof = request->head_ended = false;
    request->refused = false;
    request->head_seen = 0;
    request->stream = 0;
    request->goaways_before = request->goaways == NULL ? 0 : request->goaways->count;
    return curl->easy_setopt(request->easy, CURLOPT_URL, url) == CURLE_OK &&
           curl->easy_setopt(request->easy, CURLOPT_HTTPHEADER, headers) == CURLE_OK &&
           curl->easy_setopt(request->easy, CURLOPT_POSTFIELDSIZE_LARGE,
                             (curl_off_t)http_body_size(body)) == CURLE_OK;
}

static bool is_success(long status)
{
    return status >= 200 && status <= 299;
}

/* Writes the reason why a request has no answer. `status` is that of an answer that was cut off. */
static void explain_failure(struct http_request *request, CURLcode result, long status)
{
    const char *why =
        request->why[0] != '\0' ? request->why : request->library->easy_strerror(result);
    if (request->head_seen > HTTP_HEAD_MOST)
        snprintf(request->text, sizeof request->text,
                 "the headers of the server's answer are longer than 256 KiB");
    else if (result == CURLE_SEND_FAIL_REWIND)
        snprintf(request->text, sizeof request->text, "the connection ended before an answer came");
    else if (request->head_ended && is_success(status))
        snprintf(request->text, sizeof request->text,
                 "the server answered %ld, but its answer was cut off: %.180s", status, why);
    else
        snprintf(request->text, sizeof request->text, "%.170s%s", why,
                 result == CURLE_PEER_FAILED_VERIFICATION || result == CURLE_SSL_CONNECT_ERROR
                     ? certificate_advice(why)
                     : "");
}

static void explain(struct http_request *request, const struct http_reply *reply, CURLcode result,
                    long status)
{
    char line[ANSWER_SHOWN];
    const char *end = memchr(request->answer, '\n', request->answer_size);
    if (reply->status == 0) {
        explain_failure(request, result, status);
        return;
    }
    copy_printable(line, sizeof line, request->answer,
                   end != NULL ? (size_t)(end - request->answer) : request->answer_size);
    snprintf(request->text, sizeof request->text, "the server answered %ld%s%s", status,
             line[0] == '\0' ? "" : ": ", line);
}

static int64_t bounded_retry_after(curl_off_t seconds)
{
    if (seconds < 0)
        return 0;
    return (seconds > LONGEST_RETRY_AFTER_S ? LONGEST_RETRY_AFTER_S : (int64_t)seconds) * SECOND;
}

/* Returns true if enough of the answer came. A refusal needs no body. */
static bool request_is_whole(const struct http_request *request, CURLcode result, long status)
{
    bool read = result == CURLE_OK || request->answer_seen > HTTP_ANSWER_MOST;
    return request->head_ended && status >= 200 && (read || !is_success(status));
}

/*
 * Returns true if the server closed the connection with a GOAWAY during this request and did not
 * process it, because the last stream that it processed is an earlier one. libcurl reports the
 * GOAWAY to only one of the connection's requests.
 */
static bool was_left_out(const struct http_request *request)
{
    const struct http_goaways *goaways = request->goaways;
    return request->why[0] == '\0' && goaways != NULL &&
           goaways->count != request->goaways_before && goaways->last < request->stream;
}

/*
 * Returns true if libcurl has given up sending the request again. libcurl counts the retries of all
 * requests of a handle together.
 */
static bool tried_too_often(const struct http_request *request)
{
    static const char words[] = "Connection died, tried";
    return strncmp(request->why, words, sizeof words - 1) == 0;
}

/* Returns true if the server definitely did not process a request that ended with `result`. */
static bool is_unseen(const struct http_request *request, CURLcode result)
{
    switch (result) {
    case CURLE_SEND_FAIL_REWIND:
        return request->refused;
    case CURLE_HTTP2:
        return was_left_out(request);
    case CURLE_HTTP2_STREAM:
        return strstr(request->why, "REFUSED_STREAM") != NULL;
    default:
        return request->refused && tried_too_often(request);
    }
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
    bool whole = request_is_whole(request, result, status);
    *reply = (struct http_reply){.status = whole ? status : 0,
                                 .sent = request->at != 0,
                                 .proof = whole && request->proof,
                                 .unseen = !whole && is_unseen(request, result),
                                 .retry_after_ns = whole ? bounded_retry_after(retry_after) : 0,
                                 .connects = (uint64_t)connects,
                                 .took_ns = (int64_t)took_us * 1000,
                                 .text = request->text};
    if (whole && !is_success(status)) {
        reply->partly = http_answer_says_partly(request->answer, request->answer_size);
        reply->never = http_answer_says_never(request->answer, request->answer_size);
    }
    explain(request, reply, result, status);
}

void http_request_give_up(struct http_request *request, struct http_reply *reply)
{
    *reply =
        (struct http_reply){.sent = request->at != 0, .text = "the stop came before an answer"};
}

bool http_request_answer(const struct http_request *request, struct text *answer)
{
    *answer = (struct text){request->answer, request->answer_size};
    return request->answer_seen == request->answer_size;
}
