#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/text/multiply.h"
#include "collector/text/shortest_double.h"
#include "tests/support/base/random_number.h"
#include "tests/support/test.h"
#include "tests/support/text/read_number.h"

struct expectation {
    double value;
    const char *text;
};

struct number {
    double value;
    bool single;
};

static size_t write_number(struct number number, char text[SHORTEST_DOUBLE_SIZE + 1])
{
    size_t length = number.single ? shortest_float((float)number.value, text)
                                  : shortest_double(number.value, text);
    assert_in_range(length, 1, SHORTEST_DOUBLE_SIZE);
    text[length] = '\0';
    return length;
}

static double read_number(struct number number, const char *text)
{
    return number.single ? (double)read_float(text) : read_double(text);
}

static void assert_texts(const struct expectation *expected, size_t count, bool single)
{
    for (size_t i = 0; i < count; i++) {
        char text[SHORTEST_DOUBLE_SIZE + 1];
        struct number number = {expected[i].value, single};
        assert_int_equal(write_number(number, text), strlen(expected[i].text));
        assert_string_equal(text, expected[i].text);
        const char *without_sign = number.value == 0 ? "0.0" : expected[i].text;
        number.value = -number.value;
        assert_int_equal(write_number(number, text), strlen(without_sign) + 1);
        assert_int_equal(text[0], '-');
        assert_string_equal(text + 1, without_sign);
    }
}

#define assert_all(expected, single)                                                               \
    assert_texts((expected), sizeof(expected) / sizeof(expected)[0], (single))

/* --- chosen numbers --------------------------------------------------------------------------- */

