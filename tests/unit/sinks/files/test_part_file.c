/*
 * Tests a file under construction: whatever happens, its final name has the complete file or does
 * not exist.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/data_file.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/sinks/file_set_files.h"
#include "tests/support/test.h"

static struct error error;

static size_t base_length(void)
{
    return strlen(scratch_path(""));
}

static struct part_file *open_new(const char *name)
{
    struct part_file *file;
    if (part_file_open_new(scratch_path(name), base_length(), 0, &file, &error) != PART_DONE)
        fail_msg("%s: %s", name, error.text);
    return file;
}

static enum part_result try_new(const char *name)
{
    struct part_file *file;
    enum part_result result =
        part_file_open_new(scratch_path(name), base_length(), 0, &file, &error);
    if (result == PART_DONE)
        part_file_close(file);
    return result;
}

static enum part_result try_left(const char *name)
{
    struct part_file *file;
    enum part_result result = part_file_open_left(scratch_path(name), &file, &error);
    if (result == PART_DONE)
        part_file_close(file);
    return result;
}

static void append(struct part_file *file, const char *text)
{
    if (!part_file_append(file, text, strlen(text), &error))
        fail_msg("%s", error.text);
}

static enum part_result complete(struct part_file *file, const char *name)
{
    return part_file_complete(file, scratch_path(name), &error);
}

/* --- the life of a file ----------------------------------------------------------------------- */

TEST_WITH(what_is_appended_is_there_and_gets_its_name, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file = open_new("a.part");
    append(file, "one\n");
    append(file, "two\n");
    assert_int_equal(part_file_size(file), 8);
    assert_int_equal(complete(file, "a"), PART_DONE);
    scratch_assert_holds_text("a", "one\ntwo\n");
    assert_int_equal(scratch_count(""), 1);
}

TEST_WITH(a_left_one_goes_on_where_it_was, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("a.part", "one\n");
    struct part_file *file;
    char bytes[10];
    assert_int_equal(part_file_open_left(scratch_path("a.part"), &file, &error), PART_DONE);
    assert_int_equal(part_file_size(file), 4);
    append(file, "two\n");
    assert_int_equal(part_file_read(file, 2, bytes, sizeof bytes), 6);
    assert_memory_equal(bytes, "e\ntwo\n", 6);
    assert_true(part_file_cut(file, 4, &error));
    append(file, "three\n");
    assert_int_equal(part_file_size(file), 10);
    assert_true(part_file_sync(file, &error));
    part_file_close(file);
    scratch_assert_holds_text("a.part", "one\nthree\n");
}

TEST_WITH(folders_are_made_below_the_base_alone, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file = open_new("x/y/z/a.part");
    append(file, "one\n");
    assert_int_equal(complete(file, "x/y/z/a"), PART_DONE);
    scratch_assert_holds_text("x/y/z/a", "one\n");

    const char *path = scratch_path("none/b.part");
    assert_int_equal(part_file_open_new(path, strlen(path) - strlen("b.part"), 0, &file, &error),
                     PART_FAILED);
    assert_non_null(strstr(error.text, others_words.no_folder));
    assert_false(scratch_has("none"));
}

TEST_WITH(what_keeps_a_folder_from_being_made_is_reported, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("file", "mine\n");
    assert_int_equal(try_new("file/a.part"), PART_REFUSED);
    assert_non_null(strstr(error.text, others_words.below_file));
    scratch_assert_holds_text("file", "mine\n");
}

TEST_WITH(it_is_removed_only_where_it_is_itself_there, scratch_make, scratch_remove)
{
    (void)state;
    part_file_remove(open_new("a.part"), &error);
    assert_false(scratch_has("a.part"));
    struct part_file *file = open_new("a.part");
    others_remove("a.part");
    scratch_put_text("a.part", "another's\n");
    part_file_remove(file, &error);
    scratch_assert_holds_text("a.part", "another's\n");
}

/* --- names that are in use -------------------------------------------------------------------- */

TEST_WITH(nothing_that_is_there_is_opened_as_new, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("a.part", "mine\n");
    scratch_make_folder("b.part");
    assert_int_equal(try_new("a.part"), PART_TAKEN);
    assert_int_equal(try_new("b.part"), PART_TAKEN);
    if (others_link("nowhere", "c.part"))
        assert_int_equal(try_new("c.part"), PART_TAKEN);
    if (others_make_pipe("d.part"))
        assert_int_equal(try_new("d.part"), PART_TAKEN);
    scratch_assert_holds_text("a.part", "mine\n");
    assert_false(scratch_has("nowhere"));
}

