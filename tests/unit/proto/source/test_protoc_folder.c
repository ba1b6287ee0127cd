/* Tests that protoc compiles a folder of .proto files to one descriptor set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/platform/scratch_directory.h"
#include "tests/support/proto/descriptor_loading.h"
#include "tests/support/test.h"

TEST_WITH(a_folder_is_one_set_with_and_without_its_slash, scratch_make, scratch_remove)
{
    (void)state;
    scratch_make_folder("set");
    scratch_make_folder("set/deep");
    scratch_put_text("set/a.proto", "syntax = \"proto3\"; message A { B b = 1; }"
                                    "import \"deep/b.proto\";");
    scratch_put_text("set/deep/b.proto", "syntax = \"proto3\"; message B {}");
    scratch_put_text("set/deep/c.proto", "syntax = \"proto3\"; message C {}");
    assert_loads(scratch_path("set"), "A");
    assert_loads(scratch_path("set/"), "C");
    assert_loads(scratch_path("set/deep"), "B");
}

TEST_WITH(an_import_from_a_folder_above_is_found, scratch_make, scratch_remove)
{
    (void)state;
    scratch_make_folder("p");
    scratch_make_folder("p/q");
    scratch_put_text("p/base.proto", "syntax = \"proto3\"; message Base {}");
    scratch_put_text("p/q/m.proto",
                     "syntax = \"proto3\"; import \"p/base.proto\"; message M { Base b = 1; }");
    assert_loads(scratch_path("p/q/m.proto"), "M");
    assert_loads(scratch_path("p/q/"), "Base");
}

/* Kubernetes mounts a ConfigMap in this way: each file is a link into a hidden folder. */
TEST_WITH(linked_files_count_once_and_links_in_a_circle_end, scratch_make, scratch_remove)
{
    (void)state;
    scratch_make_folder("set");
    scratch_make_folder("set/..data");
    scratch_make_folder("set/sub");
    scratch_put_text("set/..data/a.proto", "syntax = \"proto3\"; message A {}");
    assert_int_equal(symlink("..data/a.proto", scratch_path("set/a.proto")), 0);
    assert_int_equal(symlink("..", scratch_path("set/sub/up")), 0);
    assert_int_equal(symlink("loop.proto", scratch_path("set/loop.proto")), 0);
    assert_loads(scratch_path("set"), "A");
}

TEST_WITH(what_protoc_says_of_a_folder_is_one_line_with_file_and_place, scratch_make,
          scratch_remove)
{
    (void)state;
    scratch_put_text("self.proto", "syntax = \"proto3\"; import \"self.proto\";");
    assert_refused(scratch_path("."), "protoc: self.proto:1:");
    scratch_put_text("self.proto", "syntax = \"proto3\"; message M {}");
    scratch_put_text("twice.proto", "syntax = \"proto3\"; message M {}");
    assert_refused(scratch_path("."),
                   "protoc: twice.proto:1:28: \"M\" is already defined in file \"self.proto\"");
    scratch_put_text("twice.proto", "syntax = \"proto3\"; import \"no/such.proto\";");
    assert_refused(scratch_path("."), "no/such.proto: File not found. (imports are searched in the "
                                      "folder of the file and in the folders above it)");
}

TEST_WITH(names_that_protoc_would_take_for_options_are_refused, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("-I.proto", "");
    assert_refused(scratch_path("."), "its name begins with \"-\"");
}

TEST_WITH(folders_with_unusual_names_are_read, scratch_make, scratch_remove)
{
    (void)state;
    scratch_make_folder("a=b c");
    scratch_put_text("a=b c/m.proto", "syntax = \"proto3\"; message M {}");
    assert_loads(scratch_path("a=b c/m.proto"), "M");
    assert_loads(scratch_path("a=b c"), "M");
    scratch_make_folder("a:b");
    scratch_put_text("a:b/m.proto", "syntax = \"proto3\"; message M {}");
    assert_refused(scratch_path("a:b/m.proto"), "as its path contains \":\"");
    assert_int_equal(chdir(scratch_path("a:b")), 0);
    assert_loads("m.proto", "M");
    assert_loads(".", "M");
    assert_int_equal(chdir("/"), 0);
}

static void put_protoc(const char *script)
{
    char path[2000];
    scratch_put_text("protoc", script);
    assert_int_equal(chmod(scratch_path("protoc"), 0755), 0);
    snprintf(path, sizeof path, "%s:%s", scratch_path("."), getenv("PATH"));
    assert_int_equal(setenv("PATH", path, 1), 0);
}

TEST_WITH(an_edition_that_protoc_does_not_know_is_said_in_words, scratch_make, scratch_remove)
{
    (void)state;
    char *kept = strdup(getenv("PATH"));
    scratch_put_text("e.proto", "// A file.\nedition = \"2023\";\nmessage M {}\n");
    put_protoc("#!/bin/sh\nif [ \"$1\" = --version ]; then echo libprotoc 3.21.12; else\n"
               "echo 'e.proto:2:1: Expected top-level statement (e.g. \"message\").' >&2\n"
               "exit 1; fi\n");
    assert_refused(scratch_path("e.proto"),
                   "protoc 3.21.12 does not know edition = \"2023\" of e.proto; make a descriptor "
                   "set with a newer protoc: protoc --include_imports --descriptor_set_out=");
    put_protoc("#!/bin/sh\nif [ \"$1\" = --version ]; then exit 1; else\n"
               "echo 'e.proto: Edition 2023 is later than the maximum supported edition' >&2\n"
               "exit 1; fi\n");
    assert_refused(scratch_path("e.proto"), "protoc does not know edition = \"2023\" of e.proto");
    put_protoc("#!/bin/sh\necho 'e.proto:3:1: Expected \";\".' >&2\nexit 1\n");
    assert_refused(scratch_path("e.proto"), "protoc: e.proto:3:1: Expected");
    assert_int_equal(setenv("PATH", kept, 1), 0);
    free(kept);
}
