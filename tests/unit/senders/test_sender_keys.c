/* Tests tables of senders' keys, which are read from a file (sender_keys.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/senders/seal_state.h"
#include "collector/senders/sender_keys.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define KEY_A "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define KEY_B "BAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

static struct error error;

static int load_with(const struct sender_keys_options *given, const char *text,
                     struct sender_keys **out)
{
    struct sender_keys_options options = *given;
    *out = NULL;
    scratch_put_text("keys", text);
    scratch_make_private("keys");
    options.path = scratch_path("keys");
    return sender_keys_load(&options, out, &error);
}

static struct sender_keys *load(const char *text)
{
    struct sender_keys *keys;
    const struct sender_keys_options options = {.floor_ns = 100};
    if (load_with(&options, text, &keys) != 0)
        fail_msg("%s", error.text);
    return keys;
}

static void expect_refused(const char *text, const char *end)
{
    struct sender_keys *keys;
    const struct sender_keys_options options = {0};
    assert_int_equal(load_with(&options, text, &keys), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_null(keys);
    size_t size = strlen(error.text);
    if (size < strlen(end) || strcmp(error.text + size - strlen(end), end) != 0)
        fail_msg("%s", error.text);
}

/* --- finding keys ----------------------------------------------------------------------------- */

TEST_WITH(keys_are_found_by_their_ids, scratch_make, scratch_remove)
{
    (void)state;
    struct sender_keys *keys = load("# comment\n\nb 0000000000000002 " KEY_B " # more\r\n"
                                    "   \na 0000000000000001 " KEY_A);
    assert_int_equal(sender_keys_count(keys), 2);
    assert_string_equal(sender_keys_at(keys, 0)->name, "b");
    assert_string_equal(sender_keys_find(keys, 1)->name, "a");
    assert_string_equal(sender_keys_find(keys, 2)->name, "b");
    assert_null(sender_keys_find(keys, 3));
    assert_null(sender_keys_find(keys, 0));
    sender_keys_release(keys);
}

TEST_WITH(thousands_of_keys_are_found, scratch_make, scratch_remove)
{
    (void)state;
    enum { COUNT = 5000 };
    char *text = malloc(COUNT * 80), *at = text;
    assert_non_null(text);
    for (unsigned i = 1; i <= COUNT; i++)
        at += sprintf(at, "s%u %016x " KEY_A "\n", i, i << 12);
    struct sender_keys *keys = load(text);
    for (unsigned i = 1; i <= COUNT; i++) {
        const struct sender_key *key = sender_keys_find(keys, i << 12);
        assert_non_null(key);
        assert_int_equal(strtoul(key->name + 1, NULL, 10), i);
        assert_null(sender_keys_find(keys, (i << 12) + 1));
    }
    assert_true(sender_keys_memory(keys) > COUNT * sizeof(struct sender_key));
    sender_keys_release(keys);
    free(text);
}

TEST(a_key_is_valid_from_its_first_time_to_its_last)
{
    const struct sender_key key = {.not_before_ns = 10, .not_after_ns = 20};
    assert_false(sender_key_is_valid(&key, 9));
    assert_true(sender_key_is_valid(&key, 10));
    assert_true(sender_key_is_valid(&key, 20));
    assert_false(sender_key_is_valid(&key, 21));
}

/* --- keys for sending ------------------------------------------------------------------------- */

#define SECOND INT64_C(1000000000)

TEST_WITH(a_sender_takes_its_newest_valid_key, scratch_make, scratch_remove)
{
    (void)state;
    struct sender_keys *keys =
        load("a 0000000000000001 " KEY_A " not-after=1970-01-01T00:00:20Z\n"
             "a 0000000000000003 " KEY_A " not-before=1970-01-01T00:00:15Z\n"
             "a 0000000000000002 " KEY_A " not-before=1970-01-01T00:00:10Z\n");
    assert_int_equal(sender_keys_for_sending(keys, "a", 5 * SECOND, &error)->id, 1);
    assert_int_equal(sender_keys_for_sending(keys, NULL, 12 * SECOND, &error)->id, 2);
    assert_int_equal(sender_keys_for_sending(keys, "a", 16 * SECOND, &error)->id, 3);
    assert_null(sender_keys_for_sending(keys, "b", 16 * SECOND, &error));
    assert_string_equal(error.text, "the keys file has no key of b");
    sender_keys_release(keys);
}

TEST_WITH(a_sender_without_a_valid_key_is_told_so, scratch_make, scratch_remove)
{
    (void)state;
    struct sender_keys *keys = load("a 0000000000000001 " KEY_A " not-after=1970-01-01T00:00:20Z\n"
                                    "b 0000000000000002 " KEY_A "\n");
    assert_null(sender_keys_for_sending(keys, "a", 21 * SECOND, &error));
    assert_string_equal(error.text, "the keys file has no key of a that is valid now");
    assert_null(sender_keys_for_sending(keys, NULL, 0, &error));
    assert_string_equal(error.text, "the keys file has several names: say which to send as");
    sender_keys_release(keys);
}

