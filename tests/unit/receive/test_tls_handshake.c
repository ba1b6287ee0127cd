/* The memory of all handshakes is limited, and returned when they end. */
#include <string.h>

#include "collector/receive/tls_handshake.h"
#include "tests/support/test.h"

/* The beginning of a record with a ClientHello that claims the longest allowed size. */
static const uint8_t longest[] = {22, 3, 1, 32, 4, 1, 0, 32, 0};

static const char *say(struct tls_handshake *handshake)
{
    return tls_handshake_read(handshake, longest, sizeof longest, false);
}

static struct tls_handshake begin(struct tls_budget *budget)
{
    struct tls_handshake handshake;
    memset(&handshake, 0, sizeof handshake);
    tls_handshake_begin(&handshake, budget, 1000);
    return handshake;
}

TEST(large_handshakes_share_the_memory_planned_for_all_connections)
{
    const size_t each = 1000 + 4 * TLS_HELLO_MOST;
    const size_t most = 10 * (TLS_CONNECTION_MEMORY - TLS_OPEN_MEMORY) / each;
    struct tls_budget *budget = tls_budget_create(10);
    assert_non_null(budget);
    struct tls_handshake all[10];
    assert_in_range(most, 2, 9);
    for (size_t i = 0; i <= most; i++) {
        all[i] = begin(budget);
        const char *too_much = say(&all[i]);
        if (i < most)
            assert_null(too_much);
        else
            assert_string_equal(too_much, "too many large handshakes at the same time");
    }
    for (size_t i = most - 1; i <= most; i++) { /* a refused handshake must be ended, too */
        tls_handshake_end(&all[i]);
        tls_handshake_end(&all[i]);
    }
    all[most] = begin(budget);
    assert_null(say(&all[most]));
    tls_budget_leave(budget); /* handshakes stay */
    for (size_t i = 0; i <= most; i++)
        tls_handshake_end(&all[i]);
    tls_budget_leave(NULL);
}

TEST(a_handshake_is_limited_in_bytes)
{
    static const uint8_t filling[1005] = {23, 3, 3, 1000 / 256, 1000 % 256};
    struct tls_budget *budget = tls_budget_create(1);
    assert_non_null(budget);
    struct tls_handshake handshake = begin(budget);
    for (size_t size = sizeof filling; size <= TLS_HANDSHAKE_MOST; size += sizeof filling)
        assert_null(tls_handshake_read(&handshake, filling, sizeof filling, false));
    assert_string_equal(tls_handshake_read(&handshake, filling, sizeof filling, false),
                        "the handshake is longer than 64 KiB");
    tls_handshake_end(&handshake);
    tls_budget_leave(budget);
}
