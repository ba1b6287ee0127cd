/* The descriptor set that a user names: a file that holds one, or a .proto file and protoc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/runtime/descriptor_file.h"
#include "tests/support/scratch_directory.h"

extern const unsigned char shapes_set[];
extern const size_t shapes_set_size;

/* The file is loaded and has this message. */
static void assert_loads(const char *path, const char *full_name)
{
    struct type_set *set;
    struct error error;
    if (descriptor_file_load(path, &set, &error) != 0)
        fail_msg("%s", error.text);
    assert_non_null(type_set_require(set, full_name, &error));
    type_set_destroy(set);
}

/* The file is refused with one line that begins with its path and says this. */
static void assert_refused(const char *path, const char *expected)
{
    struct type_set *set;
    struct error error = {0};
    assert_int_equal(descriptor_file_load(path, &set, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    if (strstr(error.text, path) == NULL || strstr(error.text, expected) == NULL ||
        strchr(error.text, '\n') != NULL)
        fail_msg("%s", error.text);
}

static void a_descriptor_set_is_read_from_its_file(void **state)
{
    (void)state;
    scratch_put("shapes.desc", (const char *)shapes_set, shapes_set_size);
    assert_loads(scratch_path("shapes.desc"), "sluice.shapes.Tree");
}

static void a_file_that_is_none_or_is_not_there_is_refused_by_name(void **state)
{
    (void)state;
    scratch_put_text("text", "syntax = \"proto3\";\n");
    assert_refused(scratch_path("text"), "no descriptor set");
    scratch_put_text("empty", "");
    assert_refused(scratch_path("empty"), "no descriptor set");
    assert_refused(scratch_path("nothing"), "No such file");
    assert_refused(scratch_path("."), "");
}

static void a_proto_file_is_compiled_with_what_it_imports_from_beside(void **state)
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

static void what_protoc_says_of_a_proto_file_is_told(void **state)
{
    (void)state;
    scratch_put_text("bad.proto", "syntax = \"proto3\";\nmessage M { int32 = 1; }\n");
    assert_refused(scratch_path("bad.proto"), "protoc: bad.proto:2:19: ");
    scratch_put_text("lost.proto", "syntax = \"proto3\"; import \"no/such.proto\";");
    assert_refused(scratch_path("lost.proto"), "no/such.proto");
    assert_refused(scratch_path("gone.proto"), "protoc: ");
}

/* A warning is no error, and not what is told of one. */
static void what_protoc_only_warns_of_does_no_harm(void **state)
{
    (void)state;
    scratch_put_text("old.proto", "message M { optional int32 x = 1; }");
    assert_loads(scratch_path("old.proto"), "M");
    scratch_put_text("worse.proto", "message M { optional = 1; }");
    assert_refused(scratch_path("worse.proto"), "protoc: worse.proto:1:");
}

static void without_protoc_a_proto_file_is_refused_and_says_what_to_give(void **state)
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

#define scratch(test) cmocka_unit_test_setup_teardown(test, scratch_make, scratch_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scratch(a_descriptor_set_is_read_from_its_file),
        scratch(a_file_that_is_none_or_is_not_there_is_refused_by_name),
        scratch(a_proto_file_is_compiled_with_what_it_imports_from_beside),
        scratch(what_protoc_says_of_a_proto_file_is_told),
        scratch(what_protoc_only_warns_of_does_no_harm),
        scratch(without_protoc_a_proto_file_is_refused_and_says_what_to_give),
    };
    return cmocka_run_group_tests_name("descriptor_file", tests, NULL, NULL);
}
