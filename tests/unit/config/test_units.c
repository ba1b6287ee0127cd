#include <inttypes.h>
#include <string.h>

#include "collector/config/units.h"
#include "tests/support/test.h"

static void assert_reads(enum quantity quantity, const char *text, uint64_t expected)
{
    uint64_t value = ~expected;
    const char *problem = quantity_parse(quantity, text, strlen(text), &value);
    if (problem != NULL)
        fail_msg("'%s' %s", text, problem);
    if (value != expected)
        fail_msg("'%s' reads as %" PRIu64 ", not %" PRIu64, text, value, expected);
}

static void assert_refused(enum quantity quantity, const char *text, const char *problem)
{
    uint64_t value = 4711;
    const char *found = quantity_parse(quantity, text, strlen(text), &value);
    if (found == NULL)
        fail_msg("'%s' was accepted as %" PRIu64, text, value);
    else if (strstr(found, problem) == NULL)
        fail_msg("'%s' %s, but should be: %s", text, found, problem);
    assert_int_equal(value, 4711);
}

TEST(sizes_are_decimal_or_binary_by_their_unit)
{
    assert_reads(QUANTITY_SIZE, "0B", 0);
    assert_reads(QUANTITY_SIZE, "512B", 512);
    assert_reads(QUANTITY_SIZE, "64KiB", 65536);
    assert_reads(QUANTITY_SIZE, "64kB", 64000);
    assert_reads(QUANTITY_SIZE, "3MiB", 3145728);
    assert_reads(QUANTITY_SIZE, "100MB", 100000000);
    assert_reads(QUANTITY_SIZE, "1GiB", 1073741824);
    assert_reads(QUANTITY_SIZE, "2GB", 2000000000);
}

TEST(durations_are_nanoseconds)
{
    assert_reads(QUANTITY_DURATION, "0s", 0);
    assert_reads(QUANTITY_DURATION, "7ns", 7);
    assert_reads(QUANTITY_DURATION, "500us", 500000);
    assert_reads(QUANTITY_DURATION, "10ms", 10000000);
    assert_reads(QUANTITY_DURATION, "10s", UINT64_C(10000000000));
    assert_reads(QUANTITY_DURATION, "1m", UINT64_C(60000000000));
    assert_reads(QUANTITY_DURATION, "1h", UINT64_C(3600000000000));
    assert_reads(QUANTITY_DURATION, "7d", UINT64_C(604800000000000));
}

TEST(counts_are_plain)
{
    assert_reads(QUANTITY_COUNT, "0", 0);
    assert_reads(QUANTITY_COUNT, "1000000", 1000000);
    assert_reads(QUANTITY_COUNT, "18446744073709551615", UINT64_MAX);
    assert_refused(QUANTITY_COUNT, "10s", "is not a plain whole number");
    assert_refused(QUANTITY_COUNT, "1e6", "is not a plain whole number");
    assert_refused(QUANTITY_COUNT, "0x10", "is not a plain whole number");
    assert_refused(QUANTITY_COUNT, "1.5", "is not a whole number");
}

TEST(fractions_are_exact_or_refused)
{
    assert_reads(QUANTITY_DURATION, "1.5s", 1500000000);
    assert_reads(QUANTITY_DURATION, "0.000000001s", 1);
    assert_reads(QUANTITY_DURATION, "0.25h", UINT64_C(900000000000));
    assert_reads(QUANTITY_DURATION, "2.000ns", 2);
    assert_reads(QUANTITY_SIZE, "0.5GiB", 536870912);
    assert_reads(QUANTITY_SIZE, "1.001kB", 1001);
    assert_refused(QUANTITY_DURATION, "0.0000000001s", "whole number of nanoseconds");
    assert_refused(QUANTITY_DURATION, "0.5ns", "whole number of nanoseconds");
    assert_refused(QUANTITY_SIZE, "0.1KiB", "whole number of bytes");
    assert_refused(QUANTITY_SIZE, "1.5B", "whole number of bytes");
    assert_refused(QUANTITY_DURATION, "0.00000000000000000001s", "too many digits");
    assert_refused(QUANTITY_DURATION, "1.s", "is not a number");
    assert_refused(QUANTITY_DURATION, ".5s", "is not a number");
    assert_refused(QUANTITY_DURATION, "1.2.3s", "unknown unit");
}

