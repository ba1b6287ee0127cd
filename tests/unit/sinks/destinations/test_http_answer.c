/* Tests the complete table of the meanings of HTTP statuses, by format. */
#include "sinks/destinations/http_answer.h"

#include <string.h>

#include "tests/support/test.h"

struct expected {
    long first, last;
    enum delivery_outcome outcome;
    enum delivery_reason reason;
    bool parts, bounded;
};

static void assert_means(const char *format, long status, const struct expected *row)
{
    struct http_meaning found = http_meaning_of(format, status, true);
    bool refused = row->outcome == DELIVERY_REFUSED || row->bounded;
    if (found.outcome != row->outcome || (refused && found.reason != row->reason) ||
        (refused && found.parts != row->parts) || (found.tries != 0) != row->bounded)
        fail_msg("%s, %ld: outcome %d, reason %d, parts %d, tries %u", format, status,
                 (int)found.outcome, (int)found.reason, found.parts, found.tries);
}

static void assert_table(const char *format, const struct expected *rows, size_t count)
{
    long status = 200;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].first, status);
        for (; status <= rows[i].last; status++)
            assert_means(format, status, &rows[i]);
    }
    assert_int_equal(status, 1000);
}

#define WRITTEN(first, last)                                                                       \
    {                                                                                              \
        first, last, DELIVERY_ACKNOWLEDGED, 0, false, false                                        \
    }
#define REJECTED(first, last)                                                                      \
    {                                                                                              \
        first, last, DELIVERY_REFUSED, DELIVERY_REJECTED, false, false                             \
    }
#define IN_HALVES(status)                                                                          \
    {                                                                                              \
        status, status, DELIVERY_REFUSED, DELIVERY_REJECTED, true, false                           \
    }
#define TOO_LARGE(status)                                                                          \
    {                                                                                              \
        status, status, DELIVERY_REFUSED, DELIVERY_TOO_LARGE, true, false                          \
    }
#define DENIED(status)                                                                             \
    {                                                                                              \
        status, status, DELIVERY_REFUSED, DELIVERY_DENIED, false, false                            \
    }
#define AGAIN(first, last)                                                                         \
    {                                                                                              \
        first, last, DELIVERY_NOT_SENT, 0, false, false                                            \
    }
#define BOUNDED(first, last)                                                                       \
    {                                                                                              \
        first, last, DELIVERY_NOT_SENT, DELIVERY_REJECTED, true, true                              \
    }
#define UNKNOWN(status)                                                                            \
    {                                                                                              \
        status, status, DELIVERY_UNKNOWN, 0, false, false                                          \
    }
#define DOUBTFUL(status)                                                                           \
    {                                                                                              \
        status, status, DELIVERY_MAYBE_SENT, 0, false, false                                       \
    }
#define ROWS(rows) (rows), sizeof(rows) / sizeof(rows)[0]

TEST(lines_are_tried_again_where_the_server_cannot_take_them_now)
{
    static const struct expected rows[] = {
        WRITTEN(200, 299),  REJECTED(300, 399), IN_HALVES(400),     DENIED(401),
        REJECTED(402, 402), DENIED(403),        REJECTED(404, 407), AGAIN(408, 408),
        REJECTED(409, 412), TOO_LARGE(413),     REJECTED(414, 421), IN_HALVES(422),
        REJECTED(423, 428), AGAIN(429, 429),    REJECTED(430, 499), AGAIN(500, 501),
        UNKNOWN(502),       AGAIN(503, 503),    UNKNOWN(504),       AGAIN(505, 599),
        REJECTED(600, 999),
    };
    static const char *const formats[] = {"json", "influx", "prometheus", "csv", "protobuf"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        assert_table(formats[i], ROWS(rows));
}

TEST(otlp_is_tried_again_for_four_answers_and_no_other)
{
    static const struct expected rows[] = {
        WRITTEN(200, 299),  REJECTED(300, 399), IN_HALVES(400),     DENIED(401),
        REJECTED(402, 402), DENIED(403),        REJECTED(404, 412), TOO_LARGE(413),
        REJECTED(414, 421), IN_HALVES(422),     REJECTED(423, 428), AGAIN(429, 429),
        REJECTED(430, 501), DOUBTFUL(502),      AGAIN(503, 503),    DOUBTFUL(504),
        REJECTED(505, 999),
    };
    assert_table("otlp", ROWS(rows));
}

TEST(remote_write_is_tried_again_for_server_errors_within_a_bound)
{
    static const struct expected rows[] = {
        WRITTEN(200, 299),  REJECTED(300, 399), IN_HALVES(400),     DENIED(401),
        REJECTED(402, 402), DENIED(403),        REJECTED(404, 412), TOO_LARGE(413),
        REJECTED(414, 421), IN_HALVES(422),     REJECTED(423, 428), AGAIN(429, 429),
        REJECTED(430, 499), BOUNDED(500, 501),  UNKNOWN(502),       AGAIN(503, 503),
        UNKNOWN(504),       BOUNDED(505, 599),  REJECTED(600, 999),
    };
    assert_table("remote-write", ROWS(rows));
}

TEST(without_an_answer_it_depends_on_what_was_sent)
{
    static const char *const formats[] = {"json", "otlp", "remote-write"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        assert_int_equal(http_meaning_of(formats[i], 0, true).outcome, DELIVERY_UNKNOWN);
        assert_int_equal(http_meaning_of(formats[i], 0, false).outcome, DELIVERY_NOT_SENT);
    }
}

static bool is_said(bool (*said)(const char *body, size_t size), const char *body)
{
    return said(body, strlen(body));
}

TEST(answers_that_some_were_taken_say_so)
{
    assert_true(is_said(http_answer_says_partly, "{\"error\":\"partial write: dropped=2\"}"));
    assert_true(is_said(http_answer_says_partly, "A Partial success"));
    assert_false(is_said(http_answer_says_partly, "unable to parse"));
    assert_false(is_said(http_answer_says_partly, "partia"));
    assert_false(is_said(http_answer_says_partly, ""));
    assert_false(http_answer_says_partly("partial", 6));
}

TEST(samples_that_prometheus_never_takes_are_known_by_its_words)
{
    assert_true(is_said(http_answer_says_never, "too old sample\n"));
    assert_true(is_said(http_answer_says_never, "out of order sample"));
    assert_true(is_said(http_answer_says_never, "out of bounds"));
    assert_true(is_said(http_answer_says_never, "duplicate sample for timestamp"));
    assert_false(is_said(http_answer_says_never, "no space left on device"));
}

TEST(a_server_of_remote_write_may_have_taken_some)
{
    static const long statuses[] = {400, 422, 500};
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        assert_true(http_meaning_of("remote-write", statuses[i], true).some);
        assert_false(http_meaning_of("influx", statuses[i], true).some);
        assert_false(http_meaning_of("otlp", statuses[i], true).some);
    }
}
