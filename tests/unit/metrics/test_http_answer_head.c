#include <string.h>

#include "collector/metrics/http_answer.h"
#include "tests/support/test.h"

static char text[HTTP_TOP_SIZE + 1];

static void write_answer(const struct http_answer *answer, int64_t now_ns)
{
    struct output out = {.data = text, .capacity = HTTP_TOP_SIZE};
    http_answer_write(answer, now_ns, &out);
    text[out.used] = '\0';
}

static void assert_has(const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("%s lacks %s", text, part);
}

TEST(an_answer_has_its_status_type_and_size)
{
    struct http_answer answer = http_answer_text(404, "Not here.\n");
    answer.header = "Allow";
    answer.value = "GET, HEAD";
    answer.encoding = "gzip";
    write_answer(&answer, 0);
    assert_memory_equal(text, "HTTP/1.1 404 Not Found\r\n", 24);
    assert_has("\r\nContent-Type: text/plain; charset=utf-8\r\n");
    assert_has("\r\nContent-Length: 10\r\n");
    assert_has("\r\nAllow: GET, HEAD\r\n");
    assert_has("\r\nContent-Encoding: gzip\r\n");
    assert_has("\r\nConnection: close\r\n");
    assert_string_equal(text + strlen(text) - 4, "\r\n\r\n");
}

TEST(the_date_is_that_of_the_standard)
{
    static const struct {
        int64_t seconds;
        const char *date;
    } dates[] = {
        /* The example of RFC 9110, section 5.6.7. */
        {784111777, "\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"},
        {0, "\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n"},
        {1709251199, "\r\nDate: Thu, 29 Feb 2024 23:59:59 GMT\r\n"},
    };
    const struct http_answer answer = http_answer_text(200, "");
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        write_answer(&answer, dates[i].seconds * 1000000000);
        assert_has(dates[i].date);
    }
}

static enum http_more never(void *context, const char **bytes, size_t *size)
{
    (void)context;
    (void)bytes;
    (void)size;
    return HTTP_OVER;
}

TEST(a_stream_has_no_size)
{
    const struct http_answer answer = {.status = 200, .type = "text/event-stream", .next = never};
    write_answer(&answer, 0);
    assert_null(strstr(text, "Content-Length"));
    assert_has("\r\nContent-Type: text/event-stream\r\n");
}

TEST(the_longest_answer_fits)
{
    struct http_answer answer = http_answer_text(431, "x");
    answer.type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    answer.header = "Access-Control-Allow-Nothing";
    answer.value = "a value that is longer than each of those that are used";
    answer.encoding = "gzip";
    write_answer(&answer, INT64_MAX);
    assert_true(strlen(text) < HTTP_TOP_SIZE);
}
