/* Tests the next file number of each path of a sink, in limited memory. */
#include <stdio.h>

#include "sinks/files/file_numbers.h"
#include "sinks/files/path_template.h"
#include "tests/support/test.h"

TEST(the_next_number_follows_the_highest_that_was_noted)
{
    struct file_numbers *numbers = file_numbers_create(1);
    assert_non_null(numbers);
    assert_int_equal(file_numbers_next(numbers, "a"), 0);
    file_numbers_note(numbers, "a", 0);
    assert_int_equal(file_numbers_next(numbers, "a"), 1);
    file_numbers_note(numbers, "a", 41);
    file_numbers_note(numbers, "a", 3);
    assert_int_equal(file_numbers_next(numbers, "a"), 42);
    assert_int_equal(file_numbers_next(numbers, "b"), 0);
    file_numbers_destroy(numbers);
}

TEST(after_the_last_possible_number_none_is_known)
{
    struct file_numbers *numbers = file_numbers_create(1);
    assert_non_null(numbers);
    file_numbers_note(numbers, "a", PATH_NUMBER_MAX);
    assert_int_equal(file_numbers_next(numbers, "a"), 0);
    file_numbers_destroy(numbers);
}

TEST(of_more_paths_than_there_is_room_for_the_last_used_are_known)
{
    enum { MANY = 5000 };
    struct file_numbers *numbers = file_numbers_create(100);
    assert_non_null(numbers);
    file_numbers_note(numbers, "in use", 7);
    for (int i = 0; i < MANY; i++) {
        char path[20];
        snprintf(path, sizeof path, "%d", i);
        file_numbers_note(numbers, path, i);
        assert_int_equal(file_numbers_next(numbers, path), i + 1);
        assert_int_equal(file_numbers_next(numbers, "in use"), 8);
    }
    assert_int_equal(file_numbers_next(numbers, "0"), 0);
    file_numbers_destroy(numbers);
}
