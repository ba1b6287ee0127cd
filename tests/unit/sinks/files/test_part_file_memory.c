/* Tests a file under construction, when memory is short. */
#include <string.h>

#include "collector/platform/data_file.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

/* Opens a part while allocation number `number` fails. Returns the result. */
static enum part_result open_short(uint64_t number, struct part_file **file)
{
    const char *path = scratch_path("a.part");
    const size_t base = strlen(scratch_path(""));
    struct error error = {.text = ""};
    failing_memory_fail(number);
    enum part_result result = part_file_open_new(path, base, 0, file, &error);
    failing_memory_fail(0);
    assert_int_equal(result != PART_DONE, error.text[0] != '\0');
    return result;
}

TEST_WITH(a_new_file_without_memory_leaves_nothing, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file;
    uint64_t number = 1;
    enum part_result result;
    while ((result = open_short(number, &file)) == PART_FAILED) {
        assert_int_equal(scratch_count(""), 0);
        number++;
    }
    assert_int_equal(result, PART_DONE);
    assert_true(number > 1);
    part_file_close(file);
}

TEST_WITH(a_left_file_without_memory_stays, scratch_make, scratch_remove)
{
    (void)state;
    struct part_file *file;
    struct error error;
    scratch_put_text("a.part", "one\n");
    failing_memory_fail(1);
    assert_int_equal(part_file_open_left(scratch_path("a.part"), &file, &error), PART_FAILED);
    failing_memory_fail(0);
    scratch_assert_holds_text("a.part", "one\n");
    assert_int_equal(part_file_open_left(scratch_path("a.part"), &file, &error), PART_DONE);
    part_file_close(file);
}
