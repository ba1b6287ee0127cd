#include <stdlib.h>
#include <string.h>

#include "sinks/destinations/http_url.h"
#include "tests/support/test.h"

static void assert_url(const char *place, const char *query, const char *expected)
{
    char *url = NULL;
    struct error error;
    assert_int_equal(http_url_make("http", place, query, &url, &error), 0);
    assert_string_equal(url, expected);
    free(url);
}

TEST(what_may_not_stand_in_a_url_is_encoded)
{
    assert_url("//h:1/write", NULL, "http://h:1/write");
    assert_url("//h/", "db=a%26p=ns", "http://h/?db=a&p=ns");
    assert_url("//h/", "q=INSERT INTO m", "http://h/?q=INSERT%20INTO%20m");
    assert_url("//[::1]:1/a b", "%", "http://[::1]:1/a%20b?%");
    assert_url("//h/", "a%2526%zz%4", "http://h/?a%26%zz%4");
    assert_url("//h/", "\x01\xff%ff#", "http://h/?%01%FF%FF%23");
}

TEST(a_place_without_a_host_or_with_a_user_is_refused)
{
    static const char *const places[] = {"",      "/",       "h:1",         "//",    "///x",
                                         "//:1/", "//u@h/x", "//u:p@h:1/x", "//@h/", "x//h"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char *url = NULL;
        struct error error;
        if (http_url_make("http", places[i], NULL, &url, &error) == 0)
            fail_msg("\"%s\" is %s", places[i], url);
        assert_int_equal(error.code, EXIT_CODE_CONFIG);
    }
}

static void assert_otlp(const char *place, const char *route, const char *expected)
{
    struct http_urls urls;
    struct error error;
    assert_int_equal(http_urls_make("https", place, "a=b", true, &urls, &error), 0);
    assert_string_equal(http_urls_find(&urls, route), expected);
    http_urls_free(&urls);
}

TEST(otlp_has_a_path_for_each_kind_of_message)
{
    assert_otlp("//h:4318", "/v1/metrics", "https://h:4318/v1/metrics?a=b");
    assert_otlp("//h:4318/", "/v1/logs", "https://h:4318/v1/logs?a=b");
    assert_otlp("//h/otlp", "/v1/traces", "https://h/otlp/v1/traces?a=b");
    assert_otlp("//h/otlp/v1/metrics", "/v1/logs", "https://h/otlp/v1/logs?a=b");
    assert_otlp("//h/v1/logs/", "/v1/metrics", "https://h/v1/metrics?a=b");
}

TEST(a_place_of_otlp_needs_a_host_as_well)
{
    static const char *const places[] = {"//", "/v1/metrics", "///v1/metrics"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct http_urls urls;
        struct error error;
        assert_int_equal(http_urls_make("http", places[i], NULL, true, &urls, &error), -1);
        http_urls_free(&urls);
    }
}

TEST(other_formats_have_one_url)
{
    struct http_urls urls;
    struct error error;
    assert_int_equal(http_urls_make("http", "//h/x", NULL, false, &urls, &error), 0);
    assert_string_equal(http_urls_find(&urls, ""), "http://h/x");
    assert_string_equal(http_urls_find(&urls, "/v1/logs"), "http://h/x");
    http_urls_free(&urls);
}
