/*
 * Tests that the memory of all handshakes is limited and shared between hosts. It is returned when
 * they end.
 */
#include <stdatomic.h>
#include <string.h>

#include "collector/receive/stream_blocks.h"
#include "collector/receive/tls_handshake.h"
#include "tests/support/test.h"

/* The first bytes of a record that has a ClientHello of the longest allowed size. */
static const uint8_t longest[] = {22, 3, 1, 32, 4, 1, 0, 32, 0};

static const char *say(struct tls_handshake *handshake)
{
    return tls_handshake_read(handshake, longest, sizeof longest, false);
}

static const char too_many[] = "too many large handshakes at the same time";

#define CHAIN  1000
#define CLIENT 3000

/* The bytes of the budget that a handshake with the longest ClientHello reserves. */
#define EACH (CHAIN + 4 * TLS_HELLO_MOST)

static struct tls_handshake begin(struct tls_budget *budget, struct stream_share *share)
{
    const struct tls_handshake_sizes sizes = {.chain = CHAIN, .certificates = CLIENT};
    struct tls_handshake handshake;
    memset(&handshake, 0, sizeof handshake);
    tls_handshake_begin(&handshake, budget, share, &sizes);
    return handshake;
}

TEST(large_handshakes_share_the_memory_planned_for_all_connections)
{
    const size_t most = 10 * (TLS_CONNECTION_MEMORY - TLS_OPEN_MEMORY) / EACH;
    struct stream_share hosts[10] = {0};
    struct tls_budget *budget = tls_budget_create(10);
    assert_non_null(budget);
    struct tls_handshake all[10];
    assert_in_range(most, 2, 9);
    for (size_t i = 0; i <= most; i++) {
        all[i] = begin(budget, &hosts[i]);
        const char *too_much = say(&all[i]);
        if (i < most)
            assert_null(too_much);
        else
            assert_string_equal(too_much, too_many);
    }
    /* Ending a handshake twice is allowed. The last one was refused, and must be ended too. */
    for (size_t i = most - 1; i <= most; i++) {
        tls_handshake_end(&all[i]);
        tls_handshake_end(&all[i]);
    }
    all[most] = begin(budget, &hosts[most]);
    assert_null(say(&all[most]));
    tls_budget_leave(budget); /* the handshakes keep the budget in use */
    for (size_t i = 0; i <= most; i++)
        tls_handshake_end(&all[i]);
    tls_budget_leave(NULL);
}

static size_t fill(struct tls_budget *budget, struct stream_share *host, struct tls_handshake *all)
{
    size_t count = 0;
    for (;;) {
        all[count] = begin(budget, host);
        if (say(&all[count]) != NULL)
            break;
        count++;
    }
    tls_handshake_end(&all[count]);
    return count;
}

TEST(a_host_leaves_half_of_the_memory_to_others)
{
    enum { MOST = 200 };
    const size_t whole = MOST * (TLS_CONNECTION_MEMORY - TLS_OPEN_MEMORY) / EACH;
    static struct tls_handshake all[3][MOST];
    struct stream_share hosts[3] = {0};
    size_t counts[3], left = whole;
    struct tls_budget *budget = tls_budget_create(MOST);
    assert_non_null(budget);
    for (size_t i = 0; i < 3; i++) {
        counts[i] = fill(budget, &hosts[i], all[i]);
        assert_in_range(counts[i], left / 2, left / 2 + 1);
        left -= counts[i];
    }
    for (size_t i = 0; i < 3; i++) {
        while (counts[i] != 0)
            tls_handshake_end(&all[i][--counts[i]]);
        assert_int_equal(atomic_load(&hosts[i].handshake_bytes), 0);
    }
    counts[0] = fill(budget, &hosts[0], all[0]);
    assert_in_range(counts[0], whole / 2, whole / 2 + 1);
    while (counts[0] != 0)
        tls_handshake_end(&all[0][--counts[0]]);
    tls_budget_leave(budget);
}

TEST(a_clients_certificates_are_reserved_when_they_may_begin)
{
    static const uint8_t hello[] = {22, 3, 1, 0, 6, 1, 0, 0, 2, 3, 3};
    static const uint8_t certificate[] = {22, 3, 3, 0, 4, 11, 0, 1, 0};
    static const uint8_t encrypted[] = {23, 3, 3, 0, 100};
    struct stream_share host = {0};
    struct tls_budget *budget = tls_budget_create(10);
    assert_non_null(budget);
    for (int i = 0; i < 2; i++) {
        struct tls_handshake handshake = begin(budget, &host);
        assert_null(tls_handshake_read(&handshake, hello, sizeof hello, false));
        assert_int_equal(atomic_load(&host.handshake_bytes), CHAIN + 4 * 2);
        if (i == 0)
            assert_null(tls_handshake_read(&handshake, certificate, sizeof certificate, true));
        else
            assert_null(tls_handshake_read(&handshake, encrypted, sizeof encrypted, false));
        assert_int_equal(atomic_load(&host.handshake_bytes), CHAIN + 4 * 2 + CLIENT);
        tls_handshake_end(&handshake);
    }
    tls_budget_leave(budget);
}

TEST(a_handshake_is_limited_in_bytes)
{
    static const uint8_t filling[1005] = {23, 3, 3, 1000 / 256, 1000 % 256};
    struct tls_budget *budget = tls_budget_create(1);
    assert_non_null(budget);
    struct stream_share host = {0};
    struct tls_handshake handshake = begin(budget, &host);
    for (size_t size = sizeof filling; size <= TLS_HANDSHAKE_MOST; size += sizeof filling)
        assert_null(tls_handshake_read(&handshake, filling, sizeof filling, false));
    assert_string_equal(tls_handshake_read(&handshake, filling, sizeof filling, false),
                        "the handshake is longer than 64 KiB");
    tls_handshake_end(&handshake);
    tls_budget_leave(budget);
}
