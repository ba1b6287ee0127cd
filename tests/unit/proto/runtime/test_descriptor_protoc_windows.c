/*
 * Tests reading a .proto file on Windows. protoc cannot write to standard output there, because it
 * has no file name, so it writes to a temporary file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/windows/text.h"
#include "proto/runtime/descriptor_file.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

static void set_variable(const wchar_t *name, const char *value)
{
    wchar_t *wide = text_wide_copy(value);
    assert_non_null(wide);
    assert_true(SetEnvironmentVariableW(name, wide));
    free(wide);
}

/* Sets PATH to a folder with a fake protoc, and TEMP to a folder for temporary files. */
static int set_up(void **state)
{
    /* Windows looks at TMP before TEMP, so TMP is removed. */
    assert_true(SetEnvironmentVariableW(L"TMP", NULL));
    if (scratch_make(state) != 0)
        return -1;
    set_variable(L"PATH", TEST_PROTOC_FOLDER);
    scratch_make_folder("temporary");
    set_variable(L"TMP", scratch_path("temporary"));
    return 0;
}

TEST_WITH(what_protoc_wrote_to_a_file_is_read_and_the_file_removed, set_up, scratch_remove)
{
    (void)state;
    struct type_set *set;
    struct error error;
    scratch_make_folder("parts");
    scratch_put_text("parts/leaf.proto", "syntax = \"proto3\"; message Leaf { int32 x = 1; }");
    scratch_put_text("tree.proto", "syntax = \"proto3\"; import \"parts/leaf.proto\";"
                                   "message Tree { Leaf leaf = 1; }");
    if (descriptor_file_load(scratch_path("tree.proto"), &set, &error) != 0)
        fail_msg("%s", error.text);
    assert_non_null(type_set_require(set, "Leaf", &error));
    type_set_destroy(set);
    assert_int_equal(scratch_count("temporary"), 0);
}

TEST_WITH(nothing_stays_of_one_that_failed, set_up, scratch_remove)
{
    (void)state;
    struct type_set *set;
    struct error error;
    scratch_put_text("bad.proto", "syntax = \"proto3\";\nmessage M { int32 = 1; }\n");
    assert_int_equal(descriptor_file_load(scratch_path("bad.proto"), &set, &error), -1);
    assert_non_null(strstr(error.text, "bad.proto: protoc: bad.proto:2:19: "));
    assert_int_equal(scratch_count("temporary"), 0);
}
