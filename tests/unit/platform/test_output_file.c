#include <string.h>

#include "collector/platform/output_file.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/outputs.h"
#include "tests/support/platform/removal.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

/* --- opening ---------------------------------------------------------------------------------- */

TEST_WITH(an_empty_file_is_at_its_beginning, scratch_make, scratch_remove)
{
    (void)state;
    struct output_file *file = output_open_name("file");
    assert_true(output_file_at_beginning(file));
    output_put_text(file, "one\n");
    assert_false(output_file_at_beginning(file));
    assert_true(output_file_roll_back(file, 4));
    assert_true(output_file_at_beginning(file));
    others_append("file", "two\n");
    assert_false(output_file_at_beginning(file));
    output_file_close(file);
    file = output_open_name("file");
    assert_false(output_file_at_beginning(file));
    output_file_close(file);
}

TEST_WITH(a_file_is_made_or_appended_to, scratch_make, scratch_remove)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct output_file *file = output_open_name("new");
        output_put_text(file, "one\n");
        output_put_text(file, "two\n");
        output_file_close(file);
    }
    scratch_assert_holds_text("new", "one\ntwo\none\ntwo\n");
}

TEST_WITH(another_s_appending_is_not_overwritten, scratch_make, scratch_remove)
{
    (void)state;
    struct output_file *file = output_open_name("shared");
    output_put_text(file, "ours\n");
    others_append("shared", "theirs\n");
    output_put_text(file, "ours again\n");
    output_file_close(file);
    scratch_assert_holds_text("shared", "ours\ntheirs\nours again\n");
}

static void assert_refused(const char *path, const char *why)
{
    struct output_file *file = NULL;
    struct output_file_start start;
    struct error error = {.text = ""};
    assert_int_equal(output_file_open_append(path, 0, NULL, &file, &start, &error), -1);
    assert_null(file);
    assert_int_equal(error.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(error.text, path));
    if (strstr(error.text, why) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.text, why);
}

TEST_WITH(what_cannot_be_opened_is_refused_with_its_reason, scratch_make, scratch_remove)
{
    (void)state;
    assert_refused(scratch_path("no/such/directory"), others_words.no_folder);
    assert_refused(scratch_path("."), others_words.folder);
    assert_refused("", others_words.no_folder);
}

static void expect_at(const struct output_file *file, const char *name,
                      enum output_file_state state)
{
    struct error error;
    assert_int_equal(output_file_look(file, scratch_path(name), &error), state);
}

TEST_WITH(a_file_stays_itself_when_renamed, scratch_make, scratch_remove)
{
    (void)state;
    struct output_file *file = output_open_name("a");
    expect_at(file, "a", OUTPUT_FILE_IN_PLACE);
    others_move("a", "b");
    expect_at(file, "a", OUTPUT_FILE_MOVED);
    expect_at(file, "b", OUTPUT_FILE_IN_PLACE);
    scratch_put_text("a", "new");
    expect_at(file, "a", OUTPUT_FILE_MOVED);
    others_remove("b");
    expect_at(file, "b", OUTPUT_FILE_MOVED);
    output_file_close(file);
}

TEST_WITH(what_is_removed_is_known, scratch_make, scratch_remove)
{
    (void)state;
    struct output_file *file = output_open_name("file");
    output_put_text(file, "one\n");
    assert_false(output_file_is_removed(file));
    assert_false(output_file_let_name_go(file));
    assert_int_equal(output_file_size(file), 4);
    remove_open_file("file");
    assert_true(output_file_is_removed(file));
    expect_at(file, "file", OUTPUT_FILE_MOVED);
    output_put_text(file, "two\n");
    scratch_put_text("file", "another\n");
    /* The file's name already belongs to another file. */
    assert_false(output_file_let_name_go(file));
    output_put_text(file, "three\n");
    output_file_close(file);
    scratch_assert_holds_text("file", "another\n");
}

TEST_WITH(a_name_may_hold_any_characters, scratch_make, scratch_remove)
{
    (void)state;
    struct output_file *file = output_open_name("gr\xc3\xbc\xc3\x9f"
                                                "e \xe6\x97\xa5\xe6\x9c\xac");
    output_put_text(file, "one\n");
    output_file_close(file);
    scratch_assert_holds_text("gr\xc3\xbc\xc3\x9f"
                              "e \xe6\x97\xa5\xe6\x9c\xac",
                              "one\n");
}

/* --- writing ---------------------------------------------------------------------------------- */

TEST_WITH(a_regular_file_is_never_waited_for, scratch_make, scratch_remove)
{
    (void)state;
    struct output_file *file = output_open_name("file");
    assert_true(output_file_handle(file) == NO_HANDLE);
    assert_true(output_file_is_regular(file));
    assert_false(output_file_is_terminal(file));
    output_file_close(file);
}

/* --- rolling back ----------------------------------------------------------------------------- */

TEST_WITH(what_was_written_reaches_the_disk, scratch_make, scratch_remove)
{
    (void)state;
    struct output_file *file = output_open_name("file");
    struct error error = {.text = ""};
    output_put_text(file, "line\r\n\n\x1a\n");
    assert_true(output_file_sync(file, &error));
    assert_int_equal(output_file_cancel(file), 0);
    output_file_close(file);
    scratch_assert_holds_text("file", "line\r\n\n\x1a\n");
}

