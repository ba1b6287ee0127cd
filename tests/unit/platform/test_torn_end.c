/* Tests that the report about a torn end that the program cannot cut off is true. */
#include <string.h>

#include "collector/platform/common/torn_end.h"
#include "tests/support/test.h"

struct file {
    const char *text;
    bool cuts, was_cut, was_ended;
};

static const char *size_of(void *context, uint64_t *size)
{
    *size = strlen(((struct file *)context)->text);
    return NULL;
}

static const char *read_at(void *context, uint64_t offset, void *bytes, size_t size)
{
    memcpy(bytes, ((struct file *)context)->text + offset, size);
    return NULL;
}

static bool cut(void *context, uint64_t size, uint64_t kept)
{
    struct file *file = context;
    assert_true(kept < size);
    file->was_cut = file->cuts;
    return file->cuts;
}

static const char *end_line(void *context)
{
    ((struct file *)context)->was_ended = true;
    return NULL;
}

static const struct torn_file_ops ops = {
    .size = size_of, .read = read_at, .cut = cut, .end_line = end_line};

static struct output_file_start mend(struct file *file, bool alone)
{
    struct output_file_start start;
    assert_null(torn_end_mend(&ops, file, alone, NULL, &start));
    return start;
}

TEST(a_line_that_cannot_be_cut_is_ended_and_nobody_else_is_blamed)
{
    struct file file = {.text = "whole\ntorn"};
    const struct output_file_start start = mend(&file, true);
    assert_int_equal(start.torn, TORN_LINE_ENDED);
    assert_int_equal(start.kept, TORN_LINE_STUCK);
    assert_true(file.was_ended);
}

TEST(a_line_of_somebody_else_is_ended_and_never_cut)
{
    struct file file = {.text = "whole\ntorn", .cuts = true};
    const struct output_file_start start = mend(&file, false);
    assert_int_equal(start.torn, TORN_LINE_ENDED);
    assert_int_equal(start.kept, TORN_LINE_SHARED);
    assert_false(file.was_cut);
    assert_true(file.was_ended);
}

TEST(a_line_of_ours_is_cut)
{
    struct file file = {.text = "whole\ntorn", .cuts = true};
    const struct output_file_start start = mend(&file, true);
    assert_int_equal(start.torn, TORN_LINE_CUT);
    assert_int_equal(start.torn_size, 4);
    assert_false(file.was_ended);
}
