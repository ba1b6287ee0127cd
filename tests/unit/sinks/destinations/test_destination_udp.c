#include "collector/contract/destination_relay.h"
#include "sinks/destinations/destinations.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/receiving.h"
#include "tests/support/test.h"

#define COUNT 3

static const struct destination_ops *const ops = &destination_udp;

static void fill(struct relay_datagram *datagrams, const char *first)
{
    for (size_t i = 0; i < COUNT; i++)
        datagrams[i] = (struct relay_datagram){
            .data = (const uint8_t *)first + i, .size = 1, .outcome = RELAY_SENT, .sent = 1};
}

static void assert_receives(struct receiving *receiving, char byte)
{
    const struct datagram_slot *slot;
    int64_t until = patience_until();
    while ((slot = receiving_next(receiving)) == NULL)
        assert_true(patience(until));
    assert_int_equal(slot->size, 1);
    assert_int_equal(slot->front[0], byte);
}

TEST_WITH(each_group_that_is_given_up_fails_and_the_next_one_is_sent, receiving_set_up,
          receiving_tear_down)
{
    struct receiving *receiving = *state;
    struct relay_datagram datagrams[COUNT];
    struct destination *destination = NULL;
    struct error error;
    receiving_open(receiving, ADDRESS_IPV4, 2048);
    const struct sink_settings settings = {
        .relay = {.targets = {receiving->to}, .target_count = 1}};
    const struct destination_options options = {.settings = &settings};
    assert_int_equal(ops->create(&options, &destination, &error), 0);
    for (int group = 0; group < 2; group++) {
        fill(datagrams, "xyz");
        destination->relay->cancel(destination, datagrams, COUNT);
        for (size_t i = 0; i < COUNT; i++) {
            assert_int_equal(datagrams[i].outcome, RELAY_FAILED);
            assert_int_equal(datagrams[i].sent, 0);
        }
    }
    fill(datagrams, "abc");
    assert_true(destination->relay->send(destination, datagrams, COUNT, &error));
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(datagrams[i].outcome, RELAY_SENT);
        assert_receives(receiving, "abc"[i]);
    }
    destination->destroy(destination);
}
