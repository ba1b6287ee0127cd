/* Tests how the tools print numbers. */
#include <string.h>

#include "tests/support/test.h"
#include "tools/top/quantity.h"

static void assert_written(double value, const char *expected)
{
    char text[QUANTITY_SIZE];
    quantity_write(value, text);
    assert_string_equal(text, expected);
}

TEST(small_ones_are_exact_and_less_than_ten_has_a_decimal)
{
    assert_written(0, "0");
    assert_written(-3, "0");
    assert_written(0.0 / 0.0, "0");
    assert_written(0.04, "0");
    assert_written(0.06, "0.1");
    assert_written(7, "7");
    assert_written(9.94, "9.9");
    assert_written(9.96, "10");
    assert_written(42.4, "42");
    assert_written(99999, "99999");
}

TEST(large_ones_have_three_digits_and_a_unit)
{
    assert_written(99999.6, "100k");
    assert_written(123456, "123k");
    assert_written(999499, "999k");
    assert_written(999500, "1.00M");
    assert_written(1250000, "1.25M");
    assert_written(9995000, "10.0M");
    assert_written(99960000, "100M");
    assert_written(1e10, "10.0G");
    assert_written(1.8446744073709552e19, "18.4E");
}

TEST(all_fit_their_columns)
{
    for (double value = 0.001; value < 1e23; value *= 1.01) {
        char text[QUANTITY_SIZE];
        quantity_write(value, text);
        assert_in_range(strlen(text), 1, 6);
    }
}

TEST(bytes_are_written_with_a_binary_unit)
{
    static const struct {
        double bytes;
        const char *text;
    } sizes[] = {{0, "0 B"},
                 {999, "999 B"},
                 {1024, "1 KiB"},
                 {3435973836.0, "3.2 GiB"},
                 {4294967296.0, "4 GiB"},
                 {120.4 * 1024 * 1024, "120 MiB"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char text[QUANTITY_SIZE];
        quantity_write_bytes(sizes[i].bytes, text);
        assert_string_equal(text, sizes[i].text);
    }
}

static void assert_time(double seconds, const char *expected)
{
    char text[QUANTITY_SIZE];
    quantity_write_time(seconds, text);
    assert_string_equal(text, expected);
}

TEST(times_are_written_in_two_units)
{
    assert_time(-1, "0s");
    assert_time(59.9, "59s");
    assert_time(309, "5m 09s");
    assert_time(3 * 3600 + 5 * 60 + 59, "3h 05m");
    assert_time(12 * 86400 + 3 * 3600, "12d 03h");
    assert_time(1e300, "46296d 07h");
}
