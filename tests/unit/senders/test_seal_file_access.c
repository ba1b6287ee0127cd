#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/senders/seal_state.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

#define START INT64_C(1700000000000000000)

static struct error error;

static int check(void)
{
    error.text[0] = '\0';
    return seal_state_check(scratch_path("state"), &error);
}

static void expect_refused(const char *why)
{
    assert_int_equal(check(), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    if (strstr(error.text, why) == NULL)
        fail_msg("%s", error.text);
}

static int make_state(void **state)
{
    struct seal_state *sealed;
    scratch_make(state);
    assert_int_equal(seal_state_open(scratch_path("state"), START, &sealed, &error), 0);
    seal_state_close(sealed, START);
    return 0;
}

TEST_WITH(a_file_that_was_written_here_is_only_its_owners, make_state, scratch_remove)
{
    (void)state;
    struct stat status;
    assert_int_equal(stat(scratch_path("state"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(check(), 0);
}

TEST_WITH(a_file_that_other_users_may_open_is_refused, make_state, scratch_remove)
{
    (void)state;
    static const mode_t open_to_others[] = {0604, 0602, 0601, 0666};
    for (size_t i = 0; i < sizeof open_to_others / sizeof *open_to_others; i++) {
        assert_int_equal(chmod(scratch_path("state"), open_to_others[i]), 0);
        expect_refused("other users may open it");
    }
    assert_int_equal(chmod(scratch_path("state"), 0640), 0);
    assert_int_equal(check(), 0);
    /* A Kubernetes volume with fsGroup has files of this mode. */
    assert_int_equal(chmod(scratch_path("state"), 0660), 0);
    assert_int_equal(check(), 0);
}

TEST_WITH(a_file_of_another_user_is_refused, make_state, scratch_remove)
{
    (void)state;
    if (geteuid() != 0)
        skip(); /* only root can change the owner of a file */
    assert_int_equal(chown(scratch_path("state"), 12345, (gid_t)-1), 0);
    expect_refused("it belongs to another user");
}

TEST_WITH(a_pipe_is_not_a_state_file, make_state, scratch_remove)
{
    (void)state;
    assert_int_equal(unlink(scratch_path("state")), 0);
    assert_int_equal(mkfifo(scratch_path("state"), 0600), 0);
    expect_refused("it is not a regular file");
}
