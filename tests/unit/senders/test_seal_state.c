/* Tests the state file of sealed datagrams across stops and crashes (seal_state.h). */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/data_file.h"
#include "collector/platform/file_system.h"
#include "collector/senders/seal_state.h"
#include "tests/support/base/random_number.h"
#include "tests/support/log/heard.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define SECOND INT64_C(1000000000)
#define START  (INT64_C(1700000000) * SECOND)

static struct error error;
static int64_t now_ns;

/* --- the disk and the clock ------------------------------------------------------------------- */

static int64_t monotonic_ns, sync_ns; /* the clock, and the time that a sync takes by it */
static struct seal_state *watched; /* if not NULL, a datagram is received at the end of each sync */
static unsigned lost;              /* number of these datagrams that were not accepted */

static void pass_time(void);

/*
 * The linker makes the program call the __wrap_ functions (--wrap in CMakeLists.txt). In these
 * tests a sync does not write to disk.
 */
bool __wrap_data_file_sync(struct data_file file, struct error *why);
bool __wrap_folder_sync(const char *path, struct error *why);
bool __wrap_folder_rename_file(const char *from, const char *to);
bool __real_folder_rename_file(const char *from, const char *to);
int64_t __wrap_clock_monotonic_ns(void);

enum step { STEP_NONE, STEP_SYNC, STEP_RENAME, STEP_FOLDER_SYNC, STEP_END };
static enum step failing;

static bool succeeds(enum step step, struct error *why)
{
    if (failing != step)
        return true;
    error_set(why, EXIT_CODE_IO, "planned");
    return false;
}

int64_t __wrap_clock_monotonic_ns(void)
{
    return monotonic_ns;
}

bool __wrap_data_file_sync(struct data_file file, struct error *why)
{
    (void)file;
    pass_time();
    return succeeds(STEP_SYNC, why);
}

bool __wrap_folder_sync(const char *path, struct error *why)
{
    (void)path;
    pass_time();
    return succeeds(STEP_FOLDER_SYNC, why);
}

bool __wrap_folder_rename_file(const char *from, const char *to)
{
    return succeeds(STEP_RENAME, NULL) && __real_folder_rename_file(from, to);
}

/* --- runs of the program ---------------------------------------------------------------------- */

static struct seal_state *open_state(void)
{
    struct seal_state *state;
    if (seal_state_open(scratch_path("state"), now_ns, &state, &error) != 0)
        fail_msg("%s", error.text);
    return state;
}

static struct seal_state *first_start(void)
{
    now_ns = START;
    return open_state();
}

static void write_at(struct seal_state *state, int64_t at_ns)
{
    now_ns = at_ns;
    if (seal_state_write(state, now_ns, &error) != 0)
        fail_msg("%s", error.text);
}

static struct seal_state *restart(struct seal_state *state)
{
    seal_state_close(state, now_ns);
    return open_state();
}

/*
 * Closes the state and opens it as after a crash: the file has what the last regular write wrote,
 * and not what the close writes.
 */
static struct seal_state *crash(struct seal_state *state)
{
    size_t size;
    char *bytes = scratch_read("state", &size);
    seal_state_close(state, now_ns);
    scratch_put("state", bytes, size);
    free(bytes);
    return open_state();
}

static enum seal_verdict take(struct seal_state *state, uint64_t id, uint64_t counter,
                              int64_t time_ns)
{
    const struct sealed_header header = {.session = 7, .counter = counter, .time_ns = time_ns};
    struct key_sessions *sessions = seal_state_sessions(state, id);
    assert_non_null(sessions);
    return key_sessions_take(sessions, &header);
}

#define assert_take(id, counter, time_ns, verdict)                                                 \
    assert_int_equal(take(sealed, (id), (counter), (time_ns)), (verdict))

static void pass_time(void)
{
    static uint64_t counter;
    monotonic_ns += sync_ns;
    now_ns += sync_ns;
    if (watched != NULL && take(watched, 1, ++counter, now_ns) != SEAL_ACCEPTED)
        lost++;
}