/* --- refused files ---------------------------------------------------------------------------- */

TEST_WITH(a_fault_is_told_with_its_line_and_without_the_key, scratch_make, scratch_remove)
{
    (void)state;
    expect_refused(
        "\na 0000000000000001 " KEY_A " x\n",
        "keys: line 2: the key may be followed by not-before=TIME and not-after=TIME, each "
        "once, with a time like 2026-11-21T06:43:36Z");
    assert_null(strstr(error.text, "AAEC"));
    expect_refused("a 0000000000000001 " KEY_A "\nb 0000000000000001 " KEY_B,
                   "keys: line 2: an earlier line has the same key id");
    expect_refused("# none\n", "keys: no keys; make one: sluice keygen NAME");
    expect_refused("", "keys: no keys; make one: sluice keygen NAME");
}

TEST_WITH(a_file_that_is_not_there_or_no_regular_one_is_refused, scratch_make, scratch_remove)
{
    (void)state;
    struct sender_keys *keys;
    struct sender_keys_options options = {.path = scratch_path("none")};
    assert_int_equal(sender_keys_load(&options, &keys, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    options.path = scratch_path("");
    assert_int_equal(sender_keys_load(&options, &keys, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
}

/* --- reloads ---------------------------------------------------------------------------------- */

static enum seal_verdict take(const struct sender_keys *keys, uint64_t id, uint64_t counter,
                              int64_t time_ns)
{
    const struct sealed_header header = {
        .key_id = id, .session = 7, .counter = counter, .time_ns = time_ns};
    return key_sessions_take(sender_keys_find(keys, id)->sessions, &header);
}

TEST_WITH(a_key_begins_with_the_floor_that_was_given, scratch_make, scratch_remove)
{
    (void)state;
    struct sender_keys *keys = load("a 0000000000000001 " KEY_A);
    assert_int_equal(take(keys, 1, 1, 100), SEAL_STALE);
    assert_int_equal(take(keys, 1, 1, 101), SEAL_ACCEPTED);
    assert_int_equal(take(keys, 1, 1, 101), SEAL_REPLAYED);
    sender_keys_release(keys);
}

TEST_WITH(a_reload_keeps_the_sessions_of_keys_that_stay, scratch_make, scratch_remove)
{
    (void)state;
    struct sender_keys *before = load("a 0000000000000001 " KEY_A "\nb 0000000000000002 " KEY_A),
                       *after;
    assert_int_equal(take(before, 1, 1, 200), SEAL_ACCEPTED);
    assert_int_equal(take(before, 2, 1, 200), SEAL_ACCEPTED);
    const struct sender_keys *tables[] = {before};
    const struct sender_keys_options options = {
        .before = tables, .before_count = 1, .floor_ns = 150};
    assert_int_equal(load_with(&options,
                               "c 0000000000000003 " KEY_A "\nnew-name 0000000000000001 " KEY_A
                               " not-before=2026-01-01T00:00:00Z\nb 0000000000000002 " KEY_B,
                               &after),
                     0);
    /* The new file has this key too, so the key's window is kept. */
    assert_int_equal(take(after, 1, 1, 200), SEAL_REPLAYED);
    assert_int_equal(take(after, 1, 2, 120), SEAL_ACCEPTED);
    /* Both tables are in use, and share the window of this key. */
    assert_int_equal(take(before, 1, 2, 200), SEAL_REPLAYED);
    assert_int_equal(take(after, 2, 1, 200), SEAL_ACCEPTED); /* a different key with the same id */
    assert_int_equal(take(after, 3, 1, 150), SEAL_STALE);
    sender_keys_release(before);
    assert_int_equal(take(after, 1, 2, 200), SEAL_REPLAYED);
    sender_keys_release(after);
}

static struct seal_state *open_state(const char *name, int64_t now_ns)
{
    struct seal_state *opened;
    if (seal_state_open(scratch_path(name), now_ns, &opened, &error) != 0)
        fail_msg("%s", error.text);
    return opened;
}

static struct sender_keys *load_for(struct seal_state *with, const struct sender_keys *before)
{
    struct sender_keys *after;
    const struct sender_keys_options options = {
        .before = &before, .before_count = before != NULL, .state = with};
    if (load_with(&options, "a 0000000000000001 " KEY_A, &after) != 0)
        fail_msg("%s", error.text);
    return after;
}

TEST_WITH(a_key_is_found_in_any_table_that_is_in_use, scratch_make, scratch_remove)
{
    (void)state;
    struct sender_keys *first = load("a 0000000000000001 " KEY_A "\nb 0000000000000002 " KEY_A),
                       *second = load("a 0000000000000001 " KEY_B "\nc 0000000000000003 " KEY_A),
                       *after;
    assert_int_equal(take(first, 1, 1, 200), SEAL_ACCEPTED);
    assert_int_equal(take(second, 1, 1, 200), SEAL_ACCEPTED);
    assert_int_equal(take(second, 3, 1, 200), SEAL_ACCEPTED);
    const struct sender_keys *tables[] = {first, second};
    const struct sender_keys_options options = {
        .before = tables, .before_count = 2, .floor_ns = 150};
    assert_int_equal(
        load_with(&options, "x 0000000000000001 " KEY_B "\ny 0000000000000003 " KEY_A, &after), 0);
    assert_int_equal(take(after, 1, 1, 200), SEAL_REPLAYED);
    assert_int_equal(take(after, 3, 1, 200), SEAL_REPLAYED);
    /* Both tables are in use, and share the window of this key. */
    assert_int_equal(take(second, 1, 2, 120), SEAL_ACCEPTED);
    assert_int_equal(take(after, 1, 2, 120), SEAL_REPLAYED);
    assert_int_equal(take(first, 1, 2, 200), SEAL_ACCEPTED); /* a different key with this id */
    sender_keys_release(first);
    sender_keys_release(second);
    sender_keys_release(after);
}

TEST_WITH(a_table_that_is_apart_gives_its_sessions_to_no_other, scratch_make, scratch_remove)
{
    (void)state;
    struct sender_keys *capture, *after;
    const struct sender_keys_options apart = {.apart = true};
    assert_int_equal(load_with(&apart, "a 0000000000000001 " KEY_A, &capture), 0);
    assert_int_equal(take(capture, 1, 1, 200), SEAL_ACCEPTED);
    const struct sender_keys *tables[] = {capture};
    const struct sender_keys_options options = {
        .before = tables, .before_count = 1, .floor_ns = 150};
    assert_int_equal(load_with(&options, "a 0000000000000001 " KEY_A, &after), 0);
    assert_int_equal(take(after, 1, 1, 150), SEAL_STALE);
    assert_int_equal(take(after, 1, 1, 200), SEAL_ACCEPTED);
    sender_keys_release(capture);
    sender_keys_release(after);
}

TEST_WITH(a_state_file_that_a_table_in_use_has_keeps_its_floor, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed = open_state("state", 100);
    struct sender_keys *own = load_for(sealed, NULL), *other = load("a 0000000000000001 " KEY_A),
                       *after;
    assert_int_equal(take(own, 1, 1, 200), SEAL_ACCEPTED);
    assert_int_equal(take(other, 1, 1, 300), SEAL_ACCEPTED);
    const struct sender_keys *tables[] = {own, other};
    const struct sender_keys_options options = {
        .before = tables, .before_count = 2, .state = sealed};
    assert_int_equal(load_with(&options, "a 0000000000000001 " KEY_A, &after), 0);
    sender_keys_follow(after, own);
    sender_keys_follow(after, other);
    assert_int_equal(take(after, 1, 2, 201), SEAL_ACCEPTED);
    sender_keys_release(own);
    sender_keys_release(other);
    sender_keys_release(after);
    seal_state_close(sealed, 400);
}

TEST_WITH(a_return_to_a_former_state_file_accepts_nothing_again, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *first = open_state("first", 100), *second = open_state("second", 100);
    struct sender_keys *before = load_for(first, NULL);
    assert_int_equal(take(before, 1, 1, 200), SEAL_ACCEPTED);
    struct sender_keys *between = load_for(second, before);
    sender_keys_follow(between, before);
    assert_int_equal(take(between, 1, 1, 200), SEAL_STALE);
    assert_int_equal(take(between, 1, 2, 300), SEAL_ACCEPTED);
    struct sender_keys *after = load_for(first, between);
    /* `between` is in use until `after` follows it. */
    assert_int_equal(take(between, 1, 3, 310), SEAL_ACCEPTED);
    sender_keys_follow(after, between);
    assert_int_equal(take(after, 1, 2, 300), SEAL_STALE); /* the first file knows this session */
    assert_int_equal(take(after, 1, 3, 310), SEAL_STALE);
    assert_int_equal(take(after, 1, 4, 311), SEAL_ACCEPTED);
    sender_keys_release(before);
    sender_keys_release(between);
    sender_keys_release(after);
    seal_state_close(first, 400);
    seal_state_close(second, 400);
}

TEST_WITH(a_table_for_sending_has_no_sessions, scratch_make, scratch_remove)
{
    (void)state;
    struct sender_keys *keys;
    const struct sender_keys_options options = {.for_sending = true};
    assert_int_equal(load_with(&options, "a 0000000000000001 " KEY_A, &keys), 0);
    assert_null(sender_keys_at(keys, 0)->sessions);
    sender_keys_release(sender_keys_hold(keys));
    sender_keys_release(keys);
}
