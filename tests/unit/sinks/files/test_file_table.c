#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/address.h"
#include "sinks/files/file_table.h"
#include "tests/support/test.h"

#define DAY (INT64_C(86400) * 1000000000)

struct bench {
    struct path_template *path;
    struct file_table *table;
    bool full; /* the last find found no room */
};

static struct bench make(const char *path, size_t most)
{
    struct bench bench = {0};
    size_t wrong_at;
    const char *why;
    assert_true(path_template_parse(path, &bench.path, &wrong_at, &why));
    bench.table = file_table_create(bench.path, most);
    assert_non_null(bench.table);
    return bench;
}

static void free_bench(struct bench *bench)
{
    file_table_destroy(bench->table);
    path_template_free(bench->path);
}

static struct table_file *find(struct bench *bench, unsigned sender, int64_t day)
{
    char text[40];
    struct address address;
    snprintf(text, sizeof text, "10.0.%u.%u", sender / 256, sender % 256);
    assert_true(address_parse_host(text, strlen(text), &address));
    const struct path_values values = {.time_ns = day * DAY + 5, .source = &address};
    return file_table_find(bench->table, &values, &bench->full);
}

static struct table_file *assert_found(struct bench *bench, unsigned sender, int64_t day,
                                       const char *path)
{
    struct table_file *file = find(bench, sender, day);
    assert_false(bench->full);
    assert_non_null(file);
    assert_string_equal(file->live.path, path);
    return file;
}

static size_t count(const struct bench *bench)
{
    size_t found = 0;
    for (struct table_file *file = NULL; (file = file_table_next(bench->table, file)) != NULL;)
        found++;
    return found;
}

/* --- finding ---------------------------------------------------------------------------------- */

TEST(each_path_has_one_file)
{
    struct bench bench = make("%{source}/%F", 10);
    struct table_file *first = assert_found(&bench, 1, 0, "10.0.0.1/1970-01-01");
    struct table_file *second = assert_found(&bench, 2, 0, "10.0.0.2/1970-01-01");
    assert_ptr_not_equal(first, second);
    assert_false(first->other);
    assert_ptr_equal(assert_found(&bench, 1, 0, "10.0.0.1/1970-01-01"), first);
    assert_true(first->last_use > second->last_use);
    assert_ptr_equal(assert_found(&bench, 2, 0, "10.0.0.2/1970-01-01"), second);
    assert_ptr_not_equal(assert_found(&bench, 1, 1, "10.0.0.1/1970-01-02"), first);
    assert_int_equal(count(&bench), 3);
    free_bench(&bench);
}

TEST(what_is_one_too_many_is_other)
{
    struct bench bench = make("%{source}.lines", 3);
    for (unsigned sender = 1; sender <= 3; sender++)
        assert_false(find(&bench, sender, 0)->other);
    struct table_file *other = assert_found(&bench, 4, 0, "other.lines");
    assert_true(other->other);
    for (unsigned sender = 5; sender < 5000; sender++)
        assert_ptr_equal(find(&bench, sender, 0), other);
    assert_false(find(&bench, 3, 0)->other);
    assert_int_equal(count(&bench), 4);
    assert_null(file_table_over(bench.table));

    file_table_free(bench.table, find(&bench, 2, 0));
    assert_found(&bench, 4, 0, "10.0.0.4.lines");
    assert_ptr_equal(assert_found(&bench, 2, 0, "other.lines"), other);
    free_bench(&bench);
}

TEST(a_sender_that_is_called_other_shares_that_file)
{
    struct bench bench = make("%{schema}.lines", 1);
    static const struct address nobody;
    const struct path_values named = {.source = &nobody, .schema = "other"};
    const struct path_values more = {.source = &nobody, .schema = "more"};
    struct table_file *file = file_table_find(bench.table, &named, &bench.full);
    assert_ptr_equal(file_table_find(bench.table, &more, &bench.full), file);
    assert_false(bench.full);
    free_bench(&bench);
}

TEST(one_path_is_enough)
{
    struct bench bench = make("%{source}/%F", 1);
    assert_found(&bench, 1, 0, "10.0.0.1/1970-01-01");
    assert_found(&bench, 2, 0, "other/1970-01-01");
    assert_found(&bench, 1, 0, "10.0.0.1/1970-01-01");
    assert_int_equal(count(&bench), 2);
    free_bench(&bench);
}

TEST(a_new_file_gets_the_number_that_was_freed_last)
{
    struct bench bench = make("%{source}.n", 10);
    size_t numbers[3];
    for (unsigned sender = 0; sender < 3; sender++) {
        struct table_file *file = find(&bench, sender, 0);
        numbers[sender] = file_table_number(bench.table, file);
        assert_true(numbers[sender] < file_table_capacity(10));
        assert_ptr_equal(file_table_get(bench.table, numbers[sender]), file);
    }
    assert_int_equal(numbers[0], 0);
    file_table_free(bench.table, find(&bench, 1, 0));
    assert_int_equal(file_table_number(bench.table, find(&bench, 7, 0)), numbers[1]);
    free_bench(&bench);
}

/* --- time ------------------------------------------------------------------------------------- */