TEST(doubles_are_laid_out_as_ecmascript_does)
{
    static const struct expectation expected[] = {
        {0.0, "0"},
        {1.0, "1"},
        {10.0, "10"},
        {100.0, "100"},
        {0.75, "0.75"},
        {12.5, "12.5"},
        {99.9, "99.9"},
        {1234567.891, "1234567.891"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1.0 / 3.0, "0.3333333333333333"},
        {2.0 / 3.0, "0.6666666666666666"},
        {100.0 / 3.0, "33.333333333333336"},
        {1e5 / 3.0, "33333.333333333336"},
        {1e14 / 3.0, "33333333333333.332"},
        {1e15 / 3.0, "333333333333333.3"},
        {123456789012345.67, "123456789012345.67"},
        {1234567890123456.7, "1234567890123456.8"},
        {99999999999999.98, "99999999999999.98"},
        /* There are at most 21 digits before the point. */
        {1e20, "100000000000000000000"},
        {123456789012345680000.0, "123456789012345680000"},
        {999999999999999900000.0, "999999999999999900000"},
        {1e21, "1e+21"},
        {1.5e21, "1.5e+21"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        /* There are at most five zeros after the point. */
        {0.001, "0.001"},
        {0.00001, "0.00001"},
        {0.000001, "0.000001"},
        {0.0000012345678901234567, "0.0000012345678901234567"},
        {0.0000001, "1e-7"},
        {1.5e-7, "1.5e-7"},
        {1.2345678901234567e-10, "1.2345678901234568e-10"},
        {1e100, "1e+100"},
        {1e-100, "1e-100"},
        {1.25e-99, "1.25e-99"},
    };
    assert_all(expected, false);
}

TEST(doubles_at_the_edges_of_the_format_are_shortest)
{
    static const struct expectation expected[] = {
        {DBL_TRUE_MIN, "5e-324"},
        {2 * DBL_TRUE_MIN, "1e-323"},
        {3 * DBL_TRUE_MIN, "1.5e-323"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {DBL_MIN - DBL_TRUE_MIN, "2.225073858507201e-308"},
        {DBL_MIN + DBL_TRUE_MIN, "2.225073858507202e-308"},
        {2 * DBL_MIN, "4.450147717014403e-308"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {DBL_EPSILON, "2.220446049250313e-16"},
        {1 + DBL_EPSILON, "1.0000000000000002"},
        {1 - DBL_EPSILON / 2, "0.9999999999999999"},
        {9007199254740991.0, "9007199254740991"},
        {9007199254740992.0, "9007199254740992"},
        {9007199254740993.0, "9007199254740992"},
        {9007199254740994.0, "9007199254740994"},
        {18014398509481984.0, "18014398509481984"},
        {9223372036854775808.0, "9223372036854776000"},
        {18446744073709551616.0, "18446744073709552000"},
        {2251799813685248.5, "2251799813685248.5"},
        {1125899906842624.25, "1125899906842624.2"}, /* a tie, rounded to the even digit */
        {1125899906842624.75, "1125899906842624.8"},
    };
    assert_all(expected, false);
}

/* The next double below a power of two is half as far away as the one above it. */
TEST(a_power_of_two_has_a_narrower_side)
{
    static const struct expectation expected[] = {
        /* The number ...801e-14 is closer, but it is read as another double. */
        {0x1p-44, "5.684341886080802e-14"},
        {0x1p-20, "9.5367431640625e-7"},
        {0x1p-1, "0.5"},
        {0x1p63, "9223372036854776000"},
        {0x1p89, "6.189700196426902e+26"},
        {0x1p-1021, "4.450147717014403e-308"},
        {0x1p1023, "8.98846567431158e+307"},
    };
    assert_all(expected, false);
}

TEST(floats_have_their_own_shortest)
{
    static const struct expectation expected[] = {
        {0.0, "0"},
        {(double)0.1f, "0.1"},
        {(double)0.3f, "0.3"},
        {(double)FLT_TRUE_MIN, "1e-45"},
        {(double)(2 * FLT_TRUE_MIN), "3e-45"},
        {(double)FLT_MIN, "1.1754944e-38"},
        {(double)(FLT_MIN - FLT_TRUE_MIN), "1.1754942e-38"},
        {(double)FLT_MAX, "3.4028235e+38"},
        {(double)FLT_EPSILON, "1.1920929e-7"},
        {16777215.0, "16777215"},
        {16777216.0, "16777216"},
        {16777218.0, "16777218"},
        {33554432.0, "33554432"},
        {(double)1e10f, "10000000000"},
        {(double)1e20f, "100000000000000000000"},
        {(double)1e21f, "1e+21"},
        {(double)1e-6f, "0.000001"},
        {(double)1e-7f, "1e-7"},
        {8388608.5, "8388608"}, /* a tie when it is converted to float */
        {4194304.5, "4194304.5"},
        {0x1p-24, "5.9604645e-8"},
    };
    assert_all(expected, true);
}

/* --- random numbers, compared with the definition --------------------------------------------- */

/* The digits of a number without zeros at either end, and the power of ten of its first digit. */
struct digits {
    char text[64];
    int count;
    int exponent;
};

static struct digits digits_of(const char *text)
{
    struct digits digits = {.count = 0};
    int point = -1;
    int read = 0;
    int exponent = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text == '-')
            continue;
        if (*text == '.') {
            point = read;
            continue;
        }
        if (digits.count != 0 || *text != '0')
            digits.text[digits.count++] = *text;
        else
            exponent--;
        read++;
    }
    if (*text == 'e')
        exponent += (int)strtol(text + 1, NULL, 10);
    digits.exponent = exponent + (point < 0 ? read : point) - 1;
    while (digits.count > 0 && digits.text[digits.count - 1] == '0')
        digits.count--;
    digits.text[digits.count] = '\0';
    return digits;
}

/*
 * Returns the closest number with `count` decimal digits, as "%.*e" writes it. Stores whether it is
 * read as the same double.
 */
static struct digits closest_digits(struct number number, int count, bool *reads_back)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", count - 1, number.value);
    *reads_back = read_number(number, text) == number.value;
    return digits_of(text);
}

