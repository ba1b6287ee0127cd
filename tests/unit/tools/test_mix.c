/* Tests which datagrams of sluice-send are made invalid. */

#include "tests/support/test.h"
#include "tools/send/mix.h"

TEST(a_share_is_a_percentage_or_a_fraction)
{
    static const struct {
        const char *text;
        struct share share;
    } right[] = {
        {"0%", {0, 100}},
        {"100%", {100, 100}},
        {"2.5%", {25, 1000}},
        {"0.1%", {1, 1000}},
        {"0.0001%", {1, 1000000}},
        {"1/3", {1, 3}},
        {"7/1000000", {7, 1000000}},
        {"0/1", {0, 1}},
        {"1/1", {1, 1}},
    };
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        struct share share = {0};
        if (!share_parse(right[i].text, &share))
            fail_msg("'%s' was refused", right[i].text);
        assert_int_equal(share.part, right[i].share.part);
        assert_int_equal(share.whole, right[i].share.whole);
    }
    static const char *const wrong[] = {
        "",    "%",   "5",  "0.5", "-1%", "101%",  "100.1%", "1.%",       ".5%",  "1.00001%",
        "1/0", "2/1", "1/", "/2",  "/",   "1/2/3", "1 %",    "1/1000001", "1e1%", "5 %",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct share share;
        if (share_parse(wrong[i], &share))
            fail_msg("'%s' was taken for a share", wrong[i]);
    }
}

TEST(one_kind_comes_every_nth_time)
{
    struct mix mix;
    assert_true(mix_init(&mix, (struct share[]){{0}, {1, 4}, {0}}));
    for (int i = 1; i <= 100; i++)
        assert_int_equal(mix_next(&mix), i % 4 == 2 ? DATAGRAM_EMPTY : DATAGRAM_GOOD);
}

TEST(the_counts_are_the_shares_at_every_moment)
{
    const struct share shares[] = {{1, 10}, {5, 100}, {1, 7}};
    struct mix mix;
    uint64_t counts[DATAGRAM_KINDS] = {0};
    assert_true(mix_init(&mix, shares));
    for (uint64_t n = 1; n <= 7000; n++) {
        counts[mix_next(&mix)]++;
        for (int kind = 0; kind < DATAGRAM_GOOD; kind++) {
            uint64_t whole = shares[kind].whole;
            uint64_t nearest = (n * shares[kind].part + (whole + 1) / 2) / whole;
            assert_in_range(counts[kind] + 1, nearest, nearest + 1);
        }
    }
    assert_int_equal(counts[DATAGRAM_MALFORMED], 700);
    assert_int_equal(counts[DATAGRAM_EMPTY], 350);
    assert_int_equal(counts[DATAGRAM_OVERSIZED], 1000);
}

/* At the fifth of every ten datagrams, both kinds are due. */
TEST(of_two_at_once_the_later_kind_waits)
{
    struct mix mix;
    assert_true(mix_init(&mix, (struct share[]){{1, 10}, {0}, {1, 10}}));
    for (int i = 1; i <= 100; i++)
        assert_int_equal(mix_next(&mix), i % 10 == 5   ? DATAGRAM_MALFORMED
                                         : i % 10 == 6 ? DATAGRAM_OVERSIZED
                                                       : DATAGRAM_GOOD);
}

TEST(shares_may_be_the_whole_and_not_more)
{
    struct mix mix;
    assert_false(mix_init(&mix, (struct share[]){{1, 2}, {1, 2}, {1, 1000000}}));
    assert_true(mix_init(&mix, (struct share[]){{1, 3}, {1, 3}, {1, 3}}));
    for (int i = 0; i < 300; i++)
        assert_int_equal(mix_next(&mix), i % 3);
    assert_true(mix_init(&mix, (struct share[]){{0}, {1, 1}, {0}}));
    for (int i = 0; i < 300; i++)
        assert_int_equal(mix_next(&mix), DATAGRAM_EMPTY);
    assert_true(mix_init(&mix, (struct share[]){{0}, {0}, {0}}));
    for (int i = 0; i < 300; i++)
        assert_int_equal(mix_next(&mix), DATAGRAM_GOOD);
}
