/* Keys, and the state of their sessions, without memory. */
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

static struct error error;

/* Opens a state and a table of keys, and takes a datagram. Returns whether all succeeded. */
static bool open_all(struct seal_state **state, struct sender_keys **keys)
{
    *state = NULL;
    *keys = NULL;
    if (seal_state_open(scratch_path("state"), START, state, &error) != 0)
        return false;
    const struct sender_keys_options options = {.path = scratch_path("keys"), .state = *state};
    return sender_keys_load(&options, keys, &error) == 0;
}

TEST_WITH(each_allocation_may_fail, scratch_make, scratch_remove)
{
    (void)state;
    struct seal_state *sealed;
    struct sender_keys *keys;
    bool opened = false;
    uint64_t failures = 0;
    scratch_put_text("keys", FIRST SECOND);
    scratch_make_private("keys");
    assert_true(open_all(&sealed, &keys)); /* loads the library, and leaves a file with windows */
    sender_keys_release(keys);
    seal_state_close(sealed, START);
    while (!opened) {
        failing_memory_fail(++failures);
        opened = open_all(&sealed, &keys);
        if (!opened)
            assert_non_null(strstr(error.text, "memory"));
        failing_memory_fail(0);
        sender_keys_release(keys);
        seal_state_close(sealed, START);
    }
    assert_true(failures > 10);
}