/* --- starts and stops ------------------------------------------------------------------------- */

TEST_WITH(a_first_start_accepts_nothing_that_was_sent_before_it, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed = first_start();
    assert_take(1, 1, START, SEAL_STALE);
    assert_take(1, 1, START + 1, SEAL_ACCEPTED);
    seal_state_close(sealed, now_ns);
}

TEST_WITH(a_stop_and_a_start_lose_nothing_and_repeat_nothing, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed = first_start();
    assert_take(1, 1, START + 1, SEAL_ACCEPTED);
    assert_take(1, 3, START + 3, SEAL_ACCEPTED);
    assert_take(2, 9, START + 5, SEAL_ACCEPTED);
    sealed = restart(sealed);
    assert_take(1, 1, START + 1, SEAL_REPLAYED);
    assert_take(1, 3, START + 3, SEAL_REPLAYED);
    assert_take(2, 9, START + 5, SEAL_REPLAYED);
    assert_take(1, 2, START + 2, SEAL_ACCEPTED);
    assert_take(1, 4, START + 4, SEAL_ACCEPTED);
    assert_take(3, 1, START, SEAL_STALE);
    seal_state_close(sealed, now_ns);
}

TEST_WITH(after_a_crash_only_what_is_later_than_was_written_ahead_is_accepted, scratch_make,
          scratch_remove)
{
    (void)state;
    struct seal_state *sealed = first_start();
    assert_take(1, 1, START + 1, SEAL_ACCEPTED);
    write_at(sealed, START + SECOND / 2);
    assert_take(1, 2, START + SECOND, SEAL_ACCEPTED);
    now_ns = START + SECOND;
    sealed = crash(sealed);
    assert_take(1, 1, START + 1, SEAL_STALE);
    assert_take(1, 2, START + SECOND, SEAL_STALE);
    assert_take(1, 3, START + SECOND + SECOND / 2, SEAL_STALE);
    assert_take(1, 4, START + SECOND + SECOND / 2 + 1, SEAL_ACCEPTED);
    assert_take(1, 2, START + SECOND, SEAL_STALE); /* the file has this session */
    assert_take(2, 1, START + SECOND, SEAL_STALE);
    seal_state_close(sealed, now_ns);
}

TEST_WITH(a_crash_after_a_clean_stop_repeats_nothing, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed = first_start();
    assert_take(1, 1, START + 1, SEAL_ACCEPTED);
    now_ns = START + 5 * SECOND;
    sealed = restart(sealed);
    assert_take(1, 2, START + 5 * SECOND, SEAL_ACCEPTED);
    sealed = crash(sealed);
    assert_take(1, 1, START + 1, SEAL_STALE);
    assert_take(1, 2, START + 5 * SECOND, SEAL_STALE);
    seal_state_close(sealed, now_ns);
}

/* --- the time limit that is written ahead ----------------------------------------------------- */

TEST_WITH(nothing_is_accepted_beyond_what_is_written, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed = first_start();
    assert_take(1, 1, START + SEAL_STATE_AHEAD_NS, SEAL_ACCEPTED);
    assert_take(1, 2, START + SEAL_STATE_AHEAD_NS + 1, SEAL_STALE);
    write_at(sealed, START + 1);
    assert_take(1, 2, START + SEAL_STATE_AHEAD_NS + 1, SEAL_ACCEPTED);
    seal_state_close(sealed, now_ns);
}

/* --- slow disks ------------------------------------------------------------------------------- */

/*
 * Writes at the times at which the state's thread would: half a second after the previous write
 * began, or when that write ends if this is later.
 */
static void write_times(struct seal_state *state, int times, int64_t sync_takes_ns)
{
    sync_ns = sync_takes_ns;
    for (int i = 0; i < times; i++) {
        const int64_t next_ns = now_ns + SEAL_STATE_WRITES_NS;
        write_at(state, now_ns);
        if (now_ns < next_ns)
            now_ns = next_ns;
    }
    sync_ns = 0;
}

