/*
 * Tests a file of a sink, from its first block to its final name, and changes that other programs
 * make to it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinks/files/live_file.h"
#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/sinks/file_set_files.h"
#include "tests/support/test.h"

#define HEAD "head\n"

struct bench {
    struct path_template *path;
    struct counter files;
    struct file_makings makings;
    struct live_file file;
    struct error error;
};

static struct bench *make_of(const char *template, const char *path)
{
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->path = file_set_template(template);
    bench->makings = (struct file_makings){
        .content = {.name = "test",
                    .encoder = file_set_lines(),
                    .head_size = strlen(HEAD),
                    .sync = SYNC_CLOSE},
        .finished = file_set_finished_files(bench->path, 0),
        .path = bench->path,
        .files = &bench->files,
    };
    strcpy(bench->file.path, scratch_path(path));
    return bench;
}

static struct bench *make(void)
{
    return make_of("a", "a");
}

static void end(struct bench *bench)
{
    live_file_abandon(&bench->file);
    finished_files_destroy(bench->makings.finished);
    path_template_free(bench->path);
    free(bench);
}

static void open_it(struct bench *bench)
{
    if (!live_file_open(&bench->makings, &bench->file, &bench->error))
        fail_msg("%s", bench->error.text);
}

/* Appends the text as a sink does: if the file is empty, the head comes first. */
static void put(struct bench *bench, const char *text)
{
    open_it(bench);
    if ((bench->file.size == 0 &&
         !live_file_append(&bench->file, HEAD, strlen(HEAD), &bench->error)) ||
        !live_file_append(&bench->file, text, strlen(text), &bench->error))
        fail_msg("%s", bench->error.text);
}

static void complete(struct bench *bench)
{
    if (!live_file_complete(&bench->makings, &bench->file, &bench->error))
        fail_msg("%s", bench->error.text);
    assert_false(live_file_is_begun(&bench->file));
}

/* --- the life of a file ----------------------------------------------------------------------- */

TEST_WITH(a_file_is_a_part_until_it_is_complete, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    assert_false(live_file_is_begun(&bench->file));
    put(bench, "one\n");
    put(bench, "two\n");
    assert_true(live_file_is_begun(&bench->file));
    assert_int_equal(bench->file.size, 13);
    scratch_assert_holds_text("a.part", HEAD "one\ntwo\n");
    complete(bench);
    scratch_assert_holds_text("a", HEAD "one\ntwo\n");
    put(bench, "three\n");
    complete(bench);
    scratch_assert_holds_text("a.1", HEAD "three\n");
    assert_int_equal(scratch_count(""), 2);
    assert_int_equal(counter_read(&bench->files), 2);
    end(bench);
}

TEST_WITH(one_without_a_record_leaves_nothing, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    complete(bench); /* no file was begun */
    open_it(bench);
    complete(bench);
    put(bench, "");
    scratch_assert_holds_text("a.part", HEAD);
    complete(bench);
    assert_int_equal(scratch_count(""), 0);
    assert_int_equal(counter_read(&bench->files), 0);
    end(bench);
}

TEST_WITH(one_that_was_put_aside_goes_on_where_it_was, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    put(bench, "one\n");
    live_file_put_aside(&bench->file);
    live_file_put_aside(&bench->file);
    assert_true(live_file_is_begun(&bench->file));
    assert_int_equal(bench->file.size, 9);
    put(bench, "two\n");
    live_file_put_aside(&bench->file);
    complete(bench);
    scratch_assert_holds_text("a", HEAD "one\ntwo\n");
    end(bench);
}

TEST_WITH(one_that_was_put_aside_is_made_to_reach_the_disk_too, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    put(bench, "one\n");
    assert_true(bench->file.unsynced);
    live_file_put_aside(&bench->file);
    assert_true(live_file_sync(&bench->makings, &bench->file, &bench->error));
    assert_false(bench->file.unsynced);
    assert_true(bench->file.aside);
    put(bench, "two\n");
    assert_true(bench->file.unsynced);
    others_remove("a.part");
    live_file_put_aside(&bench->file);
    assert_true(live_file_sync(&bench->makings, &bench->file,
                               &bench->error)); /* succeeds, because the file no longer exists */
    end(bench);
}

TEST_WITH(one_that_was_put_aside_and_goes_on_is_made_to_reach_the_disk_where_it_is, scratch_make,
          scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    put(bench, "one\n");
    live_file_put_aside(&bench->file);
    put(bench, "two\n");
    assert_false(bench->file.aside);
    const struct part_file *part = bench->file.part;
    assert_true(live_file_sync(&bench->makings, &bench->file, &bench->error));
    assert_false(bench->file.unsynced);
    assert_ptr_equal(bench->file.part, part);
    complete(bench);
    scratch_assert_holds_text("a", HEAD "one\ntwo\n");
    end(bench);
}

