/* Tests keys and the state of their sessions when memory is short. */
#include <stdio.h>
#include <string.h>

#include "collector/senders/seal_state.h"
#include "collector/senders/sender_keys.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define START  INT64_C(1700000000000000000)
#define KEY    "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define FIRST  "a 0000000000000001 " KEY "\n"
#define SECOND "b 0000000000000002 " KEY "\n"

/* This number of keys makes the tables of a state grow. */
#define MANY 40

static struct error error;

static bool open_all(struct seal_state **state, struct sender_keys **keys)
{
    *state = NULL;
    *keys = NULL;
    if (seal_state_open(scratch_path("state"), START, state, &error) != 0)
        return false;
    const struct sender_keys_options options = {.path = scratch_path("keys"), .state = *state};
    return sender_keys_load(&options, keys, &error) == 0;
}

static enum seal_verdict take(const struct sender_keys *keys, uint64_t id, uint64_t counter)
{
    const struct sealed_header header = {
        .session = 7, .counter = counter, .time_ns = START + (int64_t)counter};
    const struct sender_key *key = sender_keys_find(keys, id);
    assert_non_null(key);
    return key_sessions_take(key->sessions, &header);
}

/*
 * Asserts that the error is about memory. If an allocation for a path fails on Windows, the error
 * is "cannot be renamed".
 */
static void assert_says_why(void)
{
    assert_true(strstr(error.text, "memory") != NULL ||
                strstr(error.text, "cannot be renamed") != NULL);
}

TEST_WITH(each_allocation_may_fail, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed;
    struct sender_keys *keys;
    bool opened = false, all = false;
    uint64_t failures = 0;
    scratch_put_text("keys", FIRST SECOND);
    scratch_make_private("keys");
    assert_true(open_all(&sealed, &keys)); /* loads the library, and writes a file with windows */
    sender_keys_release(keys);
    seal_state_close(sealed, START);
    while (!all) { /* some allocations may fail without a consequence */
        failing_memory_fail(++failures);
        opened = open_all(&sealed, &keys);
        all = failing_memory_left() != 0;
        if (!opened)
            assert_says_why();
        failing_memory_fail(0);
        sender_keys_release(keys);
        seal_state_close(sealed, START);
    }
    assert_true(opened);
    assert_true(failures > 10);
}

static void put_many_keys(void)
{
    char text[MANY * 80];
    size_t used = 0;
    for (unsigned i = 1; i <= MANY; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "a %016x " KEY "\n", i);
    scratch_put_text("keys", text);
    scratch_make_private("keys");
}

static struct sender_keys *reload(struct seal_state *sealed, const struct sender_keys *before,
                                  uint64_t *counter)
{
    struct sender_keys *keys = NULL;
    const struct sender_keys_options options = {.path = scratch_path("keys"),
                                                .state = sealed,
                                                .before = &before,
                                                .before_count = 1,
                                                .floor_ns = START};
    for (uint64_t number = 1; keys == NULL; number++) {
        failing_memory_fail(number);
        int result = sender_keys_load(&options, &keys, &error);
        failing_memory_fail(0);
        assert_int_equal(result, keys == NULL ? -1 : 0);
        assert_true(keys != NULL || strstr(error.text, "memory") != NULL);
        assert_int_equal(take(before, 1, *counter), SEAL_REPLAYED);
        assert_int_equal(take(before, 1, ++*counter), SEAL_ACCEPTED);
    }
    return keys;
}

static void assert_reloads_keep_windows(struct seal_state *sealed)
{
    struct sender_keys *before = NULL;
    uint64_t counter = 1;
    scratch_put_text("keys", FIRST);
    scratch_make_private("keys");
    const struct sender_keys_options options = {
        .path = scratch_path("keys"), .state = sealed, .floor_ns = START};
    assert_int_equal(sender_keys_load(&options, &before, &error), 0);
    assert_int_equal(take(before, 1, counter), SEAL_ACCEPTED);
    put_many_keys();
    struct sender_keys *after = reload(sealed, before, &counter);
    sender_keys_release(before);
    assert_int_equal(take(after, 1, counter), SEAL_REPLAYED);
    assert_int_equal(take(after, MANY, 1), SEAL_ACCEPTED);
    sender_keys_release(after);
}

TEST_WITH(a_reload_without_memory_leaves_the_keys_and_their_windows_as_they_are, scratch_make,
          scratch_remove)
{
    (void)state;
    struct seal_state *sealed = NULL;
    assert_reloads_keep_windows(NULL);
    assert_int_equal(seal_state_open(scratch_path("state"), START, &sealed, &error), 0);
    assert_reloads_keep_windows(sealed);
    seal_state_close(sealed, START + 1);
}

/*
 * Takes a datagram with a time far ahead for each key. The state must then write a time of its own
 * for each key, which makes the image of a write large.
 */
static void want_own_times(const struct sender_keys *keys)
{
    for (uint64_t id = 1; id <= MANY; id++) {
        const struct sealed_header ahead = {
            .session = 7, .counter = 1, .time_ns = START + 100 * SEAL_STATE_AHEAD_NS};
        assert_int_equal(key_sessions_take(sender_keys_find(keys, id)->sessions, &ahead),
                         SEAL_STALE);
    }
}

TEST_WITH(a_write_without_memory_allows_nothing_and_is_made_up_for, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed;
    struct sender_keys *keys;
    uint64_t failures = 0;
    put_many_keys();
    assert_true(open_all(&sealed, &keys));
    for (bool written = false; !written; failures++) {
        want_own_times(keys);
        failing_memory_fail(failures + 1);
        written = seal_state_write(sealed, START + 1, &error) == 0;
        failing_memory_fail(0);
        if (!written)
            assert_says_why();
    }
    assert_true(failures > 1);
    const struct sealed_header ahead = {
        .session = 7, .counter = 1, .time_ns = START + 100 * SEAL_STATE_AHEAD_NS};
    assert_int_equal(key_sessions_take(sender_keys_find(keys, MANY)->sessions, &ahead),
                     SEAL_ACCEPTED);
    sender_keys_release(keys);
    seal_state_close(sealed, START + 1);
}
