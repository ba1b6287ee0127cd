/*
 * Tests the built-in destinations as a sink uses them. Other tests cover the writing of files
 * (output_file.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/contract/destination_stream.h"
#include "collector/ledger/ledger.h"
#include "collector/platform/clock.h"
#include "sinks/sinks.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/removal.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/platform/standard_stream.h"
#include "tests/support/test.h"

static struct sink_counters counters;
static char file_path[600];
static const struct sink_settings json_lines = {.encoder = &encoder_json};

/* Returns options that the next call overwrites. */
static const struct destination_options *options_for(const char *name)
{
    static struct destination_options options;
    snprintf(file_path, sizeof file_path, "%s", scratch_path(name));
    options = (struct destination_options){
        .name = "file:test", .path = file_path, .settings = &json_lines, .counters = &counters};
    return &options;
}

static struct destination *create_file(const char *name)
{
    struct destination *destination = NULL;
    struct error error = {.text = ""};
    if (destination_file.create(options_for(name), &destination, &error) != 0)
        fail_msg("%s", error.text);
    return destination;
}

static void write_text(struct destination *destination, const char *text)
{
    size_t written = 0;
    int64_t until = patience_until();
    enum write_result result;
    while ((result = destination->stream->write(destination, text, strlen(text), &written, NULL)) ==
           WRITE_WOULD_BLOCK)
        assert_true(patience(until));
    assert_int_equal(result, WRITE_OK);
    assert_int_equal(written, strlen(text));
}

TEST(every_row_of_the_tables_is_complete)
{
    for (const struct destination_ops *const *row = builtin_destinations; *row != NULL; row++) {
        assert_true((*row)->scheme[0] != '\0');
        assert_true(((*row)->create != NULL) == ((*row)->absent == NULL));
        for (const struct destination_ops *const *other = builtin_destinations; other != row;
             other++)
            assert_string_not_equal((*row)->scheme, (*other)->scheme);
    }
    assert_ptr_equal(builtin_encoders[0], &encoder_json); /* the default format is the first one */
    for (const struct encoder_ops *const *row = builtin_encoders; *row != NULL; row++) {
        assert_true((*row)->name[0] != '\0');
        assert_true((*row)->create != NULL && (*row)->destroy != NULL && (*row)->encode != NULL);
        bool in_files = !(*row)->relayed && !(*row)->requests_alone;
        assert_true((*row)->whole != NULL || !in_files);
        assert_true((*row)->request != NULL || !(*row)->requests_alone);
    }
}

TEST_WITH(a_renamed_file_is_written_until_it_is_reopened, scratch_make, scratch_remove)
{
    (void)state;
    struct destination *destination = create_file("file");
    write_text(destination, "one\n");
    others_move("file", "file.1");
    write_text(destination, "two\n");
    assert_int_equal(destination->stream->reopen(destination, NULL), 0);
    write_text(destination, "three\n");
    /* The bytes are in the previous file, so they cannot be rolled back. */
    assert_false(destination->stream->roll_back(destination, 7));
    destination->destroy(destination);
    scratch_assert_holds_text("file.1", "one\ntwo\n");
    scratch_assert_holds_text("file", "three\n");
}

TEST_WITH(a_file_that_was_removed_is_noticed_before_the_next_block, scratch_make, scratch_remove)
{
    (void)state;
    struct destination *destination = create_file("file");
    destination->stream->prepare(destination);
    write_text(destination, "one\n");
    remove_open_file("file");
    destination->stream->prepare(destination);
    write_text(destination, "two\n");
    destination->destroy(destination);
    scratch_assert_holds_text("file", "two\n");
}

/* With copytruncate, logrotate empties a file in this way. */
TEST_WITH(a_file_that_was_emptied_is_at_its_beginning_before_the_next_block, scratch_make,
          scratch_remove)
{
    (void)state;
    struct destination *destination = create_file("file");
    write_text(destination, "one\n");
    destination->stream->prepare(destination);
    assert_false(destination->stream->at_beginning(destination));
    others_empty("file");
    assert_true(destination->stream->was_moved(destination));
    destination->stream->prepare(destination);
    assert_false(destination->stream->was_moved(destination));
    assert_true(destination->stream->at_beginning(destination));
    write_text(destination, "two\n");
    destination->destroy(destination);
    scratch_assert_holds_text("file", "two\n");
}

