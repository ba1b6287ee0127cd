#include <string.h>

#include "collector/base/networks.h"
#include "collector/contract/schema_match.h"
#include "tests/support/base/network_making.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

static bool holds(const struct networks *networks, const char *text)
{
    struct address address = host(text);
    address.port = 4711;
    return networks_hold(networks, &address);
}

/* --- addresses in a set of networks ----------------------------------------------------------- */

TEST(an_address_is_held_by_any_network_it_is_in)
{
    const struct network list[] = {network("192.0.2.7", 32), network("10.0.0.0", 8),
                                   network("2001:db8::", 32), network("fe80::1", 128)};
    struct networks *networks = made(list, 4);
    static const char *const inside[] = {"192.0.2.7",   "10.0.0.0",   "10.255.255.255",
                                         "10.9.8.7",    "2001:db8::", "2001:db8:ffff::1",
                                         "2001:db8::1", "fe80::1"};
    static const char *const outside[] = {
        "192.0.2.6",  "192.0.2.8",       "9.255.255.255", "11.0.0.0", "0.0.0.0", "255.255.255.255",
        "2001:db9::", "2001:db7:ffff::", "fe80::",        "fe80::2",  "::",      "::1"};
    for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++)
        assert_true(holds(networks, inside[i]));
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++)
        assert_false(holds(networks, outside[i]));
    networks_free(networks);
}