TEST_WITH(an_abandoned_one_stays_for_the_next_start, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    put(bench, "one\n");
    live_file_abandon(&bench->file);
    assert_false(live_file_is_begun(&bench->file));
    scratch_assert_holds_text("a.part", HEAD "one\n");
    put(bench, "two\n"); /* completes the previous file first */
    scratch_assert_holds_text("a", HEAD "one\n");
    scratch_assert_holds_text("a.part", HEAD "two\n");
    end(bench);
}

/* --- files that were moved or removed --------------------------------------------------------- */

TEST_WITH(one_that_was_moved_away_is_finished_where_it_is, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    put(bench, "one\n");
    others_move("a.part", "moved");
    put(bench, "two\n");
    scratch_assert_holds_text("moved", HEAD "one\n");
    scratch_assert_holds_text("a.part", HEAD "two\n");
    others_move("a.part", "moved2");
    complete(bench);
    scratch_assert_holds_text("moved2", HEAD "two\n");
    assert_int_equal(scratch_count(""), 2);
    assert_int_equal(counter_read(&bench->files), 0);
    end(bench);
}

TEST_WITH(one_that_was_removed_is_begun_anew, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    put(bench, "one\n");
    others_remove("a.part");
    put(bench, "two\n");
    scratch_assert_holds_text("a.part", HEAD "two\n");
    others_remove("a.part");
    complete(bench);
    assert_int_equal(scratch_count(""), 0);
    end(bench);
}

TEST_WITH(one_that_was_emptied_gets_its_head_anew, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    put(bench, "one\n");
    others_empty("a.part");
    put(bench, "two\n");
    assert_int_equal(bench->file.size, 9);
    scratch_assert_holds_text("a.part", HEAD "two\n");
    end(bench);
}

TEST_WITH(another_file_in_its_place_is_completed_as_a_left_one, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    put(bench, "one\n");
    others_remove("a.part");
    scratch_put_text("a.part", "another's\nand");
    put(bench, "two\n");
    scratch_assert_holds_text("a", "another's\n");
    scratch_assert_holds_text("a.part", HEAD "two\n");
    end(bench);
}

TEST_WITH(what_goes_astray_while_it_is_aside_is_noticed_too, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    put(bench, "one\n");
    live_file_put_aside(&bench->file);
    others_move("a.part", "moved");
    put(bench, "two\n");
    scratch_assert_holds_text("moved", HEAD "one\n");
    live_file_put_aside(&bench->file);
    others_append("a.part", "other\n");
    put(bench, "three\n");
    scratch_assert_holds_text("a", HEAD "two\nother\n");
    scratch_assert_holds_text("a.part", HEAD "three\n");
    live_file_put_aside(&bench->file);
    others_remove("a.part");
    complete(bench);
    assert_int_equal(scratch_count(""), 2);
    end(bench);
}

/* --- names that are in use -------------------------------------------------------------------- */

static void assert_stopped(struct bench *bench, const char *why)
{
    assert_false(live_file_open(&bench->makings, &bench->file, &bench->error));
    if (strstr(bench->error.text, why) == NULL)
        fail_msg("%s", bench->error.text);
    assert_false(live_file_is_begun(&bench->file));
}

TEST_WITH(what_is_in_the_way_and_not_ours_stays, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    scratch_make_folder("a.part");
    assert_stopped(bench, others_words.folder);
    others_remove_folder("a.part");

    scratch_put("a.part", "\x1f\x8b\x08\x00\x01\n", 6);
    assert_stopped(bench, "is in the way, and is not a file of format=json");
    others_remove("a.part");

    if (others_link("nowhere", "a.part")) {
        assert_stopped(bench, others_words.link);
        assert_false(scratch_has("nowhere"));
        others_remove("a.part");
    }
    if (others_make_pipe("a.part")) {
        assert_stopped(bench, "is in the way");
        others_remove("a.part");
    }
    put(bench, "one\n"); /* now the sink can continue */
    end(bench);
}

TEST_WITH(a_living_program_s_file_is_waited_for, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    struct file_holder *holder = file_set_hold(scratch_path("a.part"));
    assert_stopped(bench, "is being written by another program");
    file_set_kill(holder);
    put(bench, "one\n");
    end(bench);
}