/*
 * The program that moved the file may soon create a new one, so the sink writes to the moved file
 * for a short time.
 */
TEST_WITH(a_file_that_was_just_moved_goes_on_where_it_is, scratch_make, scratch_remove)
{
    (void)state;
    struct destination *destination = create_file("file");
    write_text(destination, "one\n");
    others_move("file", "file.1");
    destination->stream->prepare(destination);
    write_text(destination, "two\n");
    destination->destroy(destination);
    scratch_assert_holds_text("file.1", "one\ntwo\n");
    assert_false(scratch_has("file"));
}

TEST_WITH(a_file_that_cannot_be_opened_anew_goes_on_where_it_is, scratch_make, scratch_remove)
{
    (void)state;
    struct destination *destination = create_file("file");
    remove_open_file("file");
    scratch_make_folder("file");
    destination->stream->prepare(destination);
    write_text(destination, "one\n"); /* is written to the removed file */
    others_remove_folder("file");
    destination->stream->prepare(destination);
    write_text(destination, "two\n");
    destination->destroy(destination);
    scratch_assert_holds_text("file", "two\n");
}

TEST_WITH(fsync_is_asked_for_in_time, scratch_make, scratch_remove)
{
    (void)state;
    struct destination_options options = *options_for("file");
    struct sink_settings settings = json_lines;
    options.settings = &settings;
    settings.file.sync = SYNC_INTERVAL;
    settings.flush_interval = 3000000000;
    struct destination *destination = NULL;
    assert_int_equal(destination_file.create(&options, &destination, NULL), 0);
    const struct stream_ops *ops = destination->stream;
    assert_true(ops->due(destination) == INT64_MAX); /* infinite, because no data was written */
    write_text(destination, "one\n");
    ops->tick(destination);
    int64_t now = clock_monotonic_ns();
    assert_true(ops->due(destination) == INT64_MAX);
    write_text(destination, "two\n");
    assert_in_range(ops->due(destination), now + 2000000000, now + 3000000000);
    destination->destroy(destination);
}

TEST_WITH(reopening_what_was_not_renamed_changes_nothing, scratch_make, scratch_remove)
{
    (void)state;
    struct destination *destination = create_file("file");
    write_text(destination, "the first half,");
    assert_int_equal(destination->stream->reopen(destination, NULL), 0);
    write_text(destination, " the second\n");
    assert_true(destination->stream->roll_back(destination, 8));
    destination->destroy(destination);
    scratch_assert_holds_text("file", "the first half, the");
}

