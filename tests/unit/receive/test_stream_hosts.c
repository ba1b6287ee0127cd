/* Counts the connections of each host exactly, with room for one host for each connection. */
#include <stdlib.h>

#include "collector/base/byte_order.h"
#include "collector/receive/stream_hosts.h"
#include "tests/support/test.h"

#define COUNT 5000

static struct address number(uint32_t value)
{
    uint8_t bytes[16] = {0x20, 0x01, 0x0d, 0xb8};
    put_network_u32(bytes + 4, value);
    return address_from_ipv6(bytes, 0, (uint16_t)value);
}

static void begin(struct stream_hosts *hosts, size_t count)
{
    struct error error;
    *hosts = (struct stream_hosts){0};
    assert_int_equal(stream_hosts_init(hosts, &error), 0);
    assert_true(stream_hosts_grow(hosts, count));
}

TEST(hosts_are_counted_separately_ignoring_ports)
{
    struct stream_hosts hosts;
    begin(&hosts, COUNT);
    struct stream_host **all = calloc(COUNT, sizeof *all);
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct address address = number(i / 2);
        all[i] = stream_hosts_enter(&hosts, &address, 2);
        assert_non_null(all[i]);
        assert_int_equal(all[i]->connections, i % 2 + 1);
    }
    for (uint32_t i = 0; i < COUNT; i += 100) {
        struct address address = number(i / 2);
        address.port = 9;
        assert_null(stream_hosts_enter(&hosts, &address, 2));
    }
    for (uint32_t i = 0; i < COUNT; i += 2)
        stream_hosts_leave(&hosts, all[i]);
    for (uint32_t i = 0; i < COUNT; i += 2)
        assert_int_equal(all[i + 1]->connections, 1);
    for (uint32_t i = 1; i < COUNT; i += 2)
        stream_hosts_leave(&hosts, all[i]);
    stream_hosts_leave(&hosts, NULL);
    for (uint32_t i = 0; i < COUNT; i++) { /* succeeds, because the table is empty again */
        const struct address address = number(COUNT + i);
        all[i] = stream_hosts_enter(&hosts, &address, 1);
        assert_non_null(all[i]);
    }
    const struct address one_more = number(3 * COUNT);
    assert_null(stream_hosts_enter(&hosts, &one_more, 1));
    free(all);
    stream_hosts_destroy(&hosts);
}

TEST(hosts_stay_where_they_are_when_the_table_grows)
{
    struct stream_hosts hosts;
    begin(&hosts, 3);
    struct stream_host *before[3];
    for (uint32_t i = 0; i < 3; i++) {
        const struct address address = number(i);
        before[i] = stream_hosts_enter(&hosts, &address, 9);
    }
    assert_true(stream_hosts_grow(&hosts, 2));
    assert_true(stream_hosts_grow(&hosts, 1000));
    for (uint32_t i = 0; i < 1000; i++) {
        const struct address address = number(i);
        struct stream_host *host = stream_hosts_enter(&hosts, &address, 9);
        assert_non_null(host);
        if (i < 3)
            assert_ptr_equal(host, before[i]);
    }
    stream_hosts_destroy(&hosts);
}

TEST(a_kept_host_stays_without_a_connection_until_it_is_released)
{
    struct stream_hosts hosts;
    begin(&hosts, 2);
    const struct address address = number(1), other = number(2), third = number(3);
    struct stream_host *host = stream_hosts_enter(&hosts, &address, 9);
    stream_hosts_keep(host);
    stream_hosts_leave(&hosts, host);
    assert_ptr_equal(stream_hosts_find(&hosts, &address), host);
    struct stream_host *beside = stream_hosts_enter(&hosts, &other, 9);
    assert_non_null(beside);
    assert_null(stream_hosts_enter(&hosts, &third, 9));
    assert_ptr_equal(stream_hosts_enter(&hosts, &address, 9), host);
    stream_hosts_release(&hosts, host);
    assert_ptr_equal(stream_hosts_find(&hosts, &address), host);
    stream_hosts_keep(host);
    stream_hosts_leave(&hosts, host);
    stream_hosts_release(&hosts, host);
    assert_null(stream_hosts_find(&hosts, &address));
    assert_non_null(stream_hosts_enter(&hosts, &third, 9));
    stream_hosts_destroy(&hosts);
}

TEST(a_network_of_ipv6_is_a_64_and_of_ipv4_an_address)
{
    const uint8_t six[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 7, 1, 2, 3, 4, 5, 6, 7, 8};
    const uint8_t beside[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 7, 9};
    const uint8_t other[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    const uint8_t four[4] = {192, 0, 2, 1};
    struct address a = address_from_ipv6(six, 0, 1), b = address_from_ipv6(beside, 0, 2);
    struct address c = address_from_ipv6(other, 0, 1), d = address_from_ipv4(four, 1);
    a = address_network(&a);
    b = address_network(&b);
    c = address_network(&c);
    assert_true(address_same_host(&a, &b));
    assert_false(address_same_host(&a, &c));
    const struct address same = address_network(&d);
    assert_true(address_same_host(&d, &same));
}
