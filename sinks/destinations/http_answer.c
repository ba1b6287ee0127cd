#include "sinks/destinations/http_answer.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/*
 * Number of tries of a remote-write request that is answered 500, with pauses 20 seconds in total.
 * Prometheus also answers 500 to samples that it will never accept, such as samples that are too
 * old.
 */
#define REMOTE_WRITE_TRIES 10

static const struct http_meaning written = {.outcome = DELIVERY_ACKNOWLEDGED};
static const struct http_meaning denied = {.outcome = DELIVERY_REFUSED, .reason = DELIVERY_DENIED};
static const struct http_meaning rejected = {.outcome = DELIVERY_REFUSED,
                                             .reason = DELIVERY_REJECTED};
static const struct http_meaning bad_records = {
    .outcome = DELIVERY_REFUSED, .reason = DELIVERY_REJECTED, .parts = true};
/* Prometheus 3 and Mimir store the good samples of a refused request. */
static const struct http_meaning bad_samples = {
    .outcome = DELIVERY_REFUSED, .reason = DELIVERY_REJECTED, .parts = true, .some = true};
static const struct http_meaning too_large = {
    .outcome = DELIVERY_REFUSED, .reason = DELIVERY_TOO_LARGE, .parts = true};
static const struct http_meaning not_now = {.outcome = DELIVERY_NOT_SENT};
static const struct http_meaning not_now_or_never = {.outcome = DELIVERY_NOT_SENT,
                                                     .reason = DELIVERY_REJECTED,
                                                     .parts = true,
                                                     .some = true,
                                                     .tries = REMOTE_WRITE_TRIES};
static const struct http_meaning unknown = {.outcome = DELIVERY_UNKNOWN};
static const struct http_meaning maybe_sent = {.outcome = DELIVERY_MAYBE_SENT};

/*
 * The meanings of statuses. The first row that matches the status and the format counts.
 *
 * A gateway answers 502 or 504 if it got no answer from its server, which may have stored the
 * records. With OTLP they are sent again nevertheless (OTLP 1, "Retryable Response Codes").
 */
static const struct {
    const char *format; /* name of the encoder; NULL means all */
    long first, last;
    const struct http_meaning *means;
} answers[] = {
    {NULL, 200, 299, &written},
    {"remote-write", 400, 400, &bad_samples},
    {NULL, 400, 400, &bad_records},
    {NULL, 401, 401, &denied},
    {NULL, 403, 403, &denied},
    {NULL, 413, 413, &too_large},
    {"remote-write", 422, 422, &bad_samples},
    {NULL, 422, 422, &bad_records},
    {NULL, 429, 429, &not_now},

    {"otlp", 502, 502, &maybe_sent},
    {"otlp", 503, 503, &not_now},
    {"otlp", 504, 504, &maybe_sent},
    {"otlp", 1, 999, &rejected},

    {"remote-write", 408, 408, &rejected},
    {NULL, 502, 502, &unknown},
    {NULL, 503, 503, &not_now},
    {NULL, 504, 504, &unknown},
    {"remote-write", 500, 599, &not_now_or_never},

    {NULL, 408, 408, &not_now},
    {NULL, 500, 599, &not_now},
    {NULL, 1, 999, &rejected}, /* also redirections, which are not followed */
};

struct http_meaning http_meaning_of(const char *format, long status, bool sent)
{
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        if (status >= answers[i].first && status <= answers[i].last &&
            (answers[i].format == NULL || strcmp(answers[i].format, format) == 0))
            return *answers[i].means;
    return sent ? unknown : not_now;
}

/* Ignores case in the body; `text` is in lower case. */
static bool answer_has(const char *body, size_t size, const char *text)
{
    size_t length = strlen(text);
    for (size_t at = 0; at + length <= size; at++) {
        size_t same = 0;
        while (same < length && tolower((unsigned char)body[at + same]) == text[same])
            same++;
        if (same == length)
            return true;
    }
    return false;
}

bool http_answer_says_partly(const char *body, size_t size)
{
    return answer_has(body, size, "partial");
}

bool http_answer_says_never(const char *body, size_t size)
{
    static const char *const reasons[] = {"too old sample", "out of order", "out of bounds",
                                          "duplicate sample"};
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (answer_has(body, size, reasons[i]))
            return true;
    return false;
}
