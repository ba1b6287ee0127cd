/*
 * Tests senders whose datagrams arrive at several sockets. A number may be late by the contents of
 * those sockets.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/senders/sequence.h"
#include "tests/support/base/random_number.h"
#include "tests/support/senders/sequence_notes.h"
#include "tests/support/test.h"

#define WINDOW ((uint64_t)SEQUENCE_SPREAD_LEAST)

static int create_spread(void **state)
{
    return create_table(state) == 0 && sequence_add_spread(*state, WINDOW) ? 0 : -1;
}

/* --- the window ------------------------------------------------------------------------------- */

TEST(the_window_is_as_long_as_numbers_may_be_late_within_limits)
{
    assert_int_equal(sequence_spread_window(0), SEQUENCE_SPREAD_LEAST);
    assert_int_equal(sequence_spread_window(65536), 65536);
    assert_int_equal(sequence_spread_window(65537), 131072);
    assert_int_equal(sequence_spread_window(1048576), 1048576);
    assert_int_equal(sequence_spread_window(UINT64_MAX), SEQUENCE_SPREAD_MOST);
}

TEST_WITH(a_number_may_come_as_late_as_the_window_is_long, create_spread, destroy_table)
{
    note_spread(*state, 3, 1);
    for (uint64_t number = 3; number < 2 + WINDOW; number++)
        assert_quiet(note_spread(*state, 3, number));
    assert_quiet(note_spread(*state, 3, 2)); /* not counted as reordered */
    assert_outcome(note_spread(*state, 3, 2), .duplicated = 1);
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(a_number_is_lost_when_it_leaves_the_long_window, create_spread, destroy_table)
{
    note_spread(*state, 3, 1);
    for (uint64_t number = 3; number < 2 + WINDOW; number++)
        assert_quiet(note_spread(*state, 3, number));
    assert_outcome(note_spread(*state, 3, 2 + WINDOW), .lost = 1);
    assert_outcome(note_spread(*state, 3, 2), .late = 1);
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(a_new_life_knows_nothing_of_the_numbers_before, create_spread, destroy_table)
{
    for (uint64_t life = 1; life <= 5; life++) {
        note_spread(*state, life, 100 * life);
        note_spread(*state, life, 100 * life + WINDOW / 2);
        note_spread(*state, life, 100 * life + WINDOW - 1);
    }
    assert_outcome(note_spread(*state, 6, 7), .restarted = 1, .lost = WINDOW - 3);
    for (uint64_t number = 8; number < 7 + 2 * WINDOW; number++)
        assert_quiet(note_spread(*state, 6, number));
    assert_int_equal(settle(*state).lost, 0);
}

/* --- senders that use one socket -------------------------------------------------------------- */

TEST_WITH(spread_and_other_senders_have_separate_windows, create_spread, destroy_table)
{
    assert_outcome(note(*state, 3, 10), .new_senders = 1);
    assert_outcome(note_spread(*state, 3, 10), .new_senders = 1);
    assert_quiet(note(*state, 3, 12));
    assert_quiet(note_spread(*state, 3, 12));
    assert_outcome(note(*state, 3, 11), .reordered = 1);
    assert_quiet(note_spread(*state, 3, 11));
    assert_outcome(note(*state, 3, 12 + 2 * SEQUENCE_WINDOW),
                   .lost = SEQUENCE_WINDOW); /* the window of these senders is short */
    assert_quiet(note_spread(*state, 3, 12 + 2 * SEQUENCE_WINDOW));
}

static void add_up(void *context, const struct sequence_sender *sender)
{
    uint64_t *missing = context;
    missing[sender->listener] += sender->missing;
}

TEST_WITH(spread_senders_are_reported_with_the_others, create_spread, destroy_table)
{
    uint64_t missing[2] = {0};
    assert_true(sequence_keep_senders(*state));
    note(*state, 3, 10);
    note(*state, 3, 15);
    note_spread(*state, 3, 10);
    note_spread(*state, 3, 10010);
    sequence_each_sender(*state, add_up, missing);
    assert_int_equal(missing[0], 4);
    assert_int_equal(missing[1], 9999);
}

static bool ends_second(void *context, uint32_t listener, uint32_t numbering)
{
    (void)context;
    (void)numbering;
    return listener == 1;
}

static void add_lost(void *context, uint32_t listener, uint64_t lost)
{
    uint64_t *sums = context;
    sums[listener] += lost;
}

TEST_WITH(their_windows_are_closed_with_their_listener, create_spread, destroy_table)
{
    uint64_t lost[2] = {0};
    const struct sequence_closing closing = {ends_second, add_lost, lost};
    note(*state, 3, 10);
    note(*state, 3, 15);
    note_spread(*state, 3, 10);
    note_spread(*state, 3, 5000);
    sequence_close(*state, &closing);
    assert_int_equal(lost[0], 0);
    assert_int_equal(lost[1], 4989);
    assert_int_equal(settle(*state).lost, 4);
}

TEST_WITH(too_many_spread_senders_evict_each_other, create_spread, destroy_table)
{
    uint64_t evicted = 0;
    for (uint32_t i = 0; i < 4 * SEQUENCE_SPREAD_SENDERS; i++) {
        struct address source = address_from_ipv4((const uint8_t *)&i, 5000);
        struct sequence_key key = {.listener = 1, .source = &source, .spread = true};
        evicted += sequence_note(*state, &key, 3, 1).evicted;
    }
    assert_int_equal(settle(*state).senders + evicted, 4 * SEQUENCE_SPREAD_SENDERS);
    assert_true(evicted >= 3 * SEQUENCE_SPREAD_SENDERS);
}

/* --- datagrams in several sockets ------------------------------------------------------------- */

#define SOCKETS 4
#define HELD    (SEQUENCE_SPREAD_LEAST / SOCKETS / 2)
#define SENT    400000

struct sockets {
    uint64_t held[SOCKETS][HELD];
    size_t first[SOCKETS], count[SOCKETS];
};

struct sums {
    uint64_t lost, duplicated, other;
};

static void add_outcome(struct sums *sums, struct sequence_outcome outcome)
{
    sums->lost += outcome.lost;
    sums->duplicated += outcome.duplicated;
    sums->other += outcome.reordered + outcome.late + outcome.restarted + outcome.evicted;
}

static void receive(struct sequence_table *table, struct sockets *sockets, size_t socket,
                    uint64_t boot_id, struct sums *sums)
{
    uint64_t number = sockets->held[socket][sockets->first[socket]++ % HELD];
    sockets->count[socket]--;
    add_outcome(sums, note_spread(table, boot_id, number));
}

/*
 * Sends to a random socket. Returns true if the socket was full, so that the datagram was dropped.
 */
static bool send_to_any(struct sockets *sockets, uint64_t *random, uint64_t number)
{
    size_t socket = next_random(random) % SOCKETS;
    if (sockets->count[socket] == HELD)
        return true;
    sockets->held[socket][(sockets->first[socket] + sockets->count[socket]++) % HELD] = number;
    return false;
}

/* The threads receive from the sockets, and one of them stalls for a while. */
static void run_through_sockets(uint64_t seed, uint64_t boot_id, bool drops)
{
    struct sequence_table *table = sequence_table_create(1, sequence_secret);
    struct sockets *sockets = calloc(1, sizeof *sockets);
    assert_non_null(table);
    assert_non_null(sockets);
    assert_true(sequence_add_spread(table, SEQUENCE_SPREAD_LEAST));
    struct sums sums = {0};
    uint64_t random = seed, lost = 0, doubled = 0;
    add_outcome(&sums, note_spread(table, boot_id, 0));
    for (uint64_t number = 1; number < SENT; number++) {
        uint64_t dice = next_random(&random) % 1000;
        size_t still = number / (drops ? 12000 : 6000) % (SOCKETS + 1);
        if (dice < 7) {
            lost++;
        } else if (send_to_any(sockets, &random, number)) {
            lost++;
        } else if (dice < 14) {
            doubled += !send_to_any(sockets, &random, number);
        }
        for (size_t i = 0; i < SOCKETS; i++)
            for (uint64_t most = next_random(&random) % 3;
                 i != still && most != 0 && sockets->count[i] != 0; most--)
                receive(table, sockets, i, boot_id, &sums);
    }
    for (size_t i = 0; i < SOCKETS; i++)
        while (sockets->count[i] != 0)
            receive(table, sockets, i, boot_id, &sums);
    add_outcome(&sums, note_spread(table, boot_id, SENT));
    assert_int_equal(sums.lost + settle(table).lost, lost);
    assert_int_equal(sums.duplicated, doubled);
    assert_int_equal(sums.other, 0);
    free(sockets);
    sequence_table_destroy(table);
}

TEST(gaps_and_duplicates_of_the_sender_are_counted_exactly)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        run_through_sockets(seed, seed % 2, false);
}

TEST(drops_of_full_sockets_are_counted_exactly)
{
    for (uint64_t seed = 1; seed <= 4; seed++)
        run_through_sockets(seed, seed % 2, true);
}