TEST(a_prefix_of_0_bits_contains_its_whole_family)
{
    const struct network ipv4 = network("0.0.0.0", 0);
    const struct network ipv6 = network("::", 0);
    struct networks *networks = made(&ipv4, 1);
    assert_true(holds(networks, "0.0.0.0") && holds(networks, "255.255.255.255"));
    assert_false(holds(networks, "::") || holds(networks, "::1"));
    networks_free(networks);
    networks = made(&ipv6, 1);
    assert_true(holds(networks, "::") &&
                holds(networks, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"));
    assert_false(holds(networks, "0.0.0.0") || holds(networks, "10.1.2.3"));
    networks_free(networks);
}

TEST(an_ipv4_sender_of_an_ipv6_socket_is_ipv4)
{
    const struct network ten = network("10.0.0.0", 8);
    struct networks *networks = made(&ten, 1);
    assert_true(holds(networks, "::ffff:10.1.2.3"));
    assert_false(holds(networks, "::10.1.2.3"));
    networks_free(networks);
}

TEST(the_port_and_the_zone_of_a_sender_make_no_difference)
{
    const struct network local = network("fe80::", 10);
    struct networks *networks = made(&local, 1);
    assert_true(holds(networks, "fe80::1%7"));
    networks_free(networks);
}

TEST(an_empty_set_contains_no_address)
{
    struct networks *networks = made(NULL, 0);
    const struct address neither = {.family = ADDRESS_NONE};
    assert_false(holds(networks, "0.0.0.0") || holds(networks, "::"));
    assert_false(networks_hold(networks, &neither));
    networks_free(networks);
}

/* --- joining adjacent ranges ------------------------------------------------------------------ */

TEST(networks_that_touch_or_overlap_are_one_range)
{
    const struct network list[] = {
        network("10.0.2.0", 24), network("10.0.0.0", 23),  network("10.0.1.128", 25),
        network("10.0.3.0", 24), network("10.0.3.77", 32), network("10.0.2.0", 24),
        network("10.0.5.0", 24), network("::", 1),         network("8000::", 1)};
    struct networks *networks = made(list, sizeof list / sizeof list[0]);
    assert_int_equal(networks->ipv4_count, 2); /* 10.0.0.0/22 and 10.0.5.0/24 */
    assert_int_equal(networks->ipv6_count, 1);
    assert_true(holds(networks, "10.0.3.255") && holds(networks, "10.0.5.0"));
    assert_false(holds(networks, "10.0.4.0") || holds(networks, "10.0.6.0"));
    networks_free(networks);
}

TEST(the_last_addresses_there_are_end_a_range)
{
    const struct network list[] = {network("255.255.255.255", 32), network("255.0.0.0", 8),
                                   network("0.0.0.0", 32), network("ffff::", 16)};
    struct networks *networks = made(list, 4);
    assert_int_equal(networks->ipv4_count, 2);
    assert_int_equal(networks->ipv6_count, 1);
    assert_true(holds(networks, "255.255.255.255") && holds(networks, "0.0.0.0"));
    assert_false(holds(networks, "0.0.0.1") || holds(networks, "254.255.255.255"));
    networks_free(networks);
}

/* --- allowed and denied networks -------------------------------------------------------------- */

TEST(denied_networks_are_removed_from_allowed_ones)
{
    const struct network allowed[] = {network("10.0.0.0", 8), network("192.0.2.0", 24)};
    const struct network denied[] = {network("10.1.0.0", 16), network("10.0.0.0", 32),
                                     network("192.0.2.0", 23), network("2001:db8::", 32)};
    struct networks *allow = made(allowed, 2);
    struct networks *deny = made(denied, 4);
    struct networks *left = networks_except(allow, deny);
    assert_non_null(left);
    assert_true(holds(left, "10.0.0.1") && holds(left, "10.0.255.255"));
    assert_true(holds(left, "10.2.0.0") && holds(left, "10.255.255.255"));
    assert_false(holds(left, "10.0.0.0") || holds(left, "10.1.0.0") || holds(left, "10.1.255.255"));
    assert_false(holds(left, "192.0.2.7") || holds(left, "192.0.3.7") || holds(left, "::1"));
    assert_int_equal(left->ipv4_count, 2);
    assert_int_equal(left->ipv6_count, 0);
    networks_free(left);
    networks_free(allow);
    networks_free(deny);
}

TEST(without_an_allowed_one_all_but_the_denied_are_left)
{
    const struct network denied[] = {network("10.0.0.0", 8), network("::1", 128)};
    struct networks *deny = made(denied, 2);
    struct networks *left = networks_except(NULL, deny);
    assert_non_null(left);
    assert_true(holds(left, "9.255.255.255") && holds(left, "11.0.0.0"));
    assert_true(holds(left, "::") && holds(left, "::2") && holds(left, "0.0.0.0"));
    assert_false(holds(left, "10.1.2.3") || holds(left, "::1"));
    networks_free(left);
    left = networks_except(NULL, NULL);
    assert_true(holds(left, "10.1.2.3") && holds(left, "::1"));
    networks_free(left);
    networks_free(deny);
}

TEST(all_that_is_allowed_may_be_denied)
{
    const struct network all[] = {network("0.0.0.0", 0), network("::", 0)};
    struct networks *deny = made(all, 2);
    struct networks *left = networks_except(NULL, deny);
    assert_non_null(left);
    assert_int_equal(left->ipv4_count + left->ipv6_count, 0);
    assert_false(holds(left, "0.0.0.0") || holds(left, "::1"));
    networks_free(left);
    networks_free(deny);
}

/* --- sets compared with a check of each network ----------------------------------------------- */

static uint64_t chance;

static uint64_t random_below(uint64_t end)
{
    return next_below(&chance, end);
}

/*
 * Returns an address whose bytes are mostly from a list of six values, so that networks of such
 * addresses often overlap or touch.
 */
static struct address random_address(void)
{
    static const uint8_t bytes[] = {0, 1, 0x7f, 0x80, 0xfe, 0xff};
    struct address address = {.family = random_below(2) == 0 ? ADDRESS_IPV4 : ADDRESS_IPV6};
    for (size_t i = 0; i < (address.family == ADDRESS_IPV4 ? 4 : 16); i++)
        address.bytes[i] =
            random_below(16) == 0 ? (uint8_t)random_below(256) : bytes[random_below(6)];
    return address;
}

static struct network random_network(void)
{
    struct network made = {.address = random_address()};
    unsigned most = made.address.family == ADDRESS_IPV4 ? 32 : 128;
    made.prefix =
        (uint8_t)(random_below(4) == 0 ? random_below(most + 1) : most - random_below(most / 4));
    for (unsigned bit = made.prefix; bit < 128; bit++)
        made.address.bytes[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
    return made;
}

static bool any_holds(const struct network *list, size_t count, const struct address *address)
{
    for (size_t i = 0; i < count; i++)
        if (network_holds(&list[i].address, list[i].prefix, address))
            return true;
    return false;
}

/* Returns the first or the last address of the network, or an address next to it. */
static struct address beside(const struct network *network)
{
    struct address address = network->address;
    unsigned bits = address.family == ADDRESS_IPV4 ? 32 : 128;
    if (random_below(2) == 0)
        for (unsigned bit = network->prefix; bit < bits; bit++)
            address.bytes[bit / 8] |= (uint8_t)(0x80u >> bit % 8);
    int step = (int)random_below(3) - 1;
    for (size_t i = bits / 8; i-- > 0 && step != 0;) {
        int byte = address.bytes[i] + step;
        address.bytes[i] = (uint8_t)byte;
        step = byte < 0 ? -1 : byte > 255;
    }
    return address;
}

TEST(random_sets_are_as_their_networks_one_by_one)
{
    enum { MOST = 40 };
    struct network allowed[MOST];
    struct network denied[MOST];
    chance = 0x9e3779b97f4a7c15;
    for (int round = 0; round < 2000; round++) {
        size_t allowed_count = random_below(MOST);
        size_t denied_count = random_below(MOST);
        for (size_t i = 0; i < MOST; i++) {
            allowed[i] = random_network();
            denied[i] = random_network();
        }
        struct networks *allow = made(allowed, allowed_count);
        struct networks *deny = made(denied, denied_count);
        struct networks *both = networks_except(allow, deny);
        struct networks *rest = networks_except(NULL, deny);
        assert_true(both != NULL && rest != NULL);
        for (int i = 0; i < 200; i++) {
            uint64_t which = random_below(3);
            struct address address = which == 0   ? random_address()
                                     : which == 1 ? beside(&allowed[random_below(MOST)])
                                                  : beside(&denied[random_below(MOST)]);
            bool is_allowed = any_holds(allowed, allowed_count, &address);
            bool is_denied = any_holds(denied, denied_count, &address);
            assert_int_equal(networks_hold(allow, &address), is_allowed);
            assert_int_equal(networks_hold(both, &address), is_allowed && !is_denied);
            assert_int_equal(networks_hold(rest, &address), !is_denied);
        }
        networks_free(allow);
        networks_free(deny);
        networks_free(both);
        networks_free(rest);
    }
}
