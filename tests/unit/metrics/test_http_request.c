#include <string.h>

#include "collector/metrics/http_request.h"
#include "tests/support/test.h"

static char head[1024];
static struct http_request request;

static unsigned parse(const char *text)
{
    size_t size = strlen(text);
    assert_true(size < sizeof head);
    memcpy(head, text, size + 1);
    assert_int_equal(http_request_size(head, size, 0), size);
    return http_request_parse(head, size, &request);
}

TEST(a_head_ends_with_an_empty_line)
{
    static const char text[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\nbody";
    size_t size = strlen(text) - 4;
    for (size_t known = 0; known < size; known++) {
        assert_int_equal(http_request_size(text, known, 0), 0);
        assert_int_equal(http_request_size(text, size, known), size);
        assert_int_equal(http_request_size(text, sizeof text - 1, known), size);
    }
    assert_int_equal(http_request_size("GET / HTTP/1.1\n\n", 16, 0), 16);
    assert_int_equal(http_request_size("GET / HTTP/1.1\n\r\n", 17, 15), 17);
    assert_int_equal(http_request_size("GET / HTTP/1.1\r\n\r", 17, 0), 0);
}

TEST(empty_lines_before_a_request_are_counted)
{
    assert_int_equal(http_request_empty("\r\n\nGET", 6), 3);
    assert_int_equal(http_request_empty("GET", 3), 0);
    assert_int_equal(http_request_empty("\r", 1), 1);
}

TEST(the_request_line_and_the_headers_are_read)
{
    assert_int_equal(parse("GET /metrics?x=/1 HTTP/1.1\r\nhOST:\t localhost:9126 \r\n"
                           "Accept: a/b\r\nX: y\r\naccept: c\r\nAccept-Encoding: gzip, br\r\n\r\n"),
                     0);
    assert_int_equal(request.method, HTTP_GET);
    assert_string_equal(request.path, "/metrics");
    assert_false(request.old);
    assert_int_equal(request.hosts, 1);
    assert_string_equal(request.host, "localhost:9126");
    assert_string_equal(request.accept, "a/b");
    assert_string_equal(request.accept_encoding, "gzip, br");
}

TEST(headers_may_be_missing_or_empty)
{
    assert_int_equal(parse("HEAD / HTTP/1.0\n\n"), 0);
    assert_int_equal(request.method, HTTP_HEAD);
    assert_true(request.old);
    assert_int_equal(request.hosts, 0);
    assert_null(request.host);
    assert_null(request.accept);
    assert_int_equal(parse("POST / HTTP/1.1\r\nHost:\r\nHost: b\r\n\r\n"), 0);
    assert_int_equal(request.method, HTTP_OTHER);
    assert_int_equal(request.hosts, 2);
    assert_string_equal(request.host, "b");
}

TEST(a_malformed_head_is_a_bad_request)
{
    static const char *const bad[] = {
        "GET\r\n\r\n",
        "GET /\r\n\r\n",
        "GET  / HTTP/1.1\r\n\r\n",
        " GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1 \r\n\r\n",
        "GET / http/1.1\r\n\r\n",
        "GET / HTTP/1.11\r\n\r\n",
        "GET / HTTP/1,1\r\n\r\n",
        "GET /a b HTTP/1.1\r\n\r\n",
        "GET /\001 HTTP/1.1\r\n\r\n",
        "G(T / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.1\r\n: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", /* a folded header */
        "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\x7f\r\n\r\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(parse(bad[i]), 400);
}

TEST(another_version_is_named)
{
    assert_int_equal(parse("GET / HTTP/2.0\r\n\r\n"), 505);
    assert_int_equal(parse("GET / HTTP/9.9\r\n\r\n"), 505);
    assert_int_equal(parse("GET / HTTP/1.7\r\n\r\n"), 0);
}

TEST(a_reserved_path_is_known_by_its_begin)
{
    static const char get[] = "GET /healthz HTTP/1.1\r\n", head_only[] = "HEAD /healthz HTTP/1.1";
    assert_true(http_request_begins(get, strlen(get), "/healthz"));
    assert_true(http_request_begins(head_only, strlen(head_only), "/healthz"));
    assert_false(http_request_begins(get, 12, "/healthz"));
    assert_false(http_request_begins("GET /healthz2 ", 14, "/healthz"));
    assert_false(http_request_begins("PUT /healthz ", 13, "/healthz"));
}
