/* Tests the names that complete files get, and which files are removed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/platform/others.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/sinks/file_set_files.h"
#include "tests/support/test.h"

static void found(void *context, const struct found_file *file)
{
    finished_files_found(context, file);
}

#define DAY INT64_C(86400)

static struct path_template *path;
static struct finished_files *files;

static void start_by(const char *template, const struct file_options *options)
{
    path = file_set_template(template);
    files = file_set_finished_files_by(path, options);
    file_walk(path, found, files);
}

static void start(const char *template, uint64_t keep)
{
    start_by(template, &(struct file_options){.keep = keep});
}

static void end(void)
{
    finished_files_destroy(files);
    path_template_free(path);
}

static void assert_name(const char *of, const char *expected)
{
    assert_string_equal(file_set_finish(files, of, "new\n"), expected);
    scratch_assert_holds_text(expected, "new\n");
}

static void put_old(const char *name, int64_t seconds)
{
    scratch_put_text(name, "old\n");
    others_set_time(name, seconds);
}

/* --- names ------------------------------------------------------------------------------------ */

TEST_WITH(a_free_name_is_taken_and_then_numbers, scratch_make, scratch_remove)
{
    (void)state;
    start("a", 0);
    assert_name("a", "a");
    assert_name("a", "a.1");
    assert_name("a", "a.2");
    others_remove("a.1"); /* the free number is not used again */
    assert_name("a", "a.3");
    others_remove("a");
    assert_name("a", "a");
    end();
}

TEST_WITH(numbers_go_on_after_the_highest_whatever_has_it, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("a", "old\n");
    scratch_make_folder("a.41");
    scratch_make_folder("a.42");
    others_link("nowhere", "a.43");
    start("a", 0);
    assert_name("a", scratch_has("a.43") ? "a.44" : "a.43");
    end();
}

