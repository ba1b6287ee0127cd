/*
 * Tests that a host has at most its share of the slots: an IPv4 address, or the /64 network of an
 * IPv6 address.
 */
#include "collector/base/byte_order.h"
#include "collector/receive/stream_slots.h"
#include "tests/support/test.h"

#define PLACES 8
#define SHARE  2

static struct address ipv6(uint8_t network, uint32_t host)
{
    uint8_t bytes[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, network};
    put_network_u32(bytes + 12, host);
    return address_from_ipv6(bytes, 0, (uint16_t)(1000 + host));
}

static struct address ipv4(uint8_t host)
{
    return address_from_ipv4((uint8_t[4]){192, 0, 2, host}, 1000);
}

/*
 * Acquires a slot without beginning a connection in it. Returns NULL if the host already has its
 * share.
 */
static struct stream_slot *acquire(struct stream_slots *slots, struct address peer)
{
    bool of_host;
    struct stream_slot *slot = stream_slots_acquire(slots, &peer, PLACES, SHARE, &of_host);
    assert_int_equal(of_host, slot == NULL);
    return slot;
}

TEST(addresses_of_one_network_have_one_share)
{
    struct stream_slots slots = {0};
    struct error error;
    assert_int_equal(stream_slots_init(&slots, &error), 0);
    assert_true(stream_slots_grow(&slots, PLACES));
    struct stream_slot *all[] = {acquire(&slots, ipv6(1, 1)), acquire(&slots, ipv6(1, 2)),
                                 acquire(&slots, ipv6(2, 1)), acquire(&slots, ipv4(1)),
                                 acquire(&slots, ipv4(1)),    acquire(&slots, ipv4(2))};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_non_null(all[i]);
    assert_null(acquire(&slots, ipv6(1, 3)));
    assert_null(acquire(&slots, ipv4(1)));
    stream_slots_release(&slots, all[0]);
    all[0] = acquire(&slots, ipv6(1, 3));
    assert_non_null(all[0]);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        stream_slots_release(&slots, all[i]);
    stream_slots_destroy(&slots);
}
