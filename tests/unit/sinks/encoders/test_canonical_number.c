/* Tests numbers as they are written in the OpenMetrics labels `le` and `quantile`. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "sinks/encoders/canonical_number.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"

static const char *written(double value)
{
    static char text[64];
    struct output out = {.data = text, .capacity = sizeof text - 1};
    canonical_number(&out, value);
    assert_false(out.overflow);
    text[out.used] = '\0';
    return text;
}

TEST(the_examples_of_the_specification_are_written_as_they_stand_there)
{
    static const char *const examples[] = {
        "0.0",   "0.001",  "0.002",    "0.01",  "0.1",   "0.9",   "0.95",
        "0.99",  "0.999",  "1.0",      "1.7",   "10.0",  "1e-10", "1e-09",
        "1e-05", "0.0001", "100000.0", "1e+06", "1e+10", "1e+23", "1.1e+23"};
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        assert_string_equal(written(strtod(examples[i], NULL)), examples[i]);
}

TEST(a_number_has_a_sign_and_all_its_digits)
{
    assert_string_equal(written(-2.5), "-2.5");
    assert_string_equal(written(-0.000244140625), "-0.000244140625");
    assert_string_equal(written(-3e-7), "-3e-07");
    assert_string_equal(written(120), "120.0");
    assert_string_equal(written(1048576), "1.048576e+06");
    assert_string_equal(written(999999.5), "999999.5");
    assert_string_equal(written(123456.789), "123456.789");
    assert_string_equal(written(DBL_MAX), "1.7976931348623157e+308");
    assert_string_equal(written(DBL_TRUE_MIN), "5e-324");
}

TEST(zero_has_no_sign_and_infinity_has_one)
{
    assert_string_equal(written(-0.0), "0.0");
    assert_string_equal(written((double)INFINITY), "+Inf");
    assert_string_equal(written(-(double)INFINITY), "-Inf");
}

TEST(every_number_reads_back_as_itself)
{
    uint64_t random = 1;
    for (int i = 0; i < 100000; i++) {
        /* Half of the numbers are between about 2^-40 and 1, because the notation changes there. */
        double value = ldexp((double)(next_random(&random) >> 11),
                             i % 2 ? -53 - (int)(next_random(&random) % 40)
                                   : (int)(next_random(&random) % 2000) - 1070);
        if (isfinite(value) && strtod(written(value), NULL) != value)
            fail_msg("%a is written as %s", value, written(value));
    }
}
