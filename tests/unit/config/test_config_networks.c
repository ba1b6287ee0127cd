#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/config/network.h"
#include "collector/config/url.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/config/listener_reading.h"
#include "tests/support/test.h"

#define UDP "udp://[::]:1?"

static const struct listener_config *accepted(const char *url)
{
    return listener_accepted(url, &test_registry);
}

static void refused(const char *url, const char *at, const char *why)
{
    listener_refused(url, &test_registry, at, why);
}

static bool may_send(const char *url, const char *sender)
{
    struct address address;
    assert_true(address_parse_host(sender, strlen(sender), &address));
    const struct networks *senders = accepted(url)->senders;
    return senders == NULL || networks_hold(senders, &address);
}

TEST_WITH(without_a_key_everyone_may_send, NULL, listener_reading_tear_down)
{
    (void)state;
    assert_null(accepted("udp://[::]:1")->senders);
    assert_null(accepted(UDP "kernel_filter=off")->senders);
    assert_null(accepted("pcap:x")->senders);
}

TEST_WITH(who_is_in_no_allowed_network_may_not, NULL, listener_reading_tear_down)
{
    (void)state;
    const char *url = UDP "allow=10.0.0.0/8,192.0.2.7,2001:db8::/32";
    assert_true(may_send(url, "10.255.0.1") && may_send(url, "192.0.2.7"));
    assert_true(may_send(url, "2001:db8::77"));
    assert_false(may_send(url, "11.0.0.1") || may_send(url, "192.0.2.8") || may_send(url, "::1"));
}

TEST_WITH(who_is_in_a_denied_network_may_not_though_allowed, NULL, listener_reading_tear_down)
{
    (void)state;
    assert_true(may_send(UDP "deny=10.0.0.0/8", "11.0.0.1"));
    assert_true(may_send(UDP "deny=10.0.0.0/8", "::1"));
    assert_false(may_send(UDP "deny=10.0.0.0/8", "10.1.2.3"));
    assert_true(may_send("pcap:x?deny=10.1.0.0/16&allow=10.0.0.0/8", "10.2.0.0"));
    assert_false(may_send("pcap:x?deny=10.1.0.0/16&allow=10.0.0.0/8", "10.1.0.0"));
    assert_false(may_send(UDP "allow=10.1.2.3&deny=10.1.2.3", "10.1.2.3"));
}

TEST_WITH(a_mapped_network_is_the_ipv4_network, NULL, listener_reading_tear_down)
{
    (void)state;
    assert_true(may_send(UDP "allow=::ffff:10.1.0.0/112", "10.1.2.3"));
    assert_false(may_send(UDP "allow=::ffff:10.1.0.0/112", "10.2.2.3"));
}

TEST_WITH(a_wrong_element_is_reported_by_its_number_and_place, NULL, listener_reading_tear_down)
{
    (void)state;
    refused(UDP "allow=10.0.0.0/8,web1,::1", "web1,",
            "allow, element 2 \"web1\" is not a numeric address, or network as in 10.1.0.0/16");
    refused(UDP "deny=::1,10.1.2.3/16", "10.1.2.3/16",
            "deny, element 2: the address has bits set after the first 16; that network is "
            "10.1.0.0/16");
    refused(UDP "receivers=2&deny=10.0.0.0/33", "33",
            "deny, element 1: \"33\" is not a number of bits from 0 to 32");
    refused("pcap:x?allow=::1,::/129&port=5", "129&",
            "allow, element 2: \"129\" is not a number of bits from 0 to 128");
    refused(UDP "allow=", "", "allow, element 1: a network is missing here");
    refused(UDP "allow=&port=1", "&port", "allow, element 1: a network is missing here");
    refused(UDP "allow=::1,", "", "allow, element 2: a network is missing here");
    refused(UDP "allow=::1,,::2", ",::2", "allow, element 2: a network is missing here");
    refused(UDP "allow=::1, ::2", " ::2", "allow, element 2 \" ::2\" is not a numeric address");
    refused(UDP "allow=fe80::1%3", "fe80", "\"fe80::1%3\" is not a numeric address");
    refused(UDP "allow=::1&allow=::2", "allow=::2", "key \"allow\" is given twice");
}

TEST_WITH(a_list_may_have_thousands_of_networks, NULL, listener_reading_tear_down)
{
    (void)state;
    enum { COUNT = 3000 };
    static char url[COUNT * 20];
    size_t used = (size_t)sprintf(url, UDP "allow=");
    for (int i = 0; i < COUNT; i++)
        used += (size_t)sprintf(url + used, "%s10.%d.%d.0/25", i == 0 ? "" : ",", i / 256, i % 256);
    assert_true(may_send(url, "10.11.183.127"));
    assert_false(may_send(url, "10.11.183.128") || may_send(url, "10.11.184.0"));
    strcpy(url + used, ",10.11.184.1/25");
    refused(url, "10.11.184.1", "allow, element 3001: the address has bits set after the first 25");
}

TEST_WITH(a_kernels_filter_needs_something_to_filter_by, NULL, listener_reading_tear_down)
{
    (void)state;
    assert_false(accepted(UDP "allow=::1")->kernel_filter);
    assert_true(accepted(UDP "allow=::1&kernel_filter=on")->kernel_filter);
    assert_true(accepted(UDP "kernel_filter=on&deny=::1")->kernel_filter);
    refused(UDP "receivers=2&kernel_filter=on&schema=riemann", "kernel_filter",
            "kernel_filter=on requires allow= or deny=");
    refused("pcap:x?allow=::1&kernel_filter=on", "kernel_filter",
            "key \"kernel_filter\" is for a udp listener, not for a capture listener");
}
