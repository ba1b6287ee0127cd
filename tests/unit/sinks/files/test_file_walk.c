/* Walks folders and finds the files whose names match a path with fields, such as "%F.n". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/sinks/file_set_files.h"
#include "tests/support/test.h"

/* --- a folder --------------------------------------------------------------------------------- */

TEST_WITH(a_folder_lists_what_is_a_file_and_what_a_folder, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("file", "one\n");
    others_set_time("file", 1700000000);
    scratch_make_folder("folder");
    size_t others = (size_t)others_link("file", "link") + others_make_pipe("pipe");
    struct folder *folder = folder_open(scratch_path(""));
    struct folder_entry entry;
    size_t count = 0;
    for (; folder_next(folder, &entry); count++) {
        assert_int_equal(entry.is_file, strcmp(entry.name, "file") == 0);
        assert_int_equal(entry.is_folder, strcmp(entry.name, "folder") == 0);
        if (entry.is_file)
            assert_int_equal(entry.modified_ns, INT64_C(1700000000) * 1000000000);
    }
    assert_int_equal(count, 2 + others);
    folder_close(folder);
    folder_close(NULL);
    assert_null(folder_open(scratch_path("none")));
    assert_null(folder_open(scratch_path("file")));
}

TEST_WITH(removing_what_is_not_there_is_done_and_a_folder_is_not_removed, scratch_make,
          scratch_remove)
{
    (void)state;
    scratch_put_text("file", "one\n");
    scratch_make_folder("folder");
    assert_true(folder_remove_file(scratch_path("file")));
    assert_false(scratch_has("file"));
    assert_true(folder_remove_file(scratch_path("file")));
    assert_false(folder_remove_file(scratch_path("folder")));
    assert_true(scratch_has("folder"));
}

/* --- a walk ----------------------------------------------------------------------------------- */

struct found {
    /* The files found so far: each as its name, '+' for a part, '#' and its number, and a blank. */
    char text[4000];
    size_t used;
};

static void note(void *context, const struct found_file *file)
{
    struct found *found = context;
    const char *name = file->path + strlen(scratch_path(""));
    found->used +=
        (size_t)snprintf(found->text + found->used, sizeof found->text - found->used, "%s%s#%u ",
                         name, file->part ? "+" : "", (unsigned)file->match->number);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void assert_walk(const char *template, const char *expected)
{
    struct path_template *path = file_set_template(template);
    struct found found = {.used = 0};
    const char *names[100];
    size_t count = 0;
    char sorted[4000] = "";
    file_walk(path, note, &found);
    for (char *name = strtok(found.text, " "); name != NULL; name = strtok(NULL, " "))
        names[count++] = name;
    qsort(names, count, sizeof names[0], by_text);
    for (size_t i = 0; i < count; i++)
        snprintf(sorted + strlen(sorted), sizeof sorted - strlen(sorted), "%s%s", i == 0 ? "" : " ",
                 names[i]);
    assert_string_equal(sorted, expected);
    path_template_free(path);
}

static void put_all(const char *const *names)
{
    for (; *names != NULL; names++)
        scratch_put_text(*names, "mine\n");
}

TEST_WITH(a_path_without_fields_finds_itself_its_numbers_and_its_part, scratch_make, scratch_remove)
{
    (void)state;
    put_all((const char *const[]){
        "a",           "a.1",      "a.999999999", "a.part",      "a.1.part", "a.999.part",
        "a.1000.part", "a.0.part", "a.01.part",   "a.0",         "a.01",     "a.1000000000",
        "a.x",         "aa",       "b.part",      "a.part.part", "a.",       ".a",
        "a.1.1",       "a.-1",     "a.+1",        "a. 1",        NULL});
    assert_walk("a", "a#0 a.1#1 a.1.part+#1 a.999.part+#999 a.999999999#999999999 a.part+#0");
}

TEST_WITH(numbers_are_found_before_the_extension_and_at_the_end, scratch_make, scratch_remove)
{
    (void)state;
    put_all((const char *const[]){"a.n.gz", "a.1.n.gz", "a.n.gz.2", "a.3.n.gz.part",
                                  "a.n.gz.4.part", "a.n.5.gz", "a.6.n.gz.6", NULL});
    assert_walk("a.n.gz", "a.1.n.gz#1 a.3.n.gz.part+#3 a.n.gz#0 a.n.gz.2#2 a.n.gz.4.part+#4");
}

TEST_WITH(names_that_only_look_like_dates_are_not_found, scratch_make, scratch_remove)
{
    (void)state;
    put_all((const char *const[]){"2026-11-21.n", "2026-11-21.n.part", "2026-13-21.n",
                                  "2026-1-21.n", "2026-11-21.m", "x2026-11-21.n", "2026-11-21.n.gz",
                                  "2026-11-21.n.3", NULL});
    assert_walk("%F.n", "2026-11-21.n#0 2026-11-21.n.3#3 2026-11-21.n.part+#0");
}

TEST_WITH(only_regular_files_at_the_right_depth_are_found, scratch_make, scratch_remove)
{
    (void)state;
    scratch_make_folder("x");
    scratch_make_folder("x/y");
    scratch_make_folder("x/y/z.n");
    scratch_make_folder("x/y/z.n.part");
    others_link("y", "x/link");
    put_all((const char *const[]){"a.n", "x/b.n", "x/y/c.n", "x/y/d.n.part", "x/y/z.n/e.n", NULL});
    others_link("c.n", "x/y/s.n");
    others_link("c.n", "x/y/s.n.part");
    others_make_pipe("x/y/p.n");
    assert_walk("%{source}/%{schema}/%{listener}.n", "x/y/c.n#0 x/y/d.n.part+#0");
    assert_walk("%{source}.n", "a.n#0");
    assert_walk("x/y/%{source}.n", "x/y/c.n#0 x/y/d.n.part+#0");
}

TEST_WITH(a_folder_that_is_not_there_or_cannot_be_named_holds_nothing, scratch_make, scratch_remove)
{
    (void)state;
    assert_walk("none/%{source}.n", "");
    char deep[1000] = "";
    for (int i = 0; i < 200; i++)
        strcat(deep, "%%/");
    strcat(deep, "%F.n");
    assert_walk(deep, "");
}

TEST_WITH(deep_folders_are_walked, scratch_make, scratch_remove)
{
    (void)state;
    char folder[400] = "";
    char template[400] = "%Y";
    char expected[sizeof folder + 2];
    for (int i = 0; i < 60; i++) {
        snprintf(folder + strlen(folder), sizeof folder - strlen(folder), "%s",
                 i == 0 ? "2026" : "/d");
        scratch_make_folder(folder);
        if (i != 0)
            strcat(template, "/d");
    }
    strcat(template, "/a.n");
    strcat(folder, "/a.n");
    scratch_put_text(folder, "mine\n");
    snprintf(expected, sizeof expected, "%s#0", folder);
    assert_walk(template, expected);
}
