#include "collector/metrics/http_answer.h"

#include <stdio.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/text/calendar.h"

#define DAY_SECONDS 86400

static const struct {
    unsigned status;
    const char *reason;
} reasons[] = {
    {200, "OK"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {421, "Misdirected Request"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
};

/*
 * Headers of every answer. Each connection is closed after its answer, because otherwise a client
 * could keep its slot between requests, or with an incomplete second request. The other headers
 * make a browser load nothing from other hosts, refuse to show the page inside another page, and
 * not guess types.
 */
static const char always[] =
    "Connection: close\r\n"
    "Cache-Control: no-store\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src "
    "'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n";

struct http_answer http_answer_text(unsigned status, const char *text)
{
    return (struct http_answer){
        .status = status, .type = "text/plain; charset=utf-8", .bytes = text, .size = strlen(text)};
}

struct http_answer http_answer_no_memory(void)
{
    struct http_answer answer = http_answer_text(503, "Memory is short; try again.\n");
    answer.header = "Retry-After";
    answer.value = "1";
    return answer;
}

static void put_text(struct output *out, const char *text)
{
    output_bytes(out, text, strlen(text));
}

static void put_header(struct output *out, const char *name, const char *value)
{
    put_text(out, name);
    output_literal(out, ": ");
    put_text(out, value);
    output_literal(out, "\r\n");
}

static const char *reason_of(unsigned status)
{
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    RULE(false, "an answer has a known status");
    return "";
}

/* Writes a date as in RFC 9110, 5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT". */
static void put_date(struct output *out, int64_t now_ns)
{
    static const char *const days[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    char text[40];
    uint64_t seconds = now_ns < 0 ? 0 : (uint64_t)now_ns / 1000000000;
    uint32_t day = (uint32_t)(seconds / DAY_SECONDS);
    unsigned of_day = (unsigned)(seconds % DAY_SECONDS);
    struct calendar_date date = calendar_date_of(day + CALENDAR_DAYS_BEFORE_1970);
    snprintf(text, sizeof text, "%s, %02u %s %04u %02u:%02u:%02u GMT", days[day % 7],
             (unsigned)date.day, months[date.month - 1], (unsigned)date.year, of_day / 3600,
             of_day / 60 % 60, of_day % 60);
    put_header(out, "Date", text);
}

void http_answer_write(const struct http_answer *answer, int64_t now_ns, struct output *out)
{
    char text[24];
    snprintf(text, sizeof text, "HTTP/1.1 %u ", answer->status);
    put_text(out, text);
    put_text(out, reason_of(answer->status));
    output_literal(out, "\r\n");
    put_date(out, now_ns);
    put_header(out, "Content-Type", answer->type);
    if (answer->next == NULL) {
        snprintf(text, sizeof text, "%zu", answer->size);
        put_header(out, "Content-Length", text);
    }
    if (answer->encoding != NULL)
        put_header(out, "Content-Encoding", answer->encoding);
    if (answer->header != NULL)
        put_header(out, answer->header, answer->value);
    output_bytes(out, always, sizeof always - 1);
    output_literal(out, "\r\n");
    RULE(!out->overflow, "an answer's headers fit");
}
