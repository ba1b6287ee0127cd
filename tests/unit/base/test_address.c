#include <string.h>

#include "collector/base/address.h"
#include "tests/support/test.h"

static void assert_round_trip(const char *given, const char *expected)
{
    struct address address;
    char text[ADDRESS_TEXT_SIZE];
    assert_true(address_parse_host(given, strlen(given), &address));
    size_t length = address_format_host(&address, text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

TEST(text_reads_back_in_its_canonical_form)
{
    assert_round_trip("127.0.0.1", "127.0.0.1");
    assert_round_trip("255.255.255.255", "255.255.255.255");
    assert_round_trip("::", "::");
    assert_round_trip("::1", "::1");
    assert_round_trip("1::", "1::");
    assert_round_trip("2001:DB8:0:0:0:0:0:1", "2001:db8::1");
    assert_round_trip("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1");
    assert_round_trip("2001:0:0:1:0:0:0:1", "2001:0:0:1::1");
    assert_round_trip("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8");
    assert_round_trip("fe80::1%3", "fe80::1%3");
    assert_round_trip("64:ff9b::192.0.2.33", "64:ff9b::c000:221");
}

TEST(a_mapped_address_is_the_ipv4_address)
{
    assert_round_trip("::ffff:192.0.2.1", "192.0.2.1");
}

TEST(the_port_follows_and_ipv6_is_in_brackets)
{
    struct address address;
    char text[ADDRESS_TEXT_SIZE];
    assert_true(address_parse_host("::1", 3, &address));
    address.port = 65535;
    address_format(&address, text);
    assert_string_equal(text, "[::1]:65535");
    assert_true(address_parse_host("10.0.0.1", 8, &address));
    address.port = 7;
    address_format(&address, text);
    assert_string_equal(text, "10.0.0.1:7");
}

TEST(a_local_process_is_shown_by_its_user_and_its_number)
{
    char text[ADDRESS_TEXT_SIZE];
    struct address process = address_from_process(4294967295u, 0xffffff);
    address_format(&process, text);
    assert_string_equal(text, "uid:4294967295:16777215");
    address_format_host(&process, text);
    assert_string_equal(text, "uid:4294967295");
    process = address_from_process(0, 0);
    address_format(&process, text);
    assert_string_equal(text, "uid:0:0");
}

TEST(processes_of_a_user_are_one_host_and_those_of_another_are_not)
{
    struct address first = address_from_process(7, 0x10001);
    struct address second = address_from_process(7, 0x20001);
    struct address other = address_from_process(8, 0x10001);
    struct address network = address_network(&first);
    assert_true(address_same_host(&first, &second));
    assert_false(address_equal(&first, &second));
    assert_false(address_same_host(&first, &other));
    assert_true(address_same_host(&network, &second));
    struct address ipv4 = address_from_ipv4((const uint8_t[4]){0, 0, 0, 7}, 1);
    assert_false(address_same_host(&first, &ipv4));
}

TEST(text_that_is_not_an_address_is_refused)
{
    static const char *const wrong[] = {
        "",
        "1.2.3",
        "1.2.3.4.5",
        "256.1.1.1",
        "01.2.3.4",
        "1.2.3.4 ",
        "localhost",
        ":",
        ":::",
        "1:",
        "1::2::3",
        "12345::",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4",
        "::1%eth",
        "::1%",
        "::g",
        "1::2:3:4:5:6:7:8",
        "1.2.3.4%1",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct address address;
        if (address_parse_host(wrong[i], strlen(wrong[i]), &address))
            fail_msg("'%s' was taken for an address", wrong[i]);
    }
}
