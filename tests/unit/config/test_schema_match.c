#include <string.h>

#include "collector/base/networks.h"
#include "collector/config/match.h"
#include "tests/support/test.h"

static struct schema_match made(const char *text)
{
    struct schema_match match;
    struct parse_error fault;
    if (!match_parse(text, strlen(text), &match, &fault))
        fail_msg("'%s': %s", text, fault.text);
    return match;
}

static void refused(const char *text, size_t at, const char *why)
{
    struct schema_match match;
    struct parse_error fault;
    if (match_parse(text, strlen(text), &match, &fault))
        fail_msg("'%s' was accepted", text);
    if (strstr(fault.text, why) == NULL)
        fail_msg("'%s': %s\nshould say: %s", text, fault.text, why);
    if (fault.at != at)
        fail_msg("'%s': %s: at %zu, not %zu", text, fault.text, fault.at, at);
}

static struct address host(const char *text)
{
    struct address address;
    assert_true(address_parse_host(text, strlen(text), &address));
    address.port = 4711;
    return address;
}

static bool takes_from(const char *match_text, const char *sender)
{
    struct schema_match match = made(match_text);
    struct address source = host(sender);
    return schema_match_takes(&match, &source, NULL, (const uint8_t *)"x", 1);
}

static bool takes(const char *match_text, const void *data, size_t size)
{
    struct schema_match match = made(match_text);
    struct address source = host("192.0.2.1");
    return schema_match_takes(&match, &source, NULL, data, size);
}

/* --- senders ---------------------------------------------------------------------------------- */

TEST(a_network_holds_the_addresses_with_its_first_bits)
{
    assert_true(takes_from("source:10.1.0.0/16", "10.1.0.0"));
    assert_true(takes_from("source:10.1.0.0/16", "10.1.255.255"));
    assert_false(takes_from("source:10.1.0.0/16", "10.2.0.0"));
    assert_false(takes_from("source:10.1.0.0/16", "10.0.255.255"));
    assert_true(takes_from("source:2001:db8::/32", "2001:db8:ffff::1"));
    assert_false(takes_from("source:2001:db8::/32", "2001:db9::1"));
}

TEST(a_prefix_may_end_at_any_bit)
{
    for (unsigned bits = 1; bits <= 32; bits++) {
        struct address network = host("255.255.255.255");
        struct address other = network;
        assert_true(network_holds(&network, bits, &other));
        other.bytes[(bits - 1) / 8] ^= (uint8_t)(0x80u >> (bits - 1) % 8);
        /* `other` differs in the last bit of the network. */
        assert_false(network_holds(&network, bits, &other));
        if (bits == 32)
            break;
        other = network;
        other.bytes[bits / 8] ^= (uint8_t)(0x80u >> bits % 8);
        /* `other` differs in the first bit after the network. */
        assert_true(network_holds(&network, bits, &other));
    }
    assert_true(takes_from("source:2001:db8:0:8000::/49", "2001:db8:0:ffff::"));
    assert_false(takes_from("source:2001:db8:0:8000::/49", "2001:db8:0:7fff::"));
}

TEST(a_bare_address_is_one_sender)
{
    assert_true(takes_from("source:10.1.2.3", "10.1.2.3"));
    assert_false(takes_from("source:10.1.2.3", "10.1.2.2"));
    assert_true(takes_from("source:::1", "::1"));
    assert_false(takes_from("source:::1", "::2"));
    assert_int_equal(made("source:10.1.2.3").prefix, 32);
    assert_int_equal(made("source:::1").prefix, 128);
}

TEST(no_bits_are_every_sender_of_that_family)
{
    assert_true(takes_from("source:0.0.0.0/0", "255.1.2.3"));
    assert_false(takes_from("source:0.0.0.0/0", "::1"));
    assert_true(takes_from("source:::/0", "fe80::1"));
    assert_false(takes_from("source:::/0", "10.1.2.3"));
}

/*
 * A dual-stack socket reports an IPv4 sender as a mapped IPv6 address. address_from_ipv6 converts
 * it to IPv4.
 */
TEST(an_ipv4_network_takes_the_ipv4_senders_of_an_ipv6_socket)
{
    static const uint8_t mapped[16] = {[10] = 0xff, [11] = 0xff, [12] = 10, [13] = 1, [15] = 9};
    struct schema_match match = made("source:10.1.0.0/16");
    struct address source = address_from_ipv6(mapped, 0, 5);
    assert_true(schema_match_takes(&match, &source, NULL, NULL, 0));
}