TEST_WITH(what_was_written_last_is_taken_back, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("file", "before\n");
    struct output_file *file = output_open_name("file");
    output_put_text(file, "one\n");
    output_put_text(file, "two\nthr");
    assert_true(output_file_roll_back(file, 3));
    scratch_assert_holds_text("file", "before\none\ntwo\n");
    output_put_text(file, "four\n");
    assert_true(output_file_roll_back(file, 0));
    assert_true(output_file_roll_back(file, 9)); /* these 9 bytes are of two writes */
    scratch_assert_holds_text("file", "before\none\n");
    assert_true(output_file_roll_back(file, 4));
    assert_false(output_file_roll_back(file, 1)); /* another program wrote the byte before */
    output_file_close(file);
    scratch_assert_holds_text("file", "before\n");
}

TEST_WITH(what_another_wrote_is_never_taken_back, scratch_make, scratch_remove)
{
    (void)state;
    struct output_file *file = output_open_name("file");
    output_put_text(file, "one\n");
    others_append("file", "other\n");
    assert_false(output_file_roll_back(file, 1));
    output_put_text(file, "two\n");
    /* This program wrote the last four bytes. Another program wrote the byte before these. */
    assert_false(output_file_roll_back(file, 5));
    scratch_assert_holds_text("file", "one\nother\ntwo\n");
    assert_true(output_file_roll_back(file, 4));
    scratch_assert_holds_text("file", "one\nother\n");
    others_empty("file");
    assert_false(output_file_roll_back(file, 1));
    output_file_close(file);
    scratch_assert_holds_text("file", "");
}

static void expect_state(const struct output_file *file, enum output_file_state state)
{
    expect_at(file, "file", state);
    assert_int_equal(output_file_is_cut(file), state == OUTPUT_FILE_CUT);
}

static void mend(struct output_file *file, enum torn_line torn, uint64_t torn_size)
{
    struct output_file_start start;
    struct error error = {.text = ""};
    if (output_file_mend(file, scratch_path("file"), NULL, &start, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(start.torn, torn);
    assert_int_equal(start.torn_size, torn_size);
    expect_state(file, OUTPUT_FILE_IN_PLACE);
}

TEST_WITH(what_somebody_has_removed_with_all_the_rest_is_taken_back_already, scratch_make,
          scratch_remove)
{
    (void)state;
    struct output_file *file = output_open_name("file");
    expect_state(file, OUTPUT_FILE_IN_PLACE);
    output_put_text(file, "one\ntw");
    expect_state(file, OUTPUT_FILE_IN_PLACE);
    others_empty("file");
    expect_state(file, OUTPUT_FILE_CUT);
    assert_true(output_file_roll_back(file, 2));
    expect_state(file, OUTPUT_FILE_CUT); /* the first line is gone */
    mend(file, TORN_LINE_NONE, 0);
    assert_true(output_file_at_beginning(file));
    output_put_text(file, "two\nthr");
    assert_true(output_file_roll_back(file, 3));
    expect_state(file, OUTPUT_FILE_IN_PLACE);
    output_file_close(file);
    scratch_assert_holds_text("file", "two\n");
}

TEST_WITH(what_is_left_of_a_file_that_was_cut_ends_with_a_whole_line, scratch_make, scratch_remove)
{
    (void)state;
    struct output_file *file = output_open_name("file");
    output_put_text(file, "one\ntwo\nthr");
    others_cut("file", 6);
    assert_true(output_file_roll_back(file, 3));
    expect_state(file, OUTPUT_FILE_CUT);
    scratch_assert_holds_text("file", "one\ntw"); /* another program changed it */
    mend(file, TORN_LINE_CUT, 2);
    output_put_text(file, "three\n");
    output_file_close(file);
    scratch_assert_holds_text("file", "one\nthree\n");
}

TEST_WITH(what_is_written_just_after_a_file_was_emptied_is_taken_back, scratch_make, scratch_remove)
{
    (void)state;
    struct output_file *file = output_open_name("file");
    struct error error = {.text = ""};
    size_t written;
    output_put_text(file, "one\ntw");
    others_empty("file");
    assert_int_equal(output_file_write(file, "o\n", 2, &written, &error), WRITE_FAILED);
    assert_string_equal(error.text, "cannot write: the file was emptied or cut from outside");
    scratch_assert_holds_text("file", "");
    expect_state(file, OUTPUT_FILE_CUT);
    assert_true(output_file_roll_back(file, 2));
    mend(file, TORN_LINE_NONE, 0);
    output_put_text(file, "two\n");
    output_file_close(file);
    scratch_assert_holds_text("file", "two\n");
}

TEST_WITH(what_another_appends_to_a_file_that_was_cut_is_not_taken_for_ours, scratch_make,
          scratch_remove)
{
    (void)state;
    struct output_file *file = output_open_name("file");
    output_put_text(file, "one\ntwo\n");
    others_cut("file", 4);
    others_append("file", "other\n");
    output_put_text(file, "three\n");
    assert_false(output_file_roll_back(file, 7));
    output_file_close(file);
    scratch_assert_holds_text("file", "one\nother\nthree\n");
}

TEST_WITH(of_a_part_that_was_cut_the_rest_is_taken_back, scratch_make, scratch_remove)
{
    (void)state;
    struct output_file *file = output_open_name("file");
    output_put_text(file, "one\nthree");
    others_cut("file", 6);
    assert_true(output_file_roll_back(file, 5));
    expect_state(file, OUTPUT_FILE_IN_PLACE);
    output_put_text(file, "four\n");
    output_file_close(file);
    scratch_assert_holds_text("file", "one\nfour\n");
}