TEST_WITH(names_that_only_look_like_numbers_do_not_count, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const names[] = {"a",        "a.07", "a.7x",  "a.1000000000",
                                        "b.9",      "a.-8", "a.9.9", "a.0",
                                        "a.part.5", "aa.6", "a.",    "a.1e3"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        scratch_put_text(names[i], "old\n");
    start("a", 0);
    assert_name("a", "a.1");
    end();
}

TEST_WITH(after_the_highest_possible_number_they_begin_anew, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const names[] = {"a", "a.1", "a.2", "a.4", "a.999999999"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        scratch_put_text(names[i], "old\n");
    start("a", 0);
    assert_name("a", "a.3");
    assert_name("a", "a.5");
    scratch_assert_holds_text("a.999999999", "old\n");
    end();
}

TEST_WITH(many_names_that_are_taken_are_no_trouble, scratch_make, scratch_remove)
{
    (void)state;
    enum { MANY = TEST_TRIES(1500) };
    char name[20];
    scratch_put_text("a", "old\n");
    scratch_put_text("a.999999999", "old\n");
    for (int i = 1; i <= MANY; i++) {
        snprintf(name, sizeof name, "a.%d", i);
        scratch_put_text(name, "old\n");
    }
    start("a", 0);
    snprintf(name, sizeof name, "a.%d", MANY + 1);
    assert_name("a", name);
    end();
}

TEST_WITH(numbers_of_earlier_versions_count_too, scratch_make, scratch_remove)
{
    (void)state;
    scratch_put_text("a.n.gz", "old\n");
    scratch_put_text("a.2.n.gz", "old\n");
    scratch_put_text("a.n.gz.5", "old\n");
    start("a.n.gz", 0);
    assert_name("a.n.gz", "a.6.n.gz");
    end();
}

TEST_WITH(each_folder_has_its_own_numbers, scratch_make, scratch_remove)
{
    (void)state;
    scratch_make_folder("x");
    scratch_make_folder("y");
    scratch_put_text("x/a.n", "old\n");
    scratch_put_text("x/a.5.n", "old\n");
    start("%{source}/a.n", 0);
    assert_name("x/a.n", "x/a.6.n");
    assert_name("y/a.n", "y/a.n");
    end();
}

/*
 * Asserts that the folder is searched once for each path, not for each file. So a number that
 * another program uses later is skipped only when its turn comes.
 */
static void assert_searched_once(uint64_t keep)
{
    scratch_put_text("a.n", "old\n");
    scratch_put_text("a.2.n", "old\n");
    start("%{source}.n", keep);
    assert_name("a.n", "a.3.n");
    scratch_put_text("a.5.n", "other's\n");
    assert_name("a.n", "a.4.n"); /* a search would find 6 as the next number */
    assert_name("a.n", "a.6.n");
    scratch_assert_holds_text("a.5.n", "other's\n");
    assert_name("b.n", "b.n");
    end();
}

TEST_WITH(the_folder_is_searched_once_for_a_path, scratch_make, scratch_remove)
{
    (void)state;
    assert_searched_once(0);
}

TEST_WITH(and_once_where_old_files_are_removed, scratch_make, scratch_remove)
{
    (void)state;
    assert_searched_once(100);
}

TEST_WITH(a_free_name_without_a_number_does_not_show_that_there_are_no_numbers, scratch_make,
          scratch_remove)
{
    (void)state;
    scratch_put_text("a.6", "old\n");
    start("a", 0);
    assert_name("a", "a");
    assert_name("a", "a.7");
    end();
}

TEST_WITH(and_again_when_another_program_has_used_the_next_number, scratch_make, scratch_remove)
{
    (void)state;
    start("a", 0);
    assert_name("a", "a");
    assert_name("a", "a.1");
    scratch_put_text("a.2", "other's\n");
    scratch_put_text("a.7", "other's\n");
    assert_name("a", "a.8");
    assert_name("a", "a.9");
    scratch_assert_holds_text("a.2", "other's\n");
    end();
}

/* --- keep ------------------------------------------------------------------------------------- */

TEST_WITH(with_all_kept_nothing_is_removed, scratch_make, scratch_remove)
{
    (void)state;
    start("a", 0);
    for (int i = 0; i < 50; i++)
        file_set_finish(files, "a", "new\n");
    assert_int_equal(scratch_count(""), 50);
    end();
}

TEST_WITH(the_newest_files_stay_those_of_earlier_runs_with_them, scratch_make, scratch_remove)
{
    (void)state;
    put_old("a", 300);
    put_old("a.1", 100); /* the oldest by its time, although not by its number */
    put_old("a.2", 200);
    start("a", 3);
    assert_int_equal(scratch_count(""), 3);
    assert_name("a", "a.3");
    assert_false(scratch_has("a.1"));
    assert_name("a", "a.4");
    assert_false(scratch_has("a.2"));
    assert_name("a", "a.5");
    assert_false(scratch_has("a"));
    assert_int_equal(scratch_count(""), 3);
    end();
}

/*
 * If a name that was freed were used again, a newer file would have a lower number than an older
 * one.
 */
TEST_WITH(a_name_that_keep_has_freed_is_not_taken_again, scratch_make, scratch_remove)
{
    (void)state;
    start("a", 1);
    assert_name("a", "a");
    assert_name("a", "a.1");
    assert_false(scratch_has("a"));
    assert_name("a", "a.2");
    assert_int_equal(scratch_count(""), 1);
    end();
}

TEST_WITH(a_file_is_new_also_where_the_clock_was_set_back, scratch_make, scratch_remove)
{
    (void)state;
    put_old("a", INT64_C(4000000000)); /* in the year 2096 */
    put_old("a.1", INT64_C(4000000001));
    start("a", 2);
    assert_name("a", "a.2");
    assert_false(scratch_has("a"));
    assert_name("a", "a.3");
    assert_false(scratch_has("a.1"));
    assert_int_equal(scratch_count(""), 2);
    end();
}

TEST_WITH(each_sender_s_files_are_counted_whatever_their_time, scratch_make, scratch_remove)
{
    (void)state;
    put_old("x-2026-11-01.n", 1);
    put_old("x-2026-11-02.n", 2);
    put_old("y-2026-11-01.n", 1);
    put_old("y-2026-11-02.n", 2);
    start("%{source}-%F.n", 2);
    assert_name("x-2026-11-03.n", "x-2026-11-03.n");
    assert_false(scratch_has("x-2026-11-01.n"));
    assert_true(scratch_has("x-2026-11-02.n"));
    assert_true(scratch_has("y-2026-11-01.n"));
    assert_name("y-2026-11-03.n", "y-2026-11-03.n");
    assert_false(scratch_has("y-2026-11-01.n"));
    assert_int_equal(scratch_count(""), 4);
    end();
}

TEST_WITH(all_pieces_of_the_last_times_of_a_path_stay, scratch_make, scratch_remove)
{
    (void)state;
    put_old("2026-11-01.n", 1);
    put_old("2026-11-01.n.1", 2); /* a name of earlier versions */
    put_old("2026-11-02.n", 3);
    put_old("2026-11-02.1.n", 4);
    put_old("2026-11-02.2.n", 5);
    start("%F.n", 2);
    for (int i = 0; i < 5; i++)
        file_set_finish(files, "2026-11-03.n", "new\n");
    assert_false(scratch_has("2026-11-01.n"));
    assert_false(scratch_has("2026-11-01.n.1"));
    assert_int_equal(scratch_count(""), 3 + 5);
    assert_name("2026-11-04.n", "2026-11-04.n");
    assert_false(scratch_has("2026-11-02.n"));
    assert_int_equal(scratch_count(""), 5 + 1);
    end();
}

TEST_WITH(all_pieces_of_the_last_intervals_stay, scratch_make, scratch_remove)
{
    (void)state;
    put_old("a.n", 3600);
    put_old("a.1.n", 3601);
    put_old("a.2.n", 7199);
    put_old("a.3.n", 7200);
    put_old("a.4.n", 10799);
    start_by("a.n",
             &(struct file_options){.keep = 2, .rotate_interval = 3600 * UINT64_C(1000000000)});
    assert_int_equal(scratch_count(""), 5);
    assert_name("a.n", "a.5.n");
    assert_false(scratch_has("a.n"));
    assert_false(scratch_has("a.2.n"));
    assert_true(scratch_has("a.3.n"));
    assert_int_equal(scratch_count(""), 3);
    end();
}

TEST_WITH(of_a_path_with_a_time_each_interval_is_a_period, scratch_make, scratch_remove)
{
    (void)state;
    put_old("2026-11-01.n", 3600);
    put_old("2026-11-01.1.n", 3700);
    put_old("2026-11-01.2.n", 7200);
    start_by("%F.n",
             &(struct file_options){.keep = 2, .rotate_interval = 3600 * UINT64_C(1000000000)});
    assert_name("2026-11-02.n", "2026-11-02.n");
    assert_false(scratch_has("2026-11-01.n"));
    assert_false(scratch_has("2026-11-01.1.n"));
    assert_int_equal(scratch_count(""), 2);
    end();
}

TEST_WITH(files_that_others_removed_are_no_reason_to_remove_more, scratch_make, scratch_remove)
{
    (void)state;
    put_old("a", 1);
    put_old("a.1", 2);
    put_old("a.2", 3);
    start("a", 3);
    others_remove("a.1");
    others_remove("a.2");
    assert_name("a", "a.1");
    assert_true(scratch_has("a"));
    end();
}

/* --- keep_time -------------------------------------------------------------------------------- */

TEST_WITH(files_are_removed_when_they_are_old_enough, scratch_make, scratch_remove)
{
    (void)state;
    put_old("x.n", 10 * DAY);
    put_old("x.1.n", 12 * DAY);
    put_old("y.n", 11 * DAY);
    start_by("%{source}.n", &(struct file_options){.keep_time = 3 * DAY * UINT64_C(1000000000)});
    finished_files_expire(files, 13 * DAY * INT64_C(1000000000) - 1);
    assert_int_equal(scratch_count(""), 3);
    finished_files_expire(files, 13 * DAY * INT64_C(1000000000));
    assert_false(scratch_has("x.n"));
    assert_int_equal(scratch_count(""), 2);
    finished_files_expire(files, 15 * DAY * INT64_C(1000000000));
    assert_int_equal(scratch_count(""), 0);
    end();
}

TEST_WITH(an_old_file_that_cannot_be_removed_is_left_alone_for_a_minute, scratch_make,
          scratch_remove)
{
    (void)state;
    const int64_t second = 1000000000;
    const int64_t day = DAY * second;
    put_old("x.n", 10 * DAY);
    start_by("%{source}.n", &(struct file_options){.keep_time = (uint64_t)day});
    others_remove("x.n");
    scratch_make_folder("x.n");
    finished_files_expire(files, 11 * day);
    assert_true(scratch_has("x.n"));
    others_remove_folder("x.n");
    put_old("x.n", 10 * DAY);
    finished_files_expire(files, 11 * day + 60 * second - 1);
    assert_true(scratch_has("x.n"));
    finished_files_expire(files, 11 * day + 60 * second);
    assert_false(scratch_has("x.n"));
    end();
}

TEST_WITH(old_files_go_when_another_is_complete_too, scratch_make, scratch_remove)
{
    (void)state;
    put_old("x.n", 10 * DAY);
    start_by("%{source}.n", &(struct file_options){.keep_time = DAY * UINT64_C(1000000000)});
    assert_name("y.n", "y.n");
    assert_int_equal(scratch_count(""), 1);
    end();
}

/* --- keep_size -------------------------------------------------------------------------------- */

TEST_WITH(the_oldest_files_of_the_sink_go_until_the_rest_is_small_enough, scratch_make,
          scratch_remove)
{
    (void)state;
    put_old("x.n", 3); /* each file has four bytes */
    put_old("y.n", 1);
    put_old("x.1.n", 2);
    start_by("%{source}.n", &(struct file_options){.keep_size = 12});
    assert_int_equal(scratch_count(""), 3);
    assert_name("z.n", "z.n");
    assert_false(scratch_has("y.n"));
    assert_int_equal(scratch_count(""), 3);
    file_set_finish(files, "x.n", "twelve bytes");
    assert_int_equal(scratch_count(""), 1);
    scratch_assert_holds_text("x.2.n", "twelve bytes");
    end();
}

TEST_WITH(the_newest_file_stays_however_large_it_is, scratch_make, scratch_remove)
{
    (void)state;
    start_by("a", &(struct file_options){.keep_size = 4});
    assert_string_equal(file_set_finish(files, "a", "more than four"), "a");
    assert_true(scratch_has("a"));
    assert_name("a", "a.1");
    assert_int_equal(scratch_count(""), 1);
    end();
}

TEST_WITH(bytes_that_others_removed_count_no_more, scratch_make, scratch_remove)
{
    (void)state;
    put_old("a", 1);
    put_old("a.1", 2);
    put_old("a.2", 3);
    start_by("a", &(struct file_options){.keep_size = 12});
    others_remove("a.2");
    assert_name("a", "a.2");
    assert_int_equal(scratch_count(""), 3);
    end();
}

TEST_WITH(a_file_is_removed_when_any_of_the_keys_says_so, scratch_make, scratch_remove)
{
    (void)state;
    put_old("x.n", 1); /* older than keep_time */
    put_old("y.n", INT64_C(4000000000));
    put_old("y.1.n", INT64_C(4000000001));
    put_old("z.n", INT64_C(3999999999)); /* the oldest file when keep_size is exceeded */
    start_by(
        "%{source}.n",
        &(struct file_options){.keep = 2, .keep_time = DAY * UINT64_C(1000000000), .keep_size = 8});
    assert_name("y.n", "y.2.n");
    assert_false(scratch_has("x.n"));
    assert_false(scratch_has("y.n"));
    assert_false(scratch_has("z.n"));
    assert_int_equal(scratch_count(""), 2);
    end();
}

/* --- files that are not removed --------------------------------------------------------------- */

TEST_WITH(what_is_not_of_the_path_is_never_removed, scratch_make, scratch_remove)
{
    (void)state;
    static const char *const names[] = {"b", "a.part", "a.x", "a.1.gz", "a.01", "a.5.part"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        put_old(names[i], 1);
    scratch_make_folder("a.6");
    start("a", 1);
    others_remove("a.part");
    for (int i = 0; i < 5; i++)
        file_set_finish(files, "a", "new\n");
    assert_int_equal(scratch_count(""), 5 + 1 + 1);
    end();
}

TEST_WITH(a_file_that_is_gone_already_counts_no_more, scratch_make, scratch_remove)
{
    (void)state;
    start("a", 2);
    file_set_finish(files, "a", "new\n");
    file_set_finish(files, "a", "new\n");
    others_remove("a");
    assert_name("a", "a.2");
    assert_true(scratch_has("a.1"));
    assert_name("a", "a.3");
    assert_false(scratch_has("a.1"));
    end();
}
