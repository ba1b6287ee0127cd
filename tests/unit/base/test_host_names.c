#include <stdio.h>
#include <string.h>

#include "collector/base/host_names.h"
#include "tests/support/test.h"

static struct host_names parsed(const char *text)
{
    struct host_names names;
    struct parse_error fault;
    if (!host_names_parse(text, strlen(text), &names, &fault))
        fail_msg("%s: %s", text, fault.text);
    return names;
}

TEST(an_address_and_localhost_are_always_allowed)
{
    const struct host_names none = {0};
    assert_true(host_names_allow(&none, "127.0.0.1"));
    assert_true(host_names_allow(&none, "127.0.0.1:9126"));
    assert_true(host_names_allow(&none, "192.0.2.1:80"));
    assert_true(host_names_allow(&none, "[::1]"));
    assert_true(host_names_allow(&none, "[2001:db8::1]:9126"));
    assert_true(host_names_allow(&none, "localhost"));
    assert_true(host_names_allow(&none, "LocalHost:9126"));
    assert_true(host_names_allow(&none, "localhost."));
}

TEST(other_names_and_invalid_hosts_are_refused)
{
    static const char *const refused[] = {
        "",
        "rebound.example",
        "127.0.0.1.rebound.example",
        "localhost.example",
        "localhos",
        "localhost:80x",
        "localhost:80:80",
        "127.0.0.1:x",
        "127.1",
        "0x7f000001",
        "2130706433",
        "017700000001",
        "::1",
        "[::1",
        "[]",
        "[127.0.0.1]",
        "[::1]x",
        "[::1]:80.example",
        "[rebound.example]",
        "127.0.0.1, localhost",
        "localhost ",
        " localhost",
        "local\thost",
        ":80",
        "a@localhost",
        "127.0.0.1/",
        "localhost..",
        ".",
    };
    const struct host_names none = {0};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (host_names_allow(&none, refused[i]))
            fail_msg("\"%s\" is allowed", refused[i]);
}

TEST(names_that_are_given_are_allowed_whatever_their_case)
{
    const struct host_names names = parsed("Collector.example.net,sluice_1");
    assert_true(host_names_allow(&names, "collector.example.net"));
    assert_true(host_names_allow(&names, "COLLECTOR.example.net:9126"));
    assert_true(host_names_allow(&names, "collector.example.net.:9126"));
    assert_true(host_names_allow(&names, "sluice_1"));
    assert_false(host_names_allow(&names, "example.net"));
    assert_false(host_names_allow(&names, "collector.example.net,sluice_1"));
    assert_false(host_names_allow(&names, "x.collector.example.net"));
    assert_false(host_names_allow(&names, "sluice_"));
    assert_false(host_names_allow(&names, "sluice_11"));
}

static void expect_fault(const char *text, size_t at, const char *what)
{
    struct host_names names;
    struct parse_error fault;
    assert_false(host_names_parse(text, strlen(text), &names, &fault));
    assert_string_equal(fault.text, what);
    assert_int_equal(fault.at, at);
}

TEST(invalid_names_are_refused_with_their_position)
{
    expect_fault("", 0, "a name is missing");
    expect_fault("a,", 2, "a name is missing");
    expect_fault("a,,b", 2, "a name is missing");
    expect_fault("a,b:80", 3, "\"b:80\" is not a host name");
    expect_fault("*", 0, "\"*\" is not a host name");
    expect_fault("a, b", 2, "\" b\" is not a host name");
    expect_fault("a,127.0.0.1", 2, "\"127.0.0.1\" is an address, which is always allowed");
    char longer[HOST_NAMES_SIZE + 1];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    expect_fault(longer, 0, "the names are longer than 511 bytes");
    longer[HOST_NAMES_SIZE - 1] = '\0';
    const struct host_names names = parsed(longer);
    assert_true(host_names_allow(&names, longer));
}

/* Cuts each allowed host short and changes each of its bytes. No result may be allowed. */
TEST(a_host_that_is_nearly_allowed_is_not)
{
    static const char host[] = "collector.example.net";
    const struct host_names names = parsed(host);
    char text[sizeof host];
    for (size_t i = 0; i < sizeof host - 1; i++) {
        memcpy(text, host, sizeof host);
        text[i] = '\0';
        assert_false(host_names_allow(&names, text));
        for (int byte = 1; byte < 256; byte++) {
            memcpy(text, host, sizeof host);
            text[i] = (char)byte;
            bool same = (byte | 0x20) == host[i] && host[i] >= 'a' && host[i] <= 'z';
            if (host_names_allow(&names, text) != (same || byte == host[i]))
                fail_msg("byte %d at %zu", byte, i);
        }
    }
}