/* If the sink waited for this path, the records of other paths would wait too. */
TEST_WITH(one_of_many_paths_goes_round_what_is_in_the_way, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make_of("%{source}.n", "a.n");
    struct file_holder *holder = file_set_hold(scratch_path("a.1.n.part"));
    scratch_make_folder("a.n.part");
    scratch_put("a.2.n.part", "\x1f\x8b\x08\x00\x01\n", 6);
    put(bench, "one\n");
    scratch_assert_holds_text("a.3.n.part", HEAD "one\n");
    complete(bench);
    scratch_assert_holds_text("a.n", HEAD "one\n");
    others_remove_folder("a.n.part");
    put(bench, "two\n");
    scratch_assert_holds_text("a.n.part", HEAD "two\n");
    complete(bench);
    scratch_assert_holds_text("a.1.n", HEAD "two\n");
    file_set_kill(holder);
    end(bench);
}

static void assert_refused(const char *template, const char *path, bool refused)
{
    struct bench *bench = make_of(template, path);
    assert_false(live_file_open(&bench->makings, &bench->file, &bench->error));
    assert_int_equal(bench->file.refused, refused);
    assert_non_null(strstr(bench->error.text, "cannot create "));
    end(bench);
}

TEST_WITH(only_an_error_of_one_path_is_a_refusal, scratch_make, scratch_remove)
{
    (void)state;
    char longest[PATH_TEMPLATE_SIZE] = "";
    scratch_put_text("file", "no folder\n");
    assert_refused("%{source}/a", "file/a", true);
    memset(longest, 'b', 256);
    strcpy(longest + 256, ".n");
    assert_refused("%{source}.n", longest, true);
    assert_refused("none/%{source}.n", "none/a.n", false); /* none of these paths can be opened */
    assert_refused("none/%{source}/a", "none/b/a", false);
    assert_refused("file/%{source}/a", "file/b/a", false);
}

/* --- the end of a sink ------------------------------------------------------------------------ */

/*
 * Makes files with a name of this length and with this number. The name with the next number would
 * be too long.
 */
static void use_long_path(struct bench *bench, char *longest, size_t length, const char *number)
{
    char name[PATH_TEMPLATE_SIZE + 16];
    memset(longest, 'b', length);
    longest[length] = '\0';
    strcpy(bench->file.path, scratch_path(longest));
    scratch_put_text(longest, "old\n");
    snprintf(name, sizeof name, "%s.%s", longest, number);
    scratch_put_text(name, "old\n");
}

TEST_WITH(one_that_cannot_be_renamed_waits_and_the_next_has_a_number, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    char longest[PATH_TEMPLATE_SIZE], name[PATH_TEMPLATE_SIZE + 16];
    size_t unnamed;
    use_long_path(bench, longest, 248, "999999");
    put(bench, "one\n");
    complete(bench);
    assert_int_equal(counter_read(&file_set_blocked), 1);
    put(bench, "two\n");
    snprintf(name, sizeof name, "%s.part", longest);
    scratch_assert_holds_text(name, HEAD "one\n");
    snprintf(name, sizeof name, "%s.1.part", longest);
    scratch_assert_holds_text(name, HEAD "two\n");
    complete(bench);
    assert_int_equal(finished_files_retry(bench->makings.finished), 0);
    assert_int_equal(finished_files_end(bench->makings.finished, &unnamed), 0);
    assert_int_equal(unnamed, 2);
    scratch_assert_holds_text(name, HEAD "two\n");
    assert_false(finished_files_are_waiting(bench->makings.finished));
    assert_int_equal(counter_read(&bench->files), 0);
    end(bench);
}

/* With ".part" the name is as long as it may be. With ".1.part" it is too long. */
TEST_WITH(where_no_other_can_be_begun_it_is_written_on, scratch_make, scratch_remove)
{
    (void)state;
    struct bench *bench = make();
    char longest[PATH_TEMPLATE_SIZE];
    use_long_path(bench, longest, 250, "9999");
    put(bench, "one\n");
    for (int i = 0; i < 20; i++) {
        complete(bench);
        put(bench, "more\n");
        assert_true(bench->file.retry_at_ns != 0);
    }
    assert_int_equal(counter_read(&file_set_blocked), 1);
    assert_false(finished_files_are_waiting(bench->makings.finished));
    assert_int_equal(bench->file.size, strlen(HEAD) + 4 + 20 * 5);
    others_remove(longest);
    complete(bench);
    assert_true(scratch_has(longest));
    assert_int_equal(bench->file.retry_at_ns, 0);
    assert_int_equal(counter_read(&bench->files), 1);
    assert_int_equal(scratch_count(""), 2);
    end(bench);
}
