/* Tests sequence numbers of senders: lost, late, reordered and duplicated ones, and restarts. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/senders/sequence.h"
#include "tests/support/base/random_number.h"
#include "tests/support/senders/sequence_notes.h"
#include "tests/support/test.h"

#define WINDOW ((uint64_t)SEQUENCE_WINDOW)

/* --- loss ------------------------------------------------------------------------------------- */

TEST_WITH(numbers_in_order_lose_nothing, create_table, destroy_table)
{
    assert_outcome(note(*state, 9, 100), .new_senders = 1);
    for (uint64_t number = 101; number < 5000; number++)
        assert_quiet(note(*state, 9, number));
    struct settled settled = settle(*state);
    assert_int_equal(settled.lost, 0);
    assert_int_equal(settled.senders, 1);
}

TEST_WITH(numbers_may_begin_anywhere, create_table, destroy_table)
{
    assert_outcome(note_as(*state, "a", 0, 1, 0), .new_senders = 1);
    assert_outcome(note_as(*state, "b", 0, 1, UINT64_MAX), .new_senders = 1);
    assert_outcome(note_as(*state, "c", 0, 1, UINT64_C(1) << 40), .new_senders = 1);
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(a_number_is_lost_when_it_leaves_the_window, create_table, destroy_table)
{
    note(*state, 1, 10);
    assert_quiet(note(*state, 1, 12));
    for (uint64_t number = 13; number < 11 + WINDOW; number++)
        assert_quiet(note(*state, 1, number));
    assert_outcome(note(*state, 1, 11 + WINDOW), .lost = 1);
    assert_quiet(note(*state, 1, 12 + WINDOW));
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(a_gap_leaves_the_window_in_bulk, create_table, destroy_table)
{
    note(*state, 1, 0);
    assert_quiet(note(*state, 1, 500));
    assert_outcome(note(*state, 1, 400 + WINDOW), .lost = 400); /* 1 to 400 */
    assert_outcome(note(*state, 1, 600 + WINDOW), .lost = 199); /* 401 to 600 without 500 */
    assert_int_equal(settle(*state).lost, WINDOW - 2);
}

TEST_WITH(a_jump_past_the_window_loses_what_it_skips_too, create_table, destroy_table)
{
    note(*state, 1, 0);
    note(*state, 1, 2);
    /*
     * 1 and the numbers from 3 to 3976 are lost. Those from 3977 to 5000 are still in the window.
     */
    assert_outcome(note(*state, 1, 5000), .lost = 1 + (5000 - WINDOW) - 2);
    assert_int_equal(settle(*state).lost, WINDOW - 1);
}

TEST_WITH(a_jump_of_just_the_window_keeps_what_it_skips_waiting, create_table, destroy_table)
{
    note(*state, 1, 7);
    assert_quiet(note(*state, 1, 7 + WINDOW));
    for (uint64_t number = 8; number < 7 + WINDOW; number++)
        assert_outcome(note(*state, 1, number), .reordered = 1);
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(unseen_numbers_are_lost_at_the_end, create_table, destroy_table)
{
    note_as(*state, "a", 3, 1, 10);
    note_as(*state, "a", 3, 1, 20);
    note_as(*state, "b", 3, 1, 10);
    struct settled settled = settle(*state);
    assert_int_equal(settled.lost, 9);
    assert_int_equal(settled.senders, 2);
}

TEST_WITH(finishing_removes_all_senders, create_table, destroy_table)
{
    note(*state, 1, 10);
    note(*state, 1, 12);
    assert_int_equal(settle(*state).lost, 1);
    assert_int_equal(settle(*state).senders, 0);
    assert_outcome(note(*state, 1, 11), .new_senders = 1);
    assert_int_equal(settle(*state).lost, 0);
}

static void note_listener(void *context, uint32_t listener, uint64_t lost)
{
    uint64_t *lost_by_listener = context;
    lost_by_listener[listener] += lost;
}

TEST_WITH(finishing_names_the_listener, create_table, destroy_table)
{
    uint64_t lost[3] = {0};
    note_as(*state, "a", 1, 1, 10);
    note_as(*state, "a", 1, 1, 12);
    note_as(*state, "a", 2, 1, 10);
    note_as(*state, "a", 2, 1, 15);
    sequence_finish(*state, note_listener, lost);
    assert_int_equal(lost[0], 0);
    assert_int_equal(lost[1], 1);
    assert_int_equal(lost[2], 4);
}

static bool is_second_numbering_of_first(void *context, uint32_t listener, uint32_t numbering)
{
    (void)context;
    return listener == 1 && numbering == 2;
}

static void note_numbered(struct sequence_table *table, uint32_t listener, uint32_t numbering,
                          uint64_t number)
{
    static const uint8_t host[4] = {192, 0, 2, 1};
    struct address source = address_from_ipv4(host, 5000);
    const struct sequence_key key = {
        .listener = listener, .numbering = numbering, .source = &source};
    sequence_note(table, &key, 1, number);
}

TEST_WITH(only_closed_windows_count_their_losses, create_table, destroy_table)
{
    uint64_t lost[3] = {0};
    const struct sequence_closing closing = {is_second_numbering_of_first, note_listener, lost};
    for (uint32_t listener = 1; listener <= 2; listener++)
        for (uint32_t numbering = 1; numbering <= 2; numbering++) {
            note_numbered(*state, listener, numbering, 10);
            note_numbered(*state, listener, numbering, 14);
        }
    sequence_close(*state, &closing);
    assert_int_equal(lost[1], 3);
    assert_int_equal(lost[2], 0);
    note_numbered(*state, 1, 2, 100);
    note_numbered(*state, 1, 1, 13);
    sequence_finish(*state, note_listener, lost);
    assert_int_equal(lost[1], 3 + 2);
    assert_int_equal(lost[2], 6);
}

/* --- order ------------------------------------------------------------------------------------ */

TEST_WITH(a_number_that_comes_late_inside_the_window_is_reordered, create_table, destroy_table)
{
    note(*state, 1, 1);
    note(*state, 1, 3);
    assert_outcome(note(*state, 1, 2), .reordered = 1);
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(a_number_that_comes_twice_is_duplicated, create_table, destroy_table)
{
    note(*state, 1, 5);
    assert_outcome(note(*state, 1, 5), .duplicated = 1);
    note(*state, 1, 6);
    note(*state, 1, 8);
    assert_outcome(note(*state, 1, 5), .duplicated = 1);
    assert_outcome(note(*state, 1, 7), .reordered = 1);
    assert_outcome(note(*state, 1, 7), .duplicated = 1);
    assert_outcome(note(*state, 1, 8), .duplicated = 1);
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(the_window_is_just_1024_numbers_long, create_table, destroy_table)
{
    note(*state, 1, 0);
    note(*state, 1, 2000);
    assert_outcome(note(*state, 1, 2000 - WINDOW + 1), .reordered = 1);
    assert_outcome(note(*state, 1, 2000 - WINDOW), .late = 1);
}

TEST_WITH(a_number_that_left_the_window_is_late_and_stays_lost, create_table, destroy_table)
{
    note(*state, 1, 0);
    assert_outcome(note(*state, 1, 1 + WINDOW), .lost = 1);
    assert_outcome(note(*state, 1, 1), .late = 1);
    assert_outcome(note(*state, 1, 1), .late = 1);
    assert_outcome(note(*state, 1, 0), .late = 1);
    assert_int_equal(settle(*state).lost, WINDOW - 1);
}

TEST_WITH(a_late_number_below_the_first_moves_the_beginning, create_table, destroy_table)
{
    note(*state, 1, 105);
    assert_outcome(note(*state, 1, 102), .reordered = 1);
    assert_outcome(note(*state, 1, 102), .duplicated = 1);
    assert_outcome(note(*state, 1, 104), .reordered = 1);
    assert_int_equal(settle(*state).lost, 1); /* 103; no number below 102 */
}

TEST_WITH(swapped_first_datagrams_are_not_lost, create_table, destroy_table)
{
    note(*state, 1, 1);
    assert_outcome(note(*state, 1, 0), .reordered = 1);
    for (uint64_t number = 2; number < 3000; number++)
        assert_quiet(note(*state, 1, number));
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(numbers_before_the_first_are_not_expected, create_table, destroy_table)
{
    note(*state, 1, 5000);
    for (uint64_t number = 5001; number < 9000; number++)
        assert_quiet(note(*state, 1, number));
    assert_int_equal(settle(*state).lost, 0);
}

/* --- restarts --------------------------------------------------------------------------------- */

TEST_WITH(a_changed_boot_id_restarts_and_counts_earlier_losses, create_table, destroy_table)
{
    note(*state, 1, 10);
    note(*state, 1, 14);
    assert_outcome(note(*state, 2, 11), .restarted = 1, .lost = 3);
    assert_quiet(note(*state, 2, 12));
    assert_outcome(note(*state, 2, 10), .reordered = 1);
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(a_boot_id_that_appears_is_a_changed_one, create_table, destroy_table)
{
    note(*state, 0, 10);
    assert_outcome(note(*state, 7, 11), .restarted = 1);
    assert_outcome(note(*state, 0, 12), .restarted = 1);
}

TEST_WITH(two_numbers_below_the_window_restart_a_sender_without_boot_id, create_table,
          destroy_table)
{
    note(*state, 0, 5000);
    note(*state, 0, 5003);
    assert_outcome(note(*state, 0, 5002 - WINDOW), .late = 1);
    assert_outcome(note(*state, 0, 5003 - WINDOW), .restarted = 1, .lost = 2);
    assert_quiet(note(*state, 0, 5004 - WINDOW));
    assert_outcome(note(*state, 0, 5002 - WINDOW), .duplicated = 1);
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(one_number_below_the_window_restarts_no_sender, create_table, destroy_table)
{
    note(*state, 0, 5000);
    assert_outcome(note(*state, 0, 3000), .late = 1);
    assert_quiet(note(*state, 0, 5001));
    assert_outcome(note(*state, 0, 3001), .late = 1); /* not consecutive with the next one */
    assert_outcome(note(*state, 0, 3001), .late = 1); /* the same number again */
    assert_outcome(note(*state, 0, 100), .late = 1);  /* does not follow the previous one */
    /* This number is too far ahead of the previous one to be its successor. */
    assert_outcome(note(*state, 0, 100 + WINDOW), .late = 1);
    assert_quiet(note(*state, 0, 5002));
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(a_restart_of_one_sender_is_not_seen_in_another, create_table, destroy_table)
{
    note_as(*state, "a", 0, 0, 5000);
    note_as(*state, "b", 0, 0, 5000);
    assert_outcome(note_as(*state, "a", 0, 0, 1), .late = 1);
    assert_outcome(note_as(*state, "b", 0, 0, 2), .late = 1);
    assert_outcome(note_as(*state, "a", 0, 0, 2), .restarted = 1);
    assert_outcome(note_as(*state, "b", 0, 0, 4), .restarted = 1);
    assert_int_equal(settle(*state).lost, 1);
}

TEST_WITH(numbers_below_the_window_are_late_where_the_boot_id_stays, create_table, destroy_table)
{
    note(*state, 7, 5000);
    note(*state, 7, 5003);
    assert_outcome(note(*state, 7, 5003 - WINDOW), .late = 1);
    assert_quiet(note(*state, 7, 5004));
    assert_int_equal(settle(*state).lost, 2);
}

TEST_WITH(a_jump_too_far_ahead_is_a_restart, create_table, destroy_table)
{
    note(*state, 7, 10);
    note(*state, 7, 12);
    uint64_t far = 12 + SEQUENCE_MAX_JUMP + 1;
    assert_outcome(note(*state, 7, far), .restarted = 1, .lost = 1);
    assert_quiet(note(*state, 7, far + 1));
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(the_longest_jump_is_loss, create_table, destroy_table)
{
    note(*state, 7, 10);
    assert_outcome(note(*state, 7, 10 + SEQUENCE_MAX_JUMP), .lost = SEQUENCE_MAX_JUMP - WINDOW);
    assert_int_equal(settle(*state).lost, WINDOW - 1);
}

/* --- the smallest and the largest numbers ----------------------------------------------------- */

TEST_WITH(zero_is_an_ordinary_number, create_table, destroy_table)
{
    note(*state, 1, 0);
    assert_outcome(note(*state, 1, 0), .duplicated = 1);
    note(*state, 1, 3);
    assert_outcome(note(*state, 1, 1), .reordered = 1);
    assert_int_equal(settle(*state).lost, 1);
}

TEST_WITH(the_highest_number_is_an_ordinary_one, create_table, destroy_table)
{
    note(*state, 1, UINT64_MAX - 3);
    assert_quiet(note(*state, 1, UINT64_MAX));
    assert_outcome(note(*state, 1, UINT64_MAX), .duplicated = 1);
    assert_outcome(note(*state, 1, UINT64_MAX - 2), .reordered = 1);
    assert_outcome(note(*state, 1, UINT64_MAX - WINDOW + 1), .reordered = 1);
    assert_outcome(note(*state, 1, UINT64_MAX - WINDOW), .late = 1);
    assert_int_equal(settle(*state).lost, WINDOW - 4);
}

TEST_WITH(numbers_that_wrap_around_are_lower, create_table, destroy_table)
{
    note_as(*state, "a", 0, 1, UINT64_MAX);
    assert_outcome(note_as(*state, "a", 0, 1, 0), .late = 1);
    note_as(*state, "b", 0, 0, UINT64_MAX);
    assert_outcome(note_as(*state, "b", 0, 0, 0), .late = 1);
    assert_outcome(note_as(*state, "b", 0, 0, 1), .restarted = 1);
    assert_outcome(note_as(*state, "b", 0, 0, UINT64_MAX), .restarted = 1);
    assert_int_equal(settle(*state).lost, 0);
}

/* --- numbers of 32 bits ----------------------------------------------------------------------- */

static struct sequence_outcome note32(struct sequence_table *table, uint32_t number)
{
    static const uint8_t host[4] = {192, 0, 2, 1};
    struct address source = address_from_ipv4(host, 5000);
    struct sequence_key key = {.source = &source, .wraps = true};
    return sequence_note(table, &key, 0, number);
}

TEST_WITH(zero_follows_the_largest_number_of_32_bits, create_table, destroy_table)
{
    assert_outcome(note32(*state, UINT32_MAX - 2), .new_senders = 1);
    assert_quiet(note32(*state, UINT32_MAX));
    assert_quiet(note32(*state, 0));
    assert_quiet(note32(*state, 3));
    assert_outcome(note32(*state, 2), .reordered = 1);
    assert_outcome(note32(*state, UINT32_MAX), .duplicated = 1);
    assert_outcome(note32(*state, UINT32_MAX - 1), .reordered = 1);
    assert_int_equal(settle(*state).lost, 1); /* number 1 */
}

TEST_WITH(numbers_before_a_small_first_number_are_older, create_table, destroy_table)
{
    assert_outcome(note32(*state, 1), .new_senders = 1);
    assert_outcome(note32(*state, UINT32_MAX), .reordered = 1);
    assert_outcome(note32(*state, 0), .reordered = 1);
    assert_quiet(note32(*state, 2));
    assert_int_equal(settle(*state).lost, 0);
}

TEST_WITH(a_sender_of_32_bits_restarts_in_either_direction, create_table, destroy_table)
{
    note32(*state, 3000000000u);
    assert_outcome(note32(*state, 3000000000u - 5000), .late = 1);
    assert_outcome(note32(*state, 3000000000u - 4999), .restarted = 1);
    assert_outcome(note32(*state, 1), .restarted = 1); /* a jump ahead is the shorter distance */
    assert_outcome(note32(*state, 1u << 31), .restarted = 1);
    /* Each restart goes from the previous number to one that is half of all numbers lower. */
    for (uint32_t i = 0; i < 8; i++) {
        if (i % 2 == 0)
            assert_outcome(note32(*state, 5), .late = 1);
        assert_outcome(note32(*state, i % 2 == 0 ? 6 : (1u << 31) + 5), .restarted = 1);
    }
    assert_quiet(note32(*state, (1u << 31) + 6));
    assert_int_equal(settle(*state).lost, 0);
}

/*
 * The third restart goes below the first number, so the numbers after it pass the largest one,
 * which is followed by 0.
 */
TEST_WITH(zero_follows_the_largest_number_after_restarts_backwards, create_table, destroy_table)
{
    static const uint32_t back = (1u << 31) - 1;
    uint32_t number = (1u << 31) - 4;
    note32(*state, number);
    for (int i = 0; i < 3; i++) {
        number -= back;
        assert_outcome(note32(*state, number - 1), .late = 1);
        assert_outcome(note32(*state, number), .restarted = 1);
    }
    assert_int_equal(number, UINT32_MAX);
    assert_quiet(note32(*state, 0));
    assert_int_equal(settle(*state).lost, 0);
}

/* --- comparison with a simple model ----------------------------------------------------------- */

enum { MODEL_NUMBERS = 200000 };

struct model {
    bool started;
    bool seen[MODEL_NUMBERS];
    uint64_t first, highest;
    uint64_t settled; /* all lower numbers are counted, or were never expected */
    bool suspected;   /* the last number was below the window, and there is no boot id */
    uint64_t suspect;
};

static uint64_t model_settle(struct model *model, uint64_t end)
{
    uint64_t lost = 0;
    for (; model->settled < end; model->settled++)
        lost += model->settled >= model->first && !model->seen[model->settled];
    return lost;
}

static void model_begin(struct model *model, uint64_t number)
{
    memset(model->seen, 0, sizeof model->seen);
    model->started = true;
    model->first = model->highest = number;
    model->settled = number < WINDOW ? 0 : number - WINDOW + 1;
    model->seen[number] = true;
}

static struct sequence_outcome model_note(struct model *model, uint64_t boot_id, uint64_t number)
{
    struct sequence_outcome outcome = {0};
    if (!model->started) {
        model_begin(model, number);
        outcome.new_senders = 1;
    } else if (number + WINDOW <= model->highest) {
        bool restarts =
            model->suspected && number > model->suspect && number < model->suspect + WINDOW;
        model->suspected = boot_id == 0 && !restarts;
        if (restarts) {
            outcome.restarted = 1;
            outcome.lost = model_settle(model, model->highest + 1);
            model_begin(model, model->suspect);
            model->highest = number;
            model->seen[number] = true;
        } else {
            outcome.late = 1;
            model->suspect = number;
        }
        return outcome;
    } else if (number > model->highest) {
        model->seen[number] = true;
        model->highest = number;
        if (number >= WINDOW)
            outcome.lost = model_settle(model, number - WINDOW + 1);
    } else if (model->seen[number]) {
        outcome.duplicated = 1;
    } else {
        outcome.reordered = 1;
        model->seen[number] = true;
        if (number < model->first)
            model->first = number;
    }
    model->suspected = false;
    return outcome;
}

/*
 * Returns the sender's next number. It is mostly one more than the last, but some numbers leave a
 * gap, are repeated or are out of order.
 */
static uint64_t next_number(uint64_t *random, uint64_t *cursor)
{
    uint64_t dice = next_random(random) % 1000;
    uint64_t distance = next_random(random);
    if (dice < 600)
        return ++*cursor;
    if (dice < 700)
        return *cursor += 1 + distance % 5;
    if (dice < 703)
        return *cursor += distance % 3000;
    uint64_t back = dice < 850 ? distance % 8 : dice < 980 ? distance % 1023 : distance % 1500;
    return back < *cursor ? *cursor - back : 0;
}

static void run_against_model(uint64_t seed, uint64_t boot_id)
{
    struct sequence_table *table = sequence_table_create(1, sequence_secret);
    struct model *model = calloc(1, sizeof *model);
    assert_non_null(table);
    assert_non_null(model);
    uint64_t random = seed;
    uint64_t cursor = seed % 2000;
    for (int i = 0; i < 20000 && cursor < MODEL_NUMBERS - 10000; i++) {
        uint64_t number = next_number(&random, &cursor);
        struct sequence_outcome expected = model_note(model, boot_id, number);
        assert_same_outcome(note(table, boot_id, number), expected, i);
    }
    assert_int_equal(settle(table).lost, model_settle(model, model->highest + 1));
    free(model);
    sequence_table_destroy(table);
}

TEST(random_streams_are_counted_as_a_naive_model_counts_them)
{
    for (uint64_t seed = 1; seed <= 40; seed++)
        run_against_model(seed, seed % 4);
}