TEST_WITH(only_a_regular_file_was_left, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("mine", "mine\n");
    scratch_make_folder("b.part");
    assert_int_equal(try_left("a.part"), PART_MISSING);
    assert_int_equal(try_left("none/a.part"), PART_MISSING);
    assert_int_equal(try_left("b.part"), PART_FAILED);
    if (others_link("mine", "c.part"))
        assert_int_equal(try_left("c.part"), PART_FAILED);
    if (others_make_pipe("d.part"))
        assert_int_equal(try_left("d.part"), PART_MISSING);
}

TEST_WITH(no_name_is_taken_from_another, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("a", "mine\n");
    scratch_make_folder("b");
    struct part_file *file = open_new("a.part");
    append(file, "one\n");
    assert_int_equal(complete(file, "a"), PART_TAKEN);
    assert_int_equal(complete(file, "b"), PART_TAKEN);
    if (others_link("nowhere", "c"))
        assert_int_equal(complete(file, "c"), PART_TAKEN);
    append(file, "two\n");
    assert_int_equal(complete(file, "d"), PART_DONE);
    scratch_assert_holds_text("a", "mine\n");
    scratch_assert_holds_text("d", "one\ntwo\n");
    assert_int_equal(scratch_count("b"), 0);
    assert_false(scratch_has("nowhere"));
}

TEST_WITH(a_name_in_no_folder_is_a_failure_and_the_file_goes_on, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file = open_new("a.part");
    append(file, "one\n");
    assert_int_equal(complete(file, "none/a"), PART_FAILED);
    assert_non_null(strstr(error.text, "cannot rename"));
    append(file, "two\n");
    part_file_close(file);
    scratch_assert_holds_text("a.part", "one\ntwo\n");
}

/* --- locks ------------------------------------------------------------------------------------ */

TEST_WITH(what_is_open_is_locked_against_others, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file = open_new("a.part");
    assert_int_equal(try_left("a.part"), PART_LOCKED);
    part_file_close(file);
    assert_int_equal(try_left("a.part"), PART_DONE);

    /* A part that an earlier run left is locked when it is opened. */
    assert_int_equal(part_file_open_left(scratch_path("a.part"), &file, &error), PART_DONE);
    assert_int_equal(try_left("a.part"), PART_LOCKED);
    part_file_close(file);
}

TEST_WITH(another_program_s_lock_ends_with_it, scratch_make, scratch_remove)
{
    (void)state;
    struct file_holder *holder = file_set_hold(scratch_path("a.part"));
    assert_int_equal(try_left("a.part"), PART_LOCKED);
    file_set_kill(holder);
    assert_int_equal(try_left("a.part"), PART_DONE);
}

/* --- files that were moved or removed --------------------------------------------------------- */

TEST_WITH(a_file_that_was_moved_or_removed_is_not_there, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file = open_new("a.part");
    assert_true(part_file_is_there(file));
    append(file, "one\n");
    others_move("a.part", "moved");
    assert_false(part_file_is_there(file));
    scratch_put_text("a.part", "another's\n");
    assert_false(part_file_is_there(file));
    append(file, "two\n");
    assert_int_equal(complete(file, "a"), PART_MISSING);
    part_file_close(file);
    scratch_assert_holds_text("moved", "one\ntwo\n");
    scratch_assert_holds_text("a.part", "another's\n");
    assert_false(scratch_has("a"));
}

TEST_WITH(a_file_whose_folder_is_gone_is_not_there, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file = open_new("x/a.part");
    others_move("x", "y");
    assert_int_equal(complete(file, "x/a"), PART_MISSING);
    part_file_close(file);
    assert_true(scratch_has("y/a.part"));
}

/* --- writes of other programs ----------------------------------------------------------------- */

TEST_WITH(what_another_program_appended_stays, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file = open_new("a.part");
    append(file, "one\n");
    others_append("a.part", "other\n");
    assert_true(part_file_is_there(file));
    assert_int_equal(part_file_size(file), 10);
    append(file, "two\n");
    scratch_assert_holds_text("a.part", "one\nother\ntwo\n");
    assert_int_equal(part_file_size(file), 14);
    part_file_close(file);
}

TEST_WITH(a_file_that_was_emptied_goes_on_at_its_beginning, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file = open_new("a.part");
    append(file, "much that was written before\n");
    others_empty("a.part");
    append(file, "one\n");
    assert_int_equal(part_file_size(file), 4);
    scratch_assert_holds_text("a.part", "one\n");
    part_file_close(file);
}