TEST(a_mapped_network_is_the_ipv4_network)
{
    assert_true(takes_from("source:::ffff:10.1.0.0/112", "10.1.2.3"));
    assert_false(takes_from("source:::ffff:10.1.0.0/112", "10.2.2.3"));
    assert_true(takes_from("source:::ffff:0:0/96", "10.1.2.3"));
    assert_int_equal(made("source:::ffff:10.1.2.3").prefix, 32);
    refused("source:::ffff:0:0/95", 18, "\"95\" is not a number of bits from 96 to 128");
}

TEST(bits_after_the_prefix_are_refused_and_the_network_reported)
{
    refused("source:10.1.2.3/16", 7, "that network is 10.1.0.0/16");
    refused("source:10.1.2.3/31", 7, "that network is 10.1.2.2/31");
    refused("source:255.0.0.0/0", 7, "that network is 0.0.0.0/0");
    refused("source:2001:db8::1/32", 7, "that network is 2001:db8::/32");
    refused("source:::ffff:10.1.2.3/112", 7, "that network is 10.1.0.0/16");
}

TEST(a_wrong_source_is_reported_where_it_is_wrong)
{
    refused("source:", 7, "match source \"\" is not a numeric address");
    refused("source:/8", 7, "match source \"\" is not a numeric address");
    refused("source:web1", 7, "match source \"web1\" is not a numeric address");
    refused("source:10.1", 7, "\"10.1\" is not a numeric address");
    refused("source:[::1]", 7, "\"[::1]\" is not a numeric address");
    refused("source:fe80::%3/64", 7, "\"fe80::%3\" is not a numeric address");
    refused("source:10.0.0.0/33", 16, "\"33\" is not a number of bits from 0 to 32");
    refused("source:10.0.0.0/", 16, "\"\" is not a number of bits from 0 to 32");
    refused("source:10.0.0.0/-1", 16, "is not a number of bits");
    refused("source:10.0.0.0/8/8", 16, "\"8/8\" is not a number of bits");
    refused("source:::/129", 10, "\"129\" is not a number of bits from 0 to 128");
}

/* --- the first bytes of a datagram ------------------------------------------------------------ */

TEST(magic_is_the_first_bytes_whatever_follows)
{
    assert_true(takes("magic:0a1B", "\x0a\x1b", 2));
    assert_true(takes("magic:0a1B", "\x0a\x1b more", 7));
    assert_false(takes("magic:0a1B", "\x0a\x1c", 2));
    assert_false(takes("magic:0a1B", "\x0b\x1b", 2));
    assert_true(takes("magic:00", "\0", 1));
}

TEST(what_is_shorter_than_the_magic_is_not_taken)
{
    assert_false(takes("magic:0a1b", "\x0a", 1));
    assert_false(takes("magic:00", NULL, 0));
}

TEST(magic_has_1_to_32_bytes_of_two_digits)
{
    static const char longest[] =
        "magic:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    uint8_t bytes[32];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    assert_true(takes(longest, bytes, sizeof bytes));
    bytes[31]++;
    assert_false(takes(longest, bytes, sizeof bytes));
    refused("magic:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20", 6,
            "has 66 hexadecimal digits; write two for each of 1 to 32 bytes");
    refused("magic:", 6, "has 0 hexadecimal digits");
    refused("magic:abc", 6, "has 3 hexadecimal digits");
    refused("magic:0x0a", 7, "not a hexadecimal digit");
    refused("magic:0a g", 8, "not a hexadecimal digit");
}

/* --- names of senders, and errors ------------------------------------------------------------- */

TEST(a_key_is_that_of_the_sender_and_of_no_other)
{
    struct schema_match match = made("key:web.1");
    struct address source = address_from_ipv4((const uint8_t[]){10, 0, 0, 1}, 1);
    assert_int_equal(match.kind, MATCH_KEY);
    assert_true(schema_match_takes(&match, &source, "web.1", NULL, 0));
    assert_false(schema_match_takes(&match, &source, "web.10", NULL, 0));
    assert_false(schema_match_takes(&match, &source, "web", NULL, 0));
    assert_false(schema_match_takes(&match, &source, NULL, NULL, 0));
    refused("key:", 4, "match key is a name of 1 to 63 bytes");
    refused("key:1234567890123456789012345678901234567890123456789012345678901234", 4, "1 to 63");
}

TEST(without_a_match_every_datagram_is_taken)
{
    const struct schema_match all = {0};
    struct address source = host("::1");
    assert_true(schema_match_takes(&all, &source, NULL, NULL, 0));
}

TEST(another_word_is_refused_with_the_three)
{
    refused("", 0, "match \"\" is none of source:ADDR/BITS, magic:HEX and key:NAME");
    refused("10.0.0.0/8", 0, "is none of source:ADDR/BITS, magic:HEX and key:NAME");
    refused("source", 0, "is none of");
    refused("Source:10.0.0.0/8", 0, "is none of");
}
