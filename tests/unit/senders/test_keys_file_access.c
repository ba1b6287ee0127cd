#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/senders/sender_keys.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define LINE "a 0000000000000001 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"

static struct error error;

static int load(void)
{
    struct sender_keys *keys = NULL;
    const struct sender_keys_options options = {.path = scratch_path("keys")};
    error.text[0] = '\0';
    int result = sender_keys_load(&options, &keys, &error);
    sender_keys_release(keys);
    return result;
}

TEST_WITH(a_file_that_other_users_may_open_is_refused_with_advice, scratch_make, scratch_remove)
{
    (void)state;
    static const mode_t open_to_others[] = {0604, 0602, 0601, 0644, 0666};
    scratch_put_text("keys", LINE);
    for (size_t i = 0; i < sizeof open_to_others / sizeof *open_to_others; i++) {
        assert_int_equal(chmod(scratch_path("keys"), open_to_others[i]), 0);
        assert_int_equal(load(), -1);
        assert_int_equal(error.code, EXIT_CODE_CONFIG);
        assert_non_null(
            strstr(error.text, ": other users may open it, and it contains keys: chmod o= "));
    }
}

TEST_WITH(a_file_that_its_group_may_change_is_refused_with_advice, scratch_make, scratch_remove)
{
    (void)state;
    static const mode_t open_to_group[] = {0660, 0620, 0670};
    scratch_put_text("keys", LINE);
    for (size_t i = 0; i < sizeof open_to_group / sizeof *open_to_group; i++) {
        assert_int_equal(chmod(scratch_path("keys"), open_to_group[i]), 0);
        assert_int_equal(load(), -1);
        assert_int_equal(error.code, EXIT_CODE_CONFIG);
        assert_non_null(
            strstr(error.text, ": users of its group could change the keys: chmod g-w "));
    }
}

TEST_WITH(a_file_of_its_owner_and_perhaps_a_group_is_read, scratch_make, scratch_remove)
{
    (void)state;
    static const mode_t closed[] = {0600, 0640, 0440, 0400};
    scratch_put_text("keys", LINE);
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        assert_int_equal(chmod(scratch_path("keys"), closed[i]), 0);
        if (load() != 0)
            fail_msg("%s", error.text);
    }
}

TEST_WITH(a_file_of_another_user_is_refused, scratch_make, scratch_remove)
{
    (void)state;
    if (geteuid() != 0)
        skip(); /* only root can change the owner of a file */
    scratch_put_text("keys", LINE);
    scratch_make_private("keys");
    assert_int_equal(chown(scratch_path("keys"), 12345, (gid_t)-1), 0);
    assert_int_equal(load(), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(error.text, ": it belongs to another user"));
}

TEST_WITH(a_pipe_is_not_a_keys_file, scratch_make, scratch_remove)
{
    (void)state;
    assert_int_equal(mkfifo(scratch_path("keys"), 0600), 0);
    assert_int_equal(load(), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(error.text, ": a keys file is a regular file"));
}
