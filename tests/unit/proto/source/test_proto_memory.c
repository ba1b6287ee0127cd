#include <stdlib.h>
#include <string.h>

#include "proto/source/proto_files.h"
#include "tests/support/platform/failing_memory.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

static struct proto_files files;

TEST_WITH(a_folder_is_read_or_refused_whichever_allocation_failed, scratch_make, scratch_remove)
{
    (void)state;
    scratch_make_folder("a");
    scratch_make_folder("b");
    scratch_put_text("a/x.proto", "import 'y.proto';");
    scratch_put_text("a/y.proto", "import 'b/z.proto';");
    scratch_put_text("b/z.proto", "edition = '2023'; import 'b/x.proto';");
    scratch_put_text("b/x.proto", "");
    const char *path = scratch_path("");
    uint64_t number = 0;
    for (bool failed = true; failed;) {
        struct error error = {0};
        failing_memory_fail(++number);
        int result = proto_files_open(path, true, &files, &error);
        failed = failing_memory_left() == 0;
        failing_memory_fail(0);
        assert_int_equal(files.listed == 4 && result == 0, !failed);
        assert_true(result == 0 || error.text[0] != '\0');
        proto_files_clear(&files);
    }
    assert_true(number > 20);
}