static void assert_shortest(struct number number)
{
    char text[SHORTEST_DOUBLE_SIZE + 1];
    write_number(number, text);
    if (read_number(number, text) != number.value)
        fail_msg("%a was written as %s", number.value, text);
    if (number.value == 0)
        return;
    struct digits ours = digits_of(text);
    assert_in_range(ours.count, 1, number.single ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG);

    bool reads_back;
    if (ours.count > 1) {
        closest_digits(number, ours.count - 1, &reads_back);
        if (reads_back)
            fail_msg("%a was written as %s, which is not the shortest", number.value, text);
    }
    struct digits closest = closest_digits(number, ours.count, &reads_back);
    if (reads_back && (strcmp(closest.text, ours.text) != 0 || closest.exponent != ours.exponent))
        fail_msg("%a was written as %s, which is not the closest", number.value, text);
}

static struct number double_of(uint64_t bits)
{
    struct number number = {.single = false};
    memcpy(&number.value, &bits, sizeof bits);
    return number;
}

static struct number float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof bits);
    return (struct number){(double)value, true};
}

TEST(random_doubles_are_shortest_and_closest)
{
    uint64_t random = 20240229;
    for (int i = 0; i < TEST_TRIES(1000000); i++) {
        struct number number = double_of(next_random(&random));
        if (isfinite(number.value))
            assert_shortest(number);
    }
}

TEST(random_floats_are_shortest_and_closest)
{
    uint64_t random = 19700101;
    for (int i = 0; i < TEST_TRIES(200000); i++) {
        struct number number = float_of((uint32_t)(next_random(&random) >> 32));
        if (isfinite(number.value))
            assert_shortest(number);
    }
}

TEST(random_decimals_of_few_digits_come_back_as_they_were)
{
    uint64_t random = 17;
    for (int i = 0; i < TEST_TRIES(100000); i++) {
        char given[64];
        char text[SHORTEST_DOUBLE_SIZE + 1];
        uint64_t significand = next_random(&random) % UINT64_C(1000000000000000) + 1;
        int exponent = (int)(next_random(&random) % 580) - 300;
        snprintf(given, sizeof given, "%llue%d", (unsigned long long)significand, exponent);
        write_number((struct number){read_double(given), false}, text);
        struct digits expected = digits_of(given);
        struct digits ours = digits_of(text);
        assert_string_equal(ours.text, expected.text);
        assert_int_equal(ours.exponent, expected.exponent);
    }
}

TEST(every_power_of_two_and_its_neighbours_are_shortest)
{
    for (uint64_t exponent = 0; exponent < 0x7ff; exponent++) {
        uint64_t bits = exponent << 52;
        assert_shortest(double_of(bits));
        assert_shortest(double_of(bits + 1));
        assert_shortest(double_of(bits == 0 ? 2 : bits - 1));
    }
    for (uint32_t exponent = 0; exponent < 0xff; exponent++) {
        uint32_t bits = exponent << 23;
        assert_shortest(float_of(bits));
        assert_shortest(float_of(bits + 1));
        assert_shortest(float_of(bits == 0 ? 2 : bits - 1));
    }
}

TEST(every_power_of_ten_has_one_digit)
{
    for (int exponent = -323; exponent <= 308; exponent++) {
        char given[16];
        char text[SHORTEST_DOUBLE_SIZE + 1];
        snprintf(given, sizeof given, "1e%d", exponent);
        write_number((struct number){read_double(given), false}, text);
        struct digits digits = digits_of(text);
        assert_string_equal(digits.text, "1");
        assert_int_equal(digits.exponent, exponent);
    }
}

TEST(products_are_the_same_with_and_without_a_type_of_128_bits)
{
    static const uint64_t edges[] = {0, 1, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX};
    uint64_t state = 7;
    for (size_t i = 0; i < 100000; i++) {
        uint64_t a = i < 25 ? edges[i / 5] : next_random(&state) >> i % 64;
        uint64_t b = i < 25 ? edges[i % 5] : next_random(&state);
        uint64_t high, low, other_high, other_low;
        multiply_64(a, b, &high, &low);
        multiply_halves(a, b, &other_high, &other_low);
        assert_int_equal(high, other_high);
        assert_int_equal(low, other_low);
    }
}
