#include "collector/queue/byte_ring.h"
#include "tests/support/platform/posix/aborting.h"
#include "tests/support/test.h"

static void take_more_than_was_put(void)
{
    struct byte_ring *ring = byte_ring_create(64);
    const struct byte_part part = {"abc", 3};
    uint8_t bytes[4];
    byte_ring_put(ring, &part, 1);
    byte_ring_take(ring, bytes, sizeof bytes);
}

TEST(no_more_bytes_are_taken_than_were_put)
{
    assert_aborts(take_more_than_was_put);
}
