/* When the system cannot look up a file's name, its last known state stays valid. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/contract/destination_stream.h"
#include "collector/ledger/ledger.h"
#include "collector/platform/clock.h"
#include "sinks/sinks.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

int __real_stat(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status);
int64_t __wrap_clock_monotonic_ns(void);

#define MINUTE (60 * INT64_C(1000000000))

static int unnamed; /* errno of each stat; 0: stat succeeds */
static int64_t now_ns;
static struct sink_counters counters;
static struct destination *destination;
static struct error error;

int __wrap_stat(const char *path, struct stat *status)
{
    errno = unnamed;
    return unnamed != 0 ? -1 : __real_stat(path, status);
}

/* Advances the clock by a minute, so that each call of was_moved looks the name up again. */
int64_t __wrap_clock_monotonic_ns(void)
{
    return now_ns += MINUTE;
}

static int set_up(void **state)
{
    int result = scratch_make(state);
    unnamed = 0;
    static const struct sink_settings settings = {.encoder = &encoder_json};
    const struct destination_options options = {.name = "file:test",
                                                .path = scratch_path("file"),
                                                .settings = &settings,
                                                .counters = &counters};
    if (destination_file.create(&options, &destination, &error) != 0)
        fail_msg("%s", error.text);
    return result;
}

static int tear_down(void **state)
{
    destination->destroy(destination);
    return scratch_remove(state);
}

static void write_text(const char *text)
{
    size_t written = 0;
    destination->stream->prepare(destination);
    assert_int_equal(destination->stream->write(destination, text, strlen(text), &written, &error),
                     WRITE_OK);
    assert_int_equal(written, strlen(text));
}

/* If the file were opened again, the last write could not be rolled back. */
TEST_WITH(a_file_that_cannot_be_seen_is_not_opened_anew, set_up, tear_down)
{
    (void)state;
    write_text("one\n");
    unnamed = ELOOP;
    for (int i = 0; i < 3; i++)
        assert_false(destination->stream->was_moved(destination));
    write_text("two\n");
    assert_true(destination->stream->roll_back(destination, strlen("one\ntwo\n")));
    scratch_assert_holds_text("file", "");
}

TEST_WITH(on_request_what_cannot_be_seen_goes_on_and_says_why, set_up, tear_down)
{
    (void)state;
    write_text("one\n");
    unnamed = ELOOP;
    assert_int_equal(destination->stream->reopen(destination, &error), -1);
    assert_non_null(strstr(error.text, "cannot look at"));
    assert_non_null(strstr(error.text, strerror(ELOOP)));
    assert_true(destination->stream->roll_back(destination, strlen("one\n")));
}

TEST_WITH(a_file_that_was_moved_before_it_could_not_be_seen_is_moved, set_up, tear_down)
{
    (void)state;
    others_move("file", "file.1");
    assert_false(destination->stream->was_moved(destination));
    unnamed = ELOOP;
    assert_true(destination->stream->was_moved(destination));
}