static struct seal_state *start_watched(void)
{
    struct seal_state *state = first_start();
    watched = state;
    lost = 0;
    return state;
}

static void end_watched(struct seal_state *state)
{
    watched = NULL;
    seal_state_close(state, now_ns);
}

TEST_WITH(on_a_disk_that_stays_slow_what_is_sent_now_is_accepted, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed = start_watched();
    heard_begin();
    write_times(sealed, 1, 3 * SECOND);
    assert_int_equal(lost, 2); /* the limit in the file was that of a fast disk */
    write_times(sealed, 1, 3 * SECOND);
    /*
     * The limit in the first slow write was already over when it was on disk, so two more datagrams
     * are lost.
     */
    assert_int_equal(lost, 4);
    write_times(sealed, 20, 3 * SECOND);
    heard_end();
    assert_int_equal(lost, 4);
    assert_int_equal(heard("a write took 6.0 s"), 2);
    assert_int_equal(heard("in its last 5.0 s were refused as stale"), 1);
    end_watched(sealed);
}

TEST_WITH(a_disk_that_is_slow_at_times_is_written_ahead_of, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed = start_watched();
    write_times(sealed, 3, 2 * SECOND);
    lost = 0;
    for (int i = 0; i < 20; i++) {
        write_times(sealed, 1, 0);
        write_times(sealed, 1, 2 * SECOND);
    }
    assert_int_equal(lost, 0);
    end_watched(sealed);
}

TEST_WITH(a_slow_first_write_is_made_up_for_at_once, scratch_make, scratch_remove)
{
    (void)state;
    sync_ns = 2 * SECOND;
    struct seal_state *sealed = first_start();
    sync_ns = 0;
    now_ns = START + 8 * SECOND;
    heard_begin();
    assert_take(1, 1, now_ns, SEAL_ACCEPTED);
    watched = sealed;
    lost = 0;
    write_times(sealed, 1, 2 * SECOND);
    heard_end();
    assert_int_equal(lost, 0);
    assert_int_equal(heard("a write took"), 0);
    end_watched(sealed);
}

TEST_WITH(the_time_ahead_of_a_slow_disk_is_limited_and_ends_when_it_is_fast, scratch_make,
          scratch_remove)
{
    (void)state;
    struct seal_state *sealed = first_start();
    write_times(sealed, 1, 100 * SECOND);
    write_at(sealed, now_ns);
    assert_take(1, 1, now_ns + SEAL_STATE_AHEAD_MOST_NS, SEAL_ACCEPTED);
    assert_take(2, 1, now_ns + SEAL_STATE_AHEAD_MOST_NS + 1, SEAL_STALE);
    write_times(sealed, 200, 0);
    assert_take(1, 2, now_ns + SEAL_STATE_AHEAD_NS - SEAL_STATE_WRITES_NS, SEAL_ACCEPTED);
    assert_take(2, 1, now_ns + SEAL_STATE_AHEAD_NS - SEAL_STATE_WRITES_NS + 1, SEAL_STALE);
    seal_state_close(sealed, now_ns);
}

TEST_WITH(a_write_that_only_began_late_says_nothing_about_the_disk, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed = first_start();
    heard_begin();
    now_ns += 3600 * SECOND; /* as if the machine had been suspended */
    write_times(sealed, 3, SECOND / 10);
    heard_end();
    assert_int_equal(heard("a write took"), 0);
    seal_state_close(sealed, now_ns);
}

/* --- wrong clocks ----------------------------------------------------------------------------- */

