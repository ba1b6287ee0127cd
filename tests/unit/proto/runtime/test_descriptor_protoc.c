#include <stdlib.h>
#include <string.h>

#include "tests/support/platform/scratch_directory.h"
#include "tests/support/proto/descriptor_loading.h"
#include "tests/support/test.h"

TEST_WITH(a_proto_file_is_compiled_with_what_it_imports_from_beside, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("part.proto", "syntax = \"proto3\"; package p; message Part { int32 x = 1; }");
    scratch_put_text("whole.proto",
                     "syntax = \"proto3\"; package p; import \"part.proto\";"
                     "import \"google/protobuf/timestamp.proto\";"
                     "message Whole { Part part = 1; google.protobuf.Timestamp time = 2; }");
    assert_loads(scratch_path("whole.proto"), "p.Whole");
    assert_loads(scratch_path("whole.proto"), "p.Part");
}

TEST_WITH(what_protoc_says_of_a_proto_file_is_reported, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("bad.proto", "syntax = \"proto3\";\nmessage M { int32 = 1; }\n");
    assert_refused(scratch_path("bad.proto"), "protoc: bad.proto:2:19: ");
    scratch_put_text("lost.proto", "syntax = \"proto3\"; import \"no/such.proto\";");
    assert_refused(scratch_path("lost.proto"), "no/such.proto");
    assert_refused(scratch_path("gone.proto"), "gone.proto: cannot be opened");
}

TEST_WITH(what_protoc_only_warns_of_does_no_harm, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("old.proto", "message M { optional int32 x = 1; }");
    assert_loads(scratch_path("old.proto"), "M");
    scratch_put_text("worse.proto", "message M { optional = 1; }");
    assert_refused(scratch_path("worse.proto"), "protoc: worse.proto:1:");
}

TEST_WITH(without_protoc_a_proto_file_is_refused_and_says_what_to_give, scratch_make,
          scratch_remove)
{
    (void)state;
    const char *path = getenv("PATH");
    char *kept = path == NULL ? NULL : strdup(path);
    scratch_put_text("good.proto", "syntax = \"proto3\"; message M {}");
    assert_int_equal(setenv("PATH", scratch_path("."), 1), 0);
    assert_refused(scratch_path("good.proto"), "needs protoc, which is not installed");
    assert_int_equal(kept == NULL ? unsetenv("PATH") : setenv("PATH", kept, 1), 0);
    free(kept);
}
