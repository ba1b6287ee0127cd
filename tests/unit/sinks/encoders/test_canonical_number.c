/* Numbers as the labels `le` and `quantile` of OpenMetrics have them. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sinks/encoders/canonical_number.h"
#include "tests/support/base/random_number.h"

static const char *written(double value)
{
    static char text[64];
    struct output out = {.data = text, .capacity = sizeof text - 1};
    canonical_number(&out, value);
    assert_false(out.overflow);
    text[out.used] = '\0';
    return text;
}

static void the_examples_of_the_specification_are_written_as_they_stand_there(void **state)
{
    (void)state;
    static const char *const examples[] = {
        "0.0",   "0.001",  "0.002",    "0.01",  "0.1",   "0.9",   "0.95",
        "0.99",  "0.999",  "1.0",      "1.7",   "10.0",  "1e-10", "1e-09",
        "1e-05", "0.0001", "100000.0", "1e+06", "1e+10", "1e+23", "1.1e+23"};
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++)
        assert_string_equal(written(strtod(examples[i], NULL)), examples[i]);
}

static void a_number_has_a_sign_and_all_its_digits(void **state)
{
    (void)state;
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

static void zero_has_no_sign_and_infinity_has_one(void **state)
{
    (void)state;
    assert_string_equal(written(-0.0), "0.0");
    assert_string_equal(written((double)INFINITY), "+Inf");
    assert_string_equal(written(-(double)INFINITY), "-Inf");
}

static void every_number_reads_back_as_itself(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 100000; i++) {
        /* Half of them near to 1, where the layout changes. */
        double value = ldexp((double)(next_random(&random) >> 11),
                             i % 2 ? -53 - (int)(next_random(&random) % 40)
                                   : (int)(next_random(&random) % 2000) - 1070);
        if (isfinite(value) && strtod(written(value), NULL) != value)
            fail_msg("%a is written as %s", value, written(value));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_specification_are_written_as_they_stand_there),
        cmocka_unit_test(a_number_has_a_sign_and_all_its_digits),
        cmocka_unit_test(zero_has_no_sign_and_infinity_has_one),
        cmocka_unit_test(every_number_reads_back_as_itself),
    };
    return cmocka_run_group_tests_name("canonical number", tests, NULL, NULL);
}