TEST_WITH(a_sender_whose_clock_is_ahead_gets_a_time_of_its_own, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed = first_start();
    assert_take(1, 1, START + 20 * SECOND, SEAL_STALE);
    write_at(sealed, START + SECOND / 2);
    assert_take(1, 2, START + 20 * SECOND + 5, SEAL_ACCEPTED);
    assert_take(1, 3, START + 21 * SECOND, SEAL_ACCEPTED);
    assert_take(1, 4, START + 21 * SECOND + 1, SEAL_STALE);
    assert_take(2, 1, START + 20 * SECOND, SEAL_STALE);
    write_at(sealed, START + SECOND);
    assert_take(1, 5, START + 22 * SECOND, SEAL_ACCEPTED);
    now_ns = START + 2 * SECOND;
    sealed = crash(sealed);
    assert_take(1, 5, START + 22 * SECOND, SEAL_STALE);
    assert_take(3, 1, START + 2 * SECOND + 1, SEAL_ACCEPTED); /* other keys are not affected */
    seal_state_close(sealed, now_ns);
}

TEST_WITH(a_clock_that_is_set_back_lets_nothing_be_repeated, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed = first_start();
    write_at(sealed, START + 100 * SECOND);
    assert_take(1, 1, START + 100 * SECOND, SEAL_ACCEPTED);
    write_at(sealed, START + 50 * SECOND);
    assert_take(2, 1, START + 51 * SECOND + 1, SEAL_STALE);
    sealed = crash(sealed);
    assert_take(1, 1, START + 100 * SECOND, SEAL_STALE);
    seal_state_close(sealed, now_ns);
}

TEST_WITH(keys_that_no_file_has_are_left_out_after_a_day, scratch_make, scratch_remove)
{
    (void)state;
    size_t before, after;
    struct seal_state *sealed = first_start();
    assert_take(1, 1, START + 1, SEAL_ACCEPTED);
    sealed = restart(sealed);
    seal_state_close(sealed, now_ns);
    free(scratch_read("state", &before));
    now_ns = START + SEAL_STATE_KEPT_NS + 2;
    sealed = open_state();
    seal_state_close(sealed, now_ns);
    free(scratch_read("state", &after));
    assert_true(after < before);
    sealed = open_state();
    assert_take(1, 1, START + 1, SEAL_STALE);
    seal_state_close(sealed, now_ns);
}

/* --- files that are refused ------------------------------------------------------------------- */

