/*
 * Runs on one folder, each of which is killed. Each appended block is there, in order. Blocks that
 * were acknowledged before the last write of the cursor are not read again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/output_file.h"
#include "tests/support/base/random_number.h"
#include "tests/support/platform/again.h"
#include "tests/support/platform/outputs.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/spill/read_blocks.h"
#include "tests/support/spill/spilling.h"
#include "tests/support/test.h"

/* --- the run that is killed ------------------------------------------------------------------- */

/*
 * Reports a step to the test as a letter and a number. "A": block `number` was appended. "K": the
 * blocks up to `number` were acknowledged. "C": the cursor shows that.
 */
static bool say(struct output_file *out, char what, uint64_t number)
{
    char line[32];
    size_t written = 0;
    int length = snprintf(line, sizeof line, "%c%llu\n", what, (unsigned long long)number);
    return output_write(out, line, (size_t)length, &written) == WRITE_OK;
}

/*
 * Appends, reads, acknowledges and ticks in random order. Reads as often as it appends, so that some
 * kills find hardly any unread blocks. `argument` is "FOLDER NEXT SEED".
 */
static int work_until_killed(char *argument)
{
    char *seed_text = strrchr(argument, ' ');
    *seed_text++ = '\0';
    char *next_text = strrchr(argument, ' ');
    *next_text++ = '\0';
    uint64_t next = strtoull(next_text, NULL, 10);
    uint64_t seed = strtoull(seed_text, NULL, 10);
    uint64_t unacknowledged = 0;
    uint64_t last = 0; /* the number after the last acknowledged block */
    uint64_t read[16];
    struct output_file *out;
    struct spill *spill;
    struct spill_settings settings = spilling_settings();
    settings.folder = argument;
    settings.window = 16;
    if (spill_open(&settings, &spill, NULL) != 0 || output_file_open_stdout(&out, NULL) != 0 ||
        !say(out, 'O', 0))
        return 1;
    for (unsigned step = 0; step < 20000; step++) {
        uint64_t what = next_below(&seed, 10);
        if (what < 3) {
            if (spilling_offer(spill, next, NULL) == SPILL_STORED && !say(out, 'A', next++))
                return 1;
        } else if (what < 6) {
            uint64_t number;
            if (unacknowledged < 16 && spilling_read(spill, &number))
                read[unacknowledged++] = number;
        } else if (what < 9 && unacknowledged != 0) {
            acknowledge_oldest(spill);
            last = read[0] + 1;
            memmove(read, read + 1, --unacknowledged * sizeof read[0]);
            if (!say(out, 'K', last - 1))
                return 1;
        } else if (last != 0 && next_below(&seed, 20) == 0) {
            spill_tick(spill, clock_monotonic_ns() + 1, NULL);
            if (!say(out, 'C', last - 1))
                return 1;
        }
    }
    return 2;
}

/* --- the test --------------------------------------------------------------------------------- */

struct said {
    uint64_t appended;     /* the number after the last appended block */
    uint64_t acknowledged; /* the number after the last acknowledged block */
    uint64_t cursor;       /* the same, at the last write of the cursor */
    bool opened;
    char line[32];
    size_t length;
};

static void take_line(struct said *said)
{
    said->line[said->length] = '\0';
    uint64_t number = strtoull(said->line + 1, NULL, 10);
    if (said->line[0] == 'O')
        said->opened = true;
    else if (said->line[0] == 'A')
        said->appended = number + 1;
    else if (said->line[0] == 'K')
        said->acknowledged = number + 1;
    else
        said->cursor = number + 1;
    said->length = 0;
}

/* Reads about `most` bytes of the run's reports, or all up to its end. */
static void listen_to(struct again *again, struct said *said, size_t most)
{
    char bytes[512];
    size_t got = 1;
    for (size_t all = 0; all < most && got != 0; all += got) {
        size_t left = most - all;
        got = test_stream_read(again->output, bytes, left < sizeof bytes ? left : sizeof bytes);
        for (size_t i = 0; i < got; i++) {
            if (bytes[i] == '\n')
                take_line(said);
            else if (said->length < sizeof said->line - 1)
                said->line[said->length++] = bytes[i];
        }
    }
}

/*
 * Checks the folder of the killed run, which may have one more block than the run has reported.
 * Returns the number after the last block.
 */
static uint64_t check(const struct said *said)
{
    struct spill_settings settings = spilling_settings();
    settings.window = 100000;
    struct spill *spill = spilling_open_with(&settings);
    uint64_t number;
    uint64_t next = said->appended;
    bool first = true;
    while (spilling_read(spill, &number)) {
        if (first) {
            /*
             * The run may have been killed before it reported the last acknowledgement or the last
             * write of the cursor.
             */
            assert_in_range(number, said->cursor, said->acknowledged + 1);
            next = number;
        }
        first = false;
        assert_int_equal(number, next);
        next++;
    }
    assert_int_equal(spilling_counts(spill).lost, 0);
    if (first)
        assert_true(said->acknowledged + 1 >= said->appended);
    assert_in_range(next, said->appended, said->appended + 1);
    spilling_close(spill);
    return next;
}

/* A killed run may need time to end. When its pipe is closed, it has ended. */
static void after_a_kill_all_that_was_appended_is_there(void **state)
{
    (void)state;
    struct said said = {0};
    uint64_t seed = 1;
    for (unsigned kills = 0; kills < TEST_KILLS; kills++) {
        char argument[700];
        snprintf(argument, sizeof argument, "%s %llu %u", scratch_path("spill"),
                 (unsigned long long)said.appended, kills);
        said.opened = false;
        struct again again = again_start(argument);
        listen_to(&again, &said, 1 + (size_t)next_below(&seed, 4000));
        again_kill(&again);
        listen_to(&again, &said, SIZE_MAX);
        assert_int_not_equal(again_end(&again), 1);
        assert_true(said.opened);
        said.length = 0; /* discards an incomplete report */
        said.appended = check(&said);
    }
    assert_true(said.appended > 10 * TEST_KILLS);
    assert_true(said.acknowledged > 5 * TEST_KILLS);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return work_until_killed(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(after_a_kill_all_that_was_appended_is_there, scratch_make,
                                        scratch_remove),
    };
    return cmocka_run_group_tests_name("spill, killed", tests, NULL, NULL);
}