TEST_WITH(where_reopening_fails_the_old_file_stays, scratch_make, scratch_remove)
{
    (void)state;
    struct destination *destination = create_file("file");
    others_move("file", "file.1");
    scratch_make_folder("file");
    struct error error = {.text = ""};
    assert_int_equal(destination->stream->reopen(destination, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(error.text, scratch_path("file")));
    write_text(destination, "line\n");
    others_remove_folder("file");
    assert_int_equal(destination->stream->reopen(destination, &error), 0);
    write_text(destination, "new\n");
    destination->destroy(destination);
    scratch_assert_holds_text("file.1", "line\n");
    scratch_assert_holds_text("file", "new\n");
}

TEST_WITH(a_file_that_cannot_be_made_is_an_error, scratch_make, scratch_remove)
{
    (void)state;
    struct destination *destination = NULL;
    struct error error = {.text = ""};
    assert_int_equal(destination_file.create(options_for("no/file"), &destination, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    assert_null(destination);
}

#define WHOLE "{\"time\":\"2026-11-28T10:30:04.000000000Z\",\"name\":\"a\"}\n"

static char *logged_by_opening(const char *name)
{
    struct destination *destination = NULL;
    standard_stream_take(STREAM_ERROR);
    int result = destination_file.create(options_for(name), &destination, NULL);
    char *text = standard_stream_end_taking(STREAM_ERROR);
    assert_int_equal(result, 0);
    destination->destroy(destination);
    return text;
}

TEST_WITH(what_is_done_about_a_torn_line_is_logged, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("file", WHOLE "{\"ti");
    char *text = logged_by_opening("file");
    assert_non_null(strstr(text, "sluice: warning: "));
    assert_non_null(strstr(text, "file:test: "));
    assert_non_null(strstr(text, "cut off 4 bytes of an incomplete line"));
    free(text);

    scratch_put_text("file", WHOLE "{\"ti");
    test_stream other = test_stream_open_to_append(scratch_path("file"));
    text = logged_by_opening("file");
    test_stream_close(&other);
    assert_non_null(strstr(text, "sluice: warning: "));
    assert_non_null(strstr(text, "not cut off, because another program may be writing it"));
    scratch_assert_holds_text("file", WHOLE "{\"ti\n");
    free(text);

    text = logged_by_opening("file");
    assert_non_null(strstr(text, "its last line is not of format=json"));
    free(text);

    scratch_put_text("file", WHOLE);
    text = logged_by_opening("file");
    assert_string_equal(text, "");
    free(text);
}

static struct destination *create_stdout(void)
{
    struct destination *destination = NULL;
    struct error error = {.text = ""};
    const struct destination_options options = {
        .name = "stdout:", .path = "", .settings = &json_lines};
    if (destination_stdout.create(&options, &destination, &error) != 0)
        fail_msg("%s", error.text);
    return destination;
}

static void read_all(const struct test_pipe *pipe, char *to, size_t size)
{
    for (size_t at = 0; at < size;)
        at += test_stream_read(pipe->reader, to + at, size - at);
}

/* The pipe is full when the next sink starts, so the newline has to wait. */
TEST(a_torn_line_is_ended_also_where_the_pipe_was_full)
{
    struct test_pipe pipe = test_pipe_open();
    size_t written;
    size_t before = test_pipe_fill(&pipe);
    standard_stream_lead(STREAM_OUTPUT, pipe.writer);
    struct destination *torn = create_stdout();
    torn->stream->leave_torn(torn);
    torn->destroy(torn);
    struct destination *next = create_stdout();
    standard_stream_lead_back(STREAM_OUTPUT);
    bool blocks = next->stream->write(next, "line\n", 5, &written, NULL) == WRITE_WOULD_BLOCK;
    char *filled = malloc(before);
    assert_non_null(filled);
    read_all(&pipe, filled, before);
    free(filled);
    if (blocks)
        write_text(next, "line\n");
    char found[6];
    read_all(&pipe, found, sizeof found);
    assert_memory_equal(found, "\nline\n", sizeof found);
    next->destroy(next);
    test_pipe_close(&pipe);
}

TEST(standard_output_has_no_name_to_reopen)
{
    struct destination *destination = NULL;
    const struct destination_options options = {
        .name = "stdout:", .path = "", .settings = &json_lines};
    assert_int_equal(destination_stdout.place_is, PLACE_NOTHING);
    assert_int_not_equal(destination_file.place_is, PLACE_NOTHING);
    struct test_pipe pipe = test_pipe_open();
    standard_stream_lead(STREAM_OUTPUT, pipe.writer);
    int result = destination_stdout.create(&options, &destination, NULL);
    standard_stream_lead_back(STREAM_OUTPUT);
    assert_int_equal(result, 0);
    assert_true(destination->stream->reopen == NULL && destination->stream->prepare == NULL);
    write_text(destination, "line\n");
    assert_true(destination->stream->handle(destination) != NO_HANDLE);
    assert_false(destination->stream->roll_back(destination, 1));
    assert_int_equal(destination->stream->cancel(destination), 0);
    destination->destroy(destination);
    test_stream_close(&pipe.writer);
    char found[16];
    assert_int_equal(test_stream_read(pipe.reader, found, sizeof found), 5);
    assert_memory_equal(found, "line\n", 5);
    assert_int_equal(test_stream_read(pipe.reader, found, sizeof found), 0);
    test_pipe_close(&pipe);
}