static void expect_refused(const char *text)
{
    struct seal_state *refused;
    assert_int_equal(seal_state_open(scratch_path("state"), START, &refused, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    if (strstr(error.text, text) == NULL)
        fail_msg("%s", error.text);
}

TEST_WITH(a_file_that_is_damaged_or_cut_anywhere_is_refused, scratch_make, scratch_remove)
{
    (void)state;
    size_t size;
    struct seal_state *sealed = first_start();
    assert_take(1, 1, START + 1, SEAL_ACCEPTED);
    seal_state_close(sealed, now_ns);
    char *bytes = scratch_read("state", &size);
    for (size_t i = 0; i < size; i += TEST_PART) {
        bytes[i] ^= 4;
        scratch_put("state", bytes, size);
        bytes[i] ^= 4;
        assert_int_equal(seal_state_check(scratch_path("state"), &error), -1);
        scratch_put("state", bytes, i);
        assert_int_equal(seal_state_check(scratch_path("state"), &error), -1);
    }
    expect_refused("or remove it");
    assert_false(scratch_has("state.lock"));
    scratch_put("state", bytes, size);
    assert_int_equal(seal_state_check(scratch_path("state"), &error), 0);
    free(bytes);
}

TEST_WITH(a_check_of_a_missing_file_makes_none, scratch_make, scratch_remove)
{
    (void)state;
    assert_int_equal(seal_state_check(scratch_path("state"), &error), 0);
    assert_int_equal(scratch_count(""), 0);
}

TEST_WITH(two_programs_do_not_share_a_file, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed = first_start();
    expect_refused("another program uses this state file");
    seal_state_close(sealed, now_ns);
    assert_int_equal(scratch_count(""), 1);
}

TEST_WITH(a_lock_that_a_crash_left_is_taken_over, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("state.lock", "");
    scratch_put_text("state.new", "half of a");
    seal_state_close(first_start(), now_ns);
    assert_int_equal(scratch_count(""), 1);
}

TEST_WITH(a_folder_is_not_a_state_file, scratch_make, scratch_remove)
{
    (void)state;
    scratch_make_folder("state");
    expect_refused("cannot be opened");
}

TEST_WITH(a_write_that_fails_lets_the_written_time_run_out, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed = first_start();
    scratch_make_folder("state.new");
    assert_int_equal(seal_state_write(sealed, START + 5 * SECOND, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_IO);
    assert_take(1, 1, START + SECOND, SEAL_ACCEPTED);
    assert_take(1, 2, START + 5 * SECOND, SEAL_STALE);
    heard_begin();
    seal_state_close(sealed, now_ns);
    heard_end();
    assert_int_equal(heard("the next start accepts nothing that was sent until now"), 1);
}

TEST_WITH(any_step_of_a_write_may_fail, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed = first_start();
    for (failing = STEP_SYNC; failing != STEP_END; failing++) {
        assert_int_equal(seal_state_write(sealed, START + 5 * SECOND, &error), -1);
        assert_int_equal(error.code, EXIT_CODE_IO);
        assert_take(1, 1, START + 5 * SECOND, SEAL_STALE);
        assert_int_equal(seal_state_check(scratch_path("state"), &error), 0);
    }
    failing = STEP_NONE;
    write_at(sealed, START + 5 * SECOND);
    assert_take(1, 1, START + 5 * SECOND, SEAL_ACCEPTED);
    seal_state_close(sealed, now_ns);
}

/* --- random order ----------------------------------------------------------------------------- */

#define KEYS  3
#define SENT  1500
#define SEEDS (TEST_TRIES(5))

struct sent {
    uint64_t id, session, counter;
    int64_t time_ns;
    bool accepted;
};

static struct sent history[SENT];

static enum seal_verdict take_sent(struct seal_state *sealed, const struct sent *sent)
{
    const struct sealed_header header = {
        .session = sent->session, .counter = sent->counter, .time_ns = sent->time_ns};
    return key_sessions_take(seal_state_sessions(sealed, sent->id), &header);
}

/*
 * Makes a datagram of a random key, with a time that may be late. The sender that has key 1 has a
 * clock that is 10 s ahead.
 */
static struct sent send_next(uint64_t *random, uint64_t counter)
{
    uint64_t id = 1 + next_below(random, KEYS);
    int64_t late_ns = (int64_t)(next_below(random, 4)) * SECOND / 8;
    return (struct sent){.id = id,
                         .session = next_below(random, 12),
                         .counter = counter,
                         .time_ns = now_ns + (id == 1 ? 10 * SECOND : 0) - late_ns};
}

static void live(uint64_t seed)
{
    uint64_t random = seed;
    struct seal_state *sealed = first_start();
    for (size_t i = 0; i < SENT; i++) {
        now_ns += (int64_t)(next_below(&random, 16)) * SECOND / 64;
        history[i] = send_next(&random, i + 1);
        history[i].accepted = take_sent(sealed, &history[i]) == SEAL_ACCEPTED;
        const struct sent *again = &history[next_below(&random, i + 1)];
        if (again->accepted)
            assert_int_not_equal(take_sent(sealed, again), SEAL_ACCEPTED);
        uint64_t event = next_below(&random, 200);
        if (event == 0)
            sealed = restart(sealed);
        else if (event == 1)
            sealed = crash(sealed);
        else if (event < 20)
            write_times(sealed, 1, (int64_t)next_below(&random, 4) * SECOND / 4);
    }
    for (size_t i = 0; i < SENT; i++)
        if (history[i].accepted)
            assert_int_not_equal(take_sent(sealed, &history[i]), SEAL_ACCEPTED);
    seal_state_close(sealed, now_ns);
}

TEST_WITH(in_no_order_of_events_is_anything_accepted_twice, scratch_make, scratch_remove)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        heard_begin(); /* slow writes log warnings */
        live(seed);
        heard_end();
        size_t accepted = 0;
        for (size_t i = 0; i < SENT; i++)
            accepted += history[i].accepted;
        assert_true(accepted > SENT / 3);
        assert_int_equal(remove(scratch_path("state")), 0);
    }
}
