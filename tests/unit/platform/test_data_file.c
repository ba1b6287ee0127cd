#include <string.h>

#include "collector/platform/data_file.h"
#include "collector/platform/file_system.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

static struct data_file make(const char *name)
{
    struct data_file file;
    assert_int_equal(data_file_make(scratch_path(name), &file, NULL), DATA_FILE_DONE);
    return file;
}

TEST_WITH(pieces_are_written_one_after_the_other_at_any_offset, scratch_make, scratch_remove)
{
    (void)state;
    const struct text pieces[] = {{"one", 3}, {NULL, 0}, {"two", 3}, {"three", 5}};
    struct data_file file = make("file");
    uint64_t size;
    assert_int_equal(data_file_write(file, 2, pieces, 4, NULL), DATA_FILE_DONE);
    assert_int_equal(data_file_write(file, 0, pieces + 2, 1, NULL), DATA_FILE_DONE);
    assert_true(data_file_size(file, &size, NULL));
    assert_int_equal(size, 13);
    assert_true(data_file_sync(file, NULL));
    data_file_close(file);
    scratch_assert_holds_text("file", "twonetwothree");
}

TEST_WITH(a_read_gives_what_is_there_and_no_more, scratch_make, scratch_remove)
{
    (void)state;
    char bytes[16];
    size_t got;
    scratch_put_text("file", "0123456789");
    struct data_file file;
    assert_int_equal(data_file_open(scratch_path("file"), &file, NULL), DATA_FILE_DONE);
    assert_true(data_file_read(file, 4, bytes, sizeof bytes, &got, NULL));
    assert_int_equal(got, 6);
    assert_memory_equal(bytes, "456789", 6);
    assert_true(data_file_read(file, 10, bytes, sizeof bytes, &got, NULL));
    assert_int_equal(got, 0);
    assert_true(data_file_read(file, 1000, bytes, sizeof bytes, &got, NULL));
    assert_int_equal(got, 0);
    assert_true(data_file_cut(file, 3, NULL));
    assert_true(data_file_read(file, 0, bytes, sizeof bytes, &got, NULL));
    assert_int_equal(got, 3);
    data_file_close(file);
}

TEST_WITH(a_name_that_is_taken_is_not_made_and_one_that_is_missing_not_opened, scratch_make,
          scratch_remove)
{
    (void)state;
    struct data_file file;
    struct error error;
    assert_int_equal(data_file_open(scratch_path("file"), &file, &error), DATA_FILE_MISSING);
    scratch_put_text("file", "mine");
    assert_int_equal(data_file_make(scratch_path("file"), &file, &error), DATA_FILE_TAKEN);
    scratch_assert_holds_text("file", "mine");
    assert_int_equal(data_file_make(scratch_path("none/file"), &file, &error), DATA_FILE_FAILED);
    scratch_make_folder("folder");
    assert_int_equal(data_file_open(scratch_path("folder"), &file, &error), DATA_FILE_MISSING);
    if (others_link("file", "link"))
        assert_int_equal(data_file_open(scratch_path("link"), &file, &error), DATA_FILE_MISSING);
    if (others_make_pipe("pipe"))
        assert_int_equal(data_file_open(scratch_path("pipe"), &file, &error), DATA_FILE_MISSING);
}

TEST_WITH(a_user_s_file_is_opened_through_a_link_and_nothing_else_is, scratch_make, scratch_remove)
{
    (void)state;
    struct data_file file;
    struct error error;
    const struct text piece = {"new", 3};
    scratch_put_text("file", "0123456789");
    bool linked = others_link("file", "link");
    const char *name = linked ? "link" : "file";
    assert_int_equal(data_file_open_linked(scratch_path(name), &file, &error), DATA_FILE_DONE);
    assert_int_equal(data_file_write(file, 0, &piece, 1, &error), DATA_FILE_DONE);
    assert_true(data_file_cut(file, 3, &error));
    data_file_close(file);
    scratch_assert_holds_text("file", "new");
    assert_int_equal(data_file_open_linked(scratch_path("none"), &file, &error), DATA_FILE_MISSING);
    scratch_make_folder("folder");
    assert_int_equal(data_file_open_linked(scratch_path("folder"), &file, &error),
                     DATA_FILE_MISSING);
    if (others_make_pipe("pipe"))
        assert_int_equal(data_file_open_linked(scratch_path("pipe"), &file, &error),
                         DATA_FILE_MISSING);
}

TEST_WITH(a_file_takes_the_place_of_another_one, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("old", "old");
    scratch_put_text("new", "new");
    assert_true(folder_rename_file(scratch_path("new"), scratch_path("old")));
    scratch_assert_holds_text("old", "new");
    assert_false(scratch_has("new"));
    assert_false(folder_rename_file(scratch_path("new"), scratch_path("old")));
    assert_true(folder_sync(scratch_path(""), NULL));
}
