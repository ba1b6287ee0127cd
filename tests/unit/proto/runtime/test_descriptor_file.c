#include <string.h>

#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/proto/descriptor_loading.h"
#include "tests/support/test.h"

extern const unsigned char shapes_set[];
extern const size_t shapes_set_size;

TEST_WITH(a_descriptor_set_is_read_from_its_file, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put("shapes.desc", (const char *)shapes_set, shapes_set_size);
    assert_loads(scratch_path("shapes.desc"), "sluice.shapes.Tree");
}

TEST_WITH(a_file_that_is_none_or_is_not_there_is_refused_by_name, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("text", "syntax = \"proto3\";\n");
    assert_refused(scratch_path("text"), "no descriptor set");
    scratch_put_text("empty", "");
    assert_refused(scratch_path("empty"), "no descriptor set");
    assert_refused(scratch_path("nothing"), others_words.no_file);
    assert_refused(scratch_path("."), "");
}
