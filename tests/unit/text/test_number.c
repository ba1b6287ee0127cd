#include <string.h>

#include "collector/text/number.h"
#include "tests/support/test.h"

static char room[32];
static struct output out;

static struct output *begin(void)
{
    out = (struct output){.data = room, .capacity = sizeof room - 1};
    return &out;
}

static void assert_wrote(const char *expected)
{
    assert_false(out.overflow);
    room[out.used] = '\0';
    assert_string_equal(room, expected);
}

TEST(integers_are_written_to_their_last_digit)
{
    static const struct {
        int64_t value;
        const char *expected;
    } cases[] = {{0, "0"},
                 {-1, "-1"},
                 {100, "100"},
                 {INT64_MAX, "9223372036854775807"},
                 {INT64_MIN, "-9223372036854775808"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        number_int64(begin(), cases[i].value);
        assert_wrote(cases[i].expected);
    }
    number_uint64(begin(), UINT64_MAX);
    assert_wrote("18446744073709551615");
}

TEST(floating_point_is_the_shortest_of_its_width)
{
    number_double(begin(), 0.1);
    assert_wrote("0.1");
    number_double(begin(), -1.7976931348623157e308);
    assert_wrote("-1.7976931348623157e+308");
    number_double(begin(), (double)(float)0.1f);
    assert_wrote("0.10000000149011612");
    number_float(begin(), 0.1f);
    assert_wrote("0.1");
}

TEST(no_separator_is_put_between_numbers)
{
    begin();
    output_char(&out, '=');
    number_int64(&out, -1);
    number_uint64(&out, 2);
    number_double(&out, 0.5);
    number_float(&out, 4);
    assert_wrote("=-120.54");
}

TEST(a_number_that_does_not_fit_is_left_out)
{
    begin()->capacity = 2;
    number_int64(&out, 100);
    assert_true(out.overflow);
    assert_int_equal(out.used, 0);
}
