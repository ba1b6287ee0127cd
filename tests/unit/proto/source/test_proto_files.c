/* Tests the files of a schema, their names, and the folders in which imports are searched. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "proto/source/proto_files.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

/* The linker makes calls of file_location_find call the second function (ld(1), --wrap). */
bool __real_file_location_find(const char *path, struct file_location *place);
bool __wrap_file_location_find(const char *path, struct file_location *place);

/* Fails for paths that end with "unfound", as if their folder could not be searched. */
bool __wrap_file_location_find(const char *path, struct file_location *place)
{
    size_t length = strlen(path);
    return (length < 7 || strcmp(path + length - 7, "unfound") != 0) &&
           __real_file_location_find(path, place);
}

static struct proto_files *opened;

static int tear_down(void **state)
{
    if (opened != NULL)
        proto_files_clear(opened);
    free(opened);
    opened = NULL;
    return scratch_remove(state);
}

static int open_path(const char *name, struct error *error)
{
    if (opened != NULL)
        proto_files_clear(opened);
    free(opened);
    opened = calloc(1, sizeof *opened);
    assert_non_null(opened);
    const char *path = scratch_path(name);
    return proto_files_open(path, folder_is_readable(path), opened, error);
}

static void assert_listed(const char *name, const char *expected)
{
    struct error error;
    char names[500] = "";
    if (open_path(name, &error) != 0)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < opened->listed; i++) {
        strcat(names, i == 0 ? "" : " ");
        strcat(names, opened->files[i]->name);
    }
    assert_string_equal(names, expected);
}

/*
 * Asserts the folder at this place of the search path. `name` is relative to the scratch folder,
 * and "" means the scratch folder.
 */
static void assert_root(size_t place, const char *name)
{
    char *full = file_path_absolute(scratch_path(name));
    assert_true(place < opened->root_count);
    assert_string_equal(opened->roots[place], full);
    free(full);
}

static void assert_not_opened(const char *name, const char *expected)
{
    struct error error = {0};
    assert_int_equal(open_path(name, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    if (strstr(error.text, expected) == NULL)
        fail_msg("%s", error.text);
}

TEST_WITH(a_folder_is_its_proto_files_and_those_below_in_the_order_of_names, scratch_make,
          tear_down)
{
    (void)state;
    scratch_make_folder("b");
    scratch_make_folder("b/c");
    scratch_make_folder(".hidden");
    scratch_put_text("z.proto", "");
    scratch_put_text("a.proto", "");
    scratch_put_text("b/c/y.proto", "");
    scratch_put_text("b/x.proto", "");
    scratch_put_text("notes.txt", "");
    scratch_put_text(".x.proto", "");
    scratch_put_text(".hidden/x.proto", "");
    assert_listed("", "a.proto b/c/y.proto b/x.proto z.proto");
    assert_int_equal(opened->root_count, 1);
    assert_root(0, "");
}

TEST_WITH(an_import_from_the_root_of_a_tree_is_found_from_a_folder_and_a_file_inside, scratch_make,
          tear_down)
{
    (void)state;
    scratch_make_folder("tree");
    scratch_make_folder("tree/p");
    scratch_make_folder("tree/p/q");
    scratch_put_text("tree/p/base.proto", "");
    scratch_put_text("tree/p/q/m.proto", "import 'p/base.proto'; import 'p/q/n.proto';");
    scratch_put_text("tree/p/q/n.proto", "import 'google/protobuf/any.proto';");
    assert_listed("tree/p/q", "p/q/m.proto p/q/n.proto");
    assert_int_equal(opened->root_count, 1);
    assert_root(0, "tree");
    assert_listed("tree/p/q/m.proto", "p/q/m.proto");
    assert_root(0, "tree");
    assert_listed("tree", "p/base.proto p/q/m.proto p/q/n.proto");
    assert_root(0, "tree");
}

TEST_WITH(trees_next_to_each_other_have_a_root_each, scratch_make, tear_down)
{
    (void)state;
    scratch_make_folder("one");
    scratch_make_folder("one/a");
    scratch_make_folder("two");
    scratch_put_text("one/a/x.proto", "");
    scratch_put_text("one/y.proto", "import 'a/x.proto';");
    scratch_put_text("two/part.proto", "");
    scratch_put_text("two/whole.proto", "import 'part.proto';");
    assert_listed("", "a/x.proto one/y.proto part.proto two/whole.proto");
    assert_int_equal(opened->root_count, 3);
    assert_root(2, "");
}

/* Nearer folders come first in the search path, unless a single folder has all imports. */
TEST_WITH(one_folder_that_has_all_imports_precedes_nearer_ones, scratch_make, tear_down)
{
    (void)state;
    scratch_make_folder("a");
    scratch_put_text("base.proto", "");
    scratch_put_text("a/base.proto", "");
    scratch_put_text("a/m.proto", "import 'base.proto';");
    assert_listed("", "a/base.proto a/m.proto base.proto");
    assert_int_equal(opened->root_count, 1);
    assert_listed("a/m.proto", "m.proto");
    assert_root(0, "a");
}

TEST_WITH(files_that_protoc_cannot_tell_apart_are_refused_by_name, scratch_make, tear_down)
{
    (void)state;
    scratch_make_folder("a");
    scratch_make_folder("b");
    scratch_put_text("a/base.proto", "");
    scratch_put_text("a/m.proto", "import 'base.proto';");
    scratch_put_text("b/base.proto", "");
    scratch_put_text("b/m.proto", "import 'base.proto';");
    assert_not_opened("", "are both \"base.proto\" for protoc");
    scratch_put_text("b/base.proto", "import 'b/m.proto';");
    scratch_put_text("b/n.proto", "import 'm.proto';");
    assert_not_opened("b", "m.proto is imported as \"");
}

TEST_WITH(a_folder_without_a_proto_file_and_a_missing_file_are_refused, scratch_make, tear_down)
{
    (void)state;
    scratch_make_folder("empty");
    assert_not_opened("empty", "no .proto file in this folder or below it");
    assert_not_opened("gone.proto", "cannot be opened");
}

TEST_WITH(a_folder_that_cannot_be_found_is_not_left_out, scratch_make, tear_down)
{
    (void)state;
    scratch_put_text("a.proto", "");
    scratch_make_folder("unfound");
    scratch_put_text("unfound/b.proto", "");
    assert_not_opened("", "unfound cannot be read");
}

TEST_WITH(folders_are_read_to_a_bounded_depth, scratch_make, tear_down)
{
    (void)state;
    char name[300] = "d";
    scratch_make_folder(name);
    for (size_t i = 1; i < PROTO_FOLDER_DEPTH; i++) {
        strcat(name, "/d");
        scratch_make_folder(name);
    }
    char file[320];
    snprintf(file, sizeof file, "%s/x.proto", name);
    scratch_put_text(file, "");
    assert_not_opened("", "more than 64 folders inside each other");
}

/* A missing import is not an error here, because protoc may find it in a folder of its own. */
TEST_WITH(a_thousand_files_are_listed_whatever_is_missing, scratch_make, tear_down)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        char name[32], text[64];
        snprintf(name, sizeof name, "f%04d.proto", i);
        snprintf(text, sizeof text, "import 'f%04d.proto'; import 'no/such.proto';",
                 (i + 1) % 1000);
        scratch_put_text(name, text);
    }
    struct error error;
    assert_int_equal(open_path("", &error), 0);
    assert_int_equal(opened->listed, 1000);
    assert_int_equal(opened->root_count, 1);
}