TEST(a_bare_number_needs_a_unit)
{
    assert_refused(QUANTITY_SIZE, "64", "has no unit; give one of B, kB, MB, GB, KiB, MiB, GiB");
    assert_refused(QUANTITY_SIZE, "0", "has no unit");
    assert_refused(QUANTITY_DURATION, "10", "has no unit; give one of ns, us, ms, s, m, h, d");
}

TEST(what_is_no_quantity_is_refused)
{
    assert_refused(QUANTITY_SIZE, "", "is empty");
    assert_refused(QUANTITY_SIZE, "KiB", "is not a number");
    assert_refused(QUANTITY_SIZE, " 1B", "is not a number");
    assert_refused(QUANTITY_SIZE, "+1B", "is not a number");
    assert_refused(QUANTITY_SIZE, "-1B", "is negative");
    assert_refused(QUANTITY_SIZE, "1 B", "unknown unit");
    assert_refused(QUANTITY_SIZE, "1B ", "unknown unit");
    assert_refused(QUANTITY_SIZE, "64kib", "unknown unit");
    assert_refused(QUANTITY_SIZE, "64K", "unknown unit");
    assert_refused(QUANTITY_SIZE, "1s", "unknown unit");
    assert_refused(QUANTITY_DURATION, "1KiB", "unknown unit");
    assert_refused(QUANTITY_DURATION, "1sec", "unknown unit");
    assert_refused(QUANTITY_DURATION, "nan", "is not a number");
}

TEST(what_64_bits_cannot_hold_is_too_large)
{
    assert_reads(QUANTITY_SIZE, "18446744073709551615B", UINT64_MAX);
    assert_refused(QUANTITY_SIZE, "18446744073709551616B", "is too large");
    assert_refused(QUANTITY_SIZE, "99999999999999999999999999B", "is too large");
    assert_reads(QUANTITY_SIZE, "17179869183GiB", UINT64_C(17179869183) << 30);
    assert_refused(QUANTITY_SIZE, "17179869184GiB", "is too large");
    assert_reads(QUANTITY_DURATION, "18446744073.709551615s", UINT64_MAX);
    assert_refused(QUANTITY_DURATION, "18446744073.709551616s", "is too large");
}

TEST(only_the_given_length_is_read)
{
    uint64_t value = 0;
    assert_null(quantity_parse(QUANTITY_SIZE, "64KiB&port=1", 5, &value));
    assert_int_equal(value, 65536);
    assert_non_null(quantity_parse(QUANTITY_SIZE, "64KiB", 4, &value));
}

static void assert_formats(enum quantity quantity, uint64_t value, const char *expected)
{
    char text[QUANTITY_TEXT_SIZE];
    size_t length = quantity_format(quantity, value, text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    assert_reads(quantity, text, value);
}

TEST(the_shortest_text_reads_back)
{
    assert_formats(QUANTITY_COUNT, 0, "0");
    assert_formats(QUANTITY_COUNT, UINT64_MAX, "18446744073709551615");
    assert_formats(QUANTITY_SIZE, 0, "0B");
    assert_formats(QUANTITY_SIZE, 1, "1B");
    assert_formats(QUANTITY_SIZE, 65536, "64KiB");
    assert_formats(QUANTITY_SIZE, 4194304, "4MiB");
    assert_formats(QUANTITY_SIZE, 1073741824, "1GiB");
    assert_formats(QUANTITY_SIZE, 100000000, "100MB");
    assert_formats(QUANTITY_SIZE, 65507, "65507B");
    assert_formats(QUANTITY_SIZE, UINT64_MAX, "18446744073709551615B");
    assert_formats(QUANTITY_DURATION, 0, "0s");
    assert_formats(QUANTITY_DURATION, 1500000000, "1500ms");
    assert_formats(QUANTITY_DURATION, UINT64_C(2000000000), "2s");
    assert_formats(QUANTITY_DURATION, UINT64_C(3600000000000), "1h");
    assert_formats(QUANTITY_DURATION, UINT64_MAX, "18446744073709551615ns");
}