TEST(a_file_is_over_when_a_later_time_was_asked_for)
{
    struct bench bench = make("%{source}/%F", 10);
    assert_int_equal(file_table_newest_step(bench.table), INT64_MIN);
    struct table_file *first = find(&bench, 1, 7);
    assert_int_equal(file_table_newest_step(bench.table), 7);
    assert_false(file_table_is_over(bench.table, first));
    assert_null(file_table_over(bench.table));
    struct table_file *late = find(&bench, 1, 5);
    assert_true(file_table_is_over(bench.table, late));
    assert_ptr_equal(file_table_over(bench.table), late);
    struct table_file *newest = find(&bench, 1, 8);
    assert_true(file_table_is_over(bench.table, first));
    assert_false(file_table_is_over(bench.table, newest));
    assert_int_equal(file_table_newest_step(bench.table), 8);
    free_bench(&bench);
}

TEST(of_those_that_are_over_the_one_used_least_goes_first)
{
    struct bench bench = make("%{source}/%F", 10);
    for (unsigned sender = 1; sender <= 4; sender++)
        find(&bench, sender, 0);
    find(&bench, 2, 0);
    find(&bench, 1, 0);
    find(&bench, 9, 1);
    static const unsigned order[] = {3, 4, 2, 1};
    for (size_t i = 0; i < 4; i++) {
        struct table_file *over = file_table_over(bench.table);
        char expected[40];
        snprintf(expected, sizeof expected, "10.0.0.%u/1970-01-01", order[i]);
        assert_string_equal(over->live.path, expected);
        file_table_free(bench.table, over);
    }
    assert_null(file_table_over(bench.table));
    free_bench(&bench);
}

TEST(where_it_is_full_what_is_over_goes_for_what_comes)
{
    struct bench bench = make("%{source}/%F", 2);
    find(&bench, 1, 0);
    find(&bench, 2, 0);
    assert_null(find(&bench, 3, 1));
    assert_true(bench.full);
    file_table_free(bench.table, file_table_over(bench.table));
    assert_found(&bench, 3, 1, "10.0.0.3/1970-01-02");
    free_bench(&bench);
}

/*
 * The table is full and names a file to close. When that file is closed, there must be room for the
 * new one.
 */
TEST(one_that_was_given_up_is_enough)
{
    struct bench bench = make("%{source}/%F", 1);
    find(&bench, 2, 0);
    find(&bench, 3, 0); /* the file "other" */
    find(&bench, 2, 0); /* now "other" is the least recently used file */
    assert_null(find(&bench, 3, 1));
    assert_true(bench.full);
    file_table_free(bench.table, file_table_over(bench.table));
    assert_found(&bench, 3, 1, "10.0.0.3/1970-01-02");
    free_bench(&bench);
}

TEST(others_of_two_times_are_enough_for_any_number_of_times)
{
    struct bench bench = make("%{source}/%F", 1);
    static const int64_t days[] = {5, 4, 3, 5, 2, 6, 1, 6, 7, 7, 0, 3, 9, 8, 9};
    uint64_t random = 1;
    for (size_t round = 0; round < 2000; round++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        unsigned sender = (unsigned)(random >> 60);
        int64_t day = days[round % (sizeof days / sizeof days[0])] + (int64_t)(round / 100);
        struct table_file *file = find(&bench, sender, day);
        if (bench.full) {
            assert_null(file);
            file_table_free(bench.table, file_table_over(bench.table));
            file = find(&bench, sender, day);
        }
        assert_false(bench.full);
        assert_non_null(file);
        assert_in_range(count(&bench), 1, 3);
    }
    free_bench(&bench);
}

TEST(a_path_that_comes_again_is_not_over)
{
    struct bench bench = make("%d.lines", 2);
    struct table_file *file = assert_found(&bench, 1, 0, "01.lines");
    assert_ptr_equal(assert_found(&bench, 1, 31, "01.lines"), file); /* in February */
    assert_false(file_table_is_over(bench.table, file));
    free_bench(&bench);
}

TEST(without_values_there_are_two_times_and_the_older_one_goes)
{
    struct bench bench = make("%F", 2);
    assert_found(&bench, 1, 1, "1970-01-02");
    assert_found(&bench, 2, 0, "1970-01-01");
    assert_null(find(&bench, 3, 2));
    assert_true(bench.full);
    struct table_file *over = file_table_over(bench.table);
    assert_string_equal(over->live.path, "1970-01-02");
    file_table_free(bench.table, over);
    assert_found(&bench, 3, 2, "1970-01-03");
    free_bench(&bench);
}

/* --- memory ----------------------------------------------------------------------------------- */

TEST(many_paths_are_all_found_again_and_all_freed)
{
    struct bench bench = make("%{source}.lines", 1000);
    for (int round = 0; round < 3; round++) {
        struct table_file *files[1000];
        for (unsigned i = 0; i < 1000; i++)
            files[i] = find(&bench, i, 0);
        for (unsigned i = 1000; i-- > 0;)
            assert_ptr_equal(find(&bench, i, 0), files[i]);
        assert_int_equal(count(&bench), 1000);
        for (unsigned i = 0; i < 1000; i++)
            file_table_free(bench.table, files[i * 7 % 1000]);
        assert_int_equal(count(&bench), 0);
    }
    free_bench(&bench);
}
