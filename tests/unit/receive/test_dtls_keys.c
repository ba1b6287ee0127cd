/* Tests that pre-shared keys of DTLS are found by the identities of clients (dtls_keys.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/receive/dtls_keys.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define KEY_A "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define KEY_B "BAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

static int load(const char *text, struct dtls_keys **keys)
{
    static struct error error;
    scratch_put_text("keys", text);
    scratch_make_private("keys");
    return dtls_keys_load(scratch_path("keys"), keys, &error);
}

static uint64_t found(const struct dtls_keys *keys, const char *identity, int64_t now_ns)
{
    const struct sender_key_line *line = dtls_keys_find(keys, identity, now_ns);
    return line == NULL ? 0 : line->id;
}

TEST_WITH(a_name_finds_its_first_valid_key_and_a_key_id_that_one, scratch_make, scratch_remove)
{
    (void)state;
    struct dtls_keys *keys;
    assert_int_equal(load("b 0000000000000007 " KEY_A "\n"
                          "a 0000000000000009 " KEY_A " not-after=1970-01-01T00:00:01Z\n"
                          "a 0000000000000003 " KEY_B " not-before=1970-01-01T00:00:01Z\n"
                          "ab 0000000000000005 " KEY_A "\n",
                          &keys),
                     0);
    assert_int_equal(found(keys, "a", 0), 9);
    assert_int_equal(found(keys, "a", 1000000000), 9);
    assert_int_equal(found(keys, "a", 1000000001), 3);
    assert_int_equal(found(keys, "a/0000000000000003", 0), 0);
    assert_int_equal(found(keys, "a/0000000000000003", 1000000000), 3);
    assert_int_equal(found(keys, "a/0000000000000009", 1000000001), 0);
    assert_int_equal(found(keys, "ab", 0), 5);
    assert_int_equal(found(keys, "b/0000000000000007", 0), 7);
    assert_int_equal(found(keys, "b/0000000000000009", 0), 0);
    static const char *const others[] = {
        "",
        "/",
        "a/",
        "a/3",
        "aa",
        "c",
        "A",
        "/0000000000000009",
        "a/0000000000000009/",
        "a ",
        "0000000000000009",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (found(keys, others[i], 0) != 0)
            fail_msg("%s", others[i]);
    dtls_keys_free(keys);
}

TEST_WITH(each_of_many_names_is_found, scratch_make, scratch_remove)
{
    (void)state;
    enum { COUNT = 3000 };
    struct dtls_keys *keys;
    char *text = malloc(COUNT * 80), *at = text, name[16];
    assert_non_null(text);
    for (unsigned i = 1; i <= COUNT; i++)
        at += sprintf(at, "s%u %016x " KEY_A "\n", i * 7919 % 10007, i);
    assert_int_equal(load(text, &keys), 0);
    for (unsigned i = 1; i <= COUNT; i++) {
        snprintf(name, sizeof name, "s%u", i * 7919 % 10007);
        assert_int_equal(found(keys, name, 0), i);
    }
    assert_int_equal(found(keys, "s0", 0), 0);
    dtls_keys_free(keys);
    free(text);
}

TEST_WITH(a_file_with_an_error_is_refused, scratch_make, scratch_remove)
{
    (void)state;
    struct dtls_keys *keys = NULL;
    assert_int_equal(load("a 0000000000000001 " KEY_A "\nb\n", &keys), -1);
    assert_null(keys);
    dtls_keys_free(NULL);
}
