/* What answers by HTTP mean, and what is sent where. */
#include <stdlib.h>
#include <string.h>

#include "sinks/destinations/http_answer.h"
#include "sinks/destinations/http_url.h"
#include "tests/support/test.h"

static void assert_fate(long status, enum delivery_fate fate, enum delivery_reason reason)
{
    struct http_fate found = http_fate_of(status, true);
    if (found.fate != fate || (fate == DELIVERY_REFUSED && found.reason != reason))
        fail_msg("%ld: fate %d, reason %d", status, (int)found.fate, (int)found.reason);
}

TEST(each_status_has_one_fate)
{
    for (long status = 200; status < 300; status++)
        assert_fate(status, DELIVERY_ACKNOWLEDGED, DELIVERY_REJECTED);
    for (long status = 300; status < 400; status++)
        assert_fate(status, DELIVERY_REFUSED, DELIVERY_REJECTED);
    for (long status = 400; status < 500; status++) {
        if (status == 408 || status == 429)
            assert_fate(status, DELIVERY_NOT_SENT, DELIVERY_REJECTED);
        else
            assert_fate(status, DELIVERY_REFUSED,
                        status == 401 || status == 403 ? DELIVERY_DENIED
                        : status == 413                ? DELIVERY_TOO_LARGE
                                                       : DELIVERY_REJECTED);
    }
    for (long status = 500; status < 600; status++)
        assert_fate(status, DELIVERY_NOT_SENT, DELIVERY_REJECTED);
    assert_fate(999, DELIVERY_REFUSED, DELIVERY_REJECTED);
}

TEST(without_an_answer_it_depends_on_what_was_sent)
{
    assert_int_equal(http_fate_of(0, true).fate, DELIVERY_UNKNOWN);
    assert_int_equal(http_fate_of(0, false).fate, DELIVERY_NOT_SENT);
}

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
