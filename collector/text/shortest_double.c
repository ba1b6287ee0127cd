/*
 * Schubfach: Raffaello Giulietti, "The Schubfach way to render doubles", 2020.
 *
 * All reals that round to a number v = c * 2^q form an interval around it. Let k be such that the
 * interval is at least 10^k and less than 10 * 10^k wide. Then it contains a multiple of 10^k, and
 * at most one multiple of 10 * 10^k. If there is such a multiple, it is the shortest decimal. So
 * there are four candidates: the multiples of 10^k next to v, and the multiples of 10 * 10^k next
 * to v. They are compared with the interval exactly.
 */
#include "collector/text/shortest_double.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "collector/text/decimal.h"
#include "collector/text/multiply.h"
#include "collector/text/pow10_table.h"

/* digits * 10^exponent */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* An unsigned integer of 192 bits, least significant word first. */
struct wide {
    uint64_t word[3];
};

/*
 * Returns floor(value / 2^22) for values from -2^33 on. Shifts only positive numbers, because the
 * result of >> of a negative number depends on the compiler.
 */
static int floor_shift_22(int64_t value)
{
    return (int)((value + (INT64_C(1) << 33)) >> 22) - (1 << 11);
}

/* Returns floor(log10(2^q)); correct for |q| <= 1100. */
static int floor_log10_pow2(int q)
{
    return floor_shift_22(INT64_C(1262611) * q);
}

/* Returns floor(log10(3/4 * 2^q)); correct for |q| <= 1100. */
static int floor_log10_three_quarters_pow2(int q)
{
    return floor_shift_22(INT64_C(1262611) * q - 524031);
}

/* Returns floor(log2(10^e)); correct for |e| <= 330. */
static int floor_log2_pow10(int e)
{
    return floor_shift_22(INT64_C(1741647) * 8 * e);
}

static inline struct wide wide_product(struct pow10 g, uint64_t factor)
{
    uint64_t low, carry, middle, high;
    multiply_64(g.low, factor, &carry, &low);
    multiply_64(g.high, factor, &high, &middle);
    middle += carry;
    return (struct wide){{low, middle, high + (middle < carry)}};
}

/* g * 2^shift, 1 <= shift <= 63 */
static inline struct wide wide_shifted(struct pow10 g, int shift)
{
    return (struct wide){
        {g.low << shift, g.high << shift | g.low >> (64 - shift), g.high >> (64 - shift)}};
}

static inline struct wide wide_sum(struct wide a, struct wide b)
{
    uint64_t w0 = a.word[0] + b.word[0];
    uint64_t carry0 = w0 < b.word[0];
    uint64_t w1 = a.word[1] + b.word[1];
    uint64_t carry1 = w1 < b.word[1];
    w1 += carry0;
    carry1 += w1 < carry0;
    return (struct wide){{w0, w1, a.word[2] + b.word[2] + carry1}};
}

static inline struct wide wide_difference(struct wide a, struct wide b)
{
    uint64_t borrow0 = a.word[0] < b.word[0];
    uint64_t w1 = a.word[1] - b.word[1];
    uint64_t borrow1 = (a.word[1] < b.word[1]) + (uint64_t)(w1 < borrow0);
    return (struct wide){{a.word[0] - b.word[0], w1 - borrow0, a.word[2] - b.word[2] - borrow1}};
}

/*
 * Returns the integer part, with its last bit set if the fraction is not zero ("rounding to odd"),
 * so that it compares with even numbers as the exact value does. Each table entry is rounded up by
 * less than 1; times the factors used here, that is less than 2^60 in the lowest word. A true
 * fraction, and its distance to 1, is at least 2^62 in that word, which is 2^-66, as the continued
 * fractions of 2^q / 10^k show for every q.
 */
static inline uint64_t round_to_odd(struct wide x)
{
    return x.word[2] | ((x.word[1] | x.word[0] >> 60) != 0);
}

/*
 * Returns the shortest decimal in the rounding interval of c * 2^q, or the closest of several.
 * `narrow` is true if c is a power of two; then the next lower number is half as far away as the
 * next higher one.
 */
static struct decimal shortest_decimal(uint64_t c, int q, bool narrow)
{
    int k = narrow ? floor_log10_three_quarters_pow2(q) : floor_log10_pow2(q);
    int h = q + floor_log2_pow10(-k) + 1; /* the shift, 1 to 4 */
    struct pow10 g = pow10_table[-k - POW10_TABLE_FIRST];

    /* The number v and the two ends of its interval, all as multiples of 10^k / 4. */
    struct wide exact = wide_product(g, c << (h + 2));
    struct wide half = wide_shifted(g, h + 1);
    struct wide below = narrow ? wide_shifted(g, h) : half;
    uint64_t v = round_to_odd(exact);
    uint64_t lower = round_to_odd(wide_difference(exact, below));
    uint64_t upper = round_to_odd(wide_sum(exact, half));

    /* The ends of the interval round to v only if c is even; else they are outside. */
    lower += c & 1;
    upper -= c & 1;

    uint64_t s = v / 4;
    if (s >= 10) {
        uint64_t tens = s / 10;
        bool down_inside = lower <= 40 * tens;
        bool up_inside = 40 * tens + 40 <= upper;
        if (down_inside != up_inside)
            return (struct decimal){tens + up_inside, k + 1};
    }
    bool down_inside = lower <= 4 * s;
    bool up_inside = 4 * s + 4 <= upper;
    if (down_inside != up_inside)
        return (struct decimal){s + up_inside, k};
    uint64_t middle = 4 * s + 2;
    bool round_up = v > middle || (v == middle && (s & 1) != 0);
    return (struct decimal){s + round_up, k};
}

/* The most digits of a shortest decimal, and of a number that is written without an exponent. */
#define DIGITS_MAX         17
#define INTEGER_DIGITS_MAX 21

static size_t put_exponent(char *text, int exponent)
{
    uint32_t magnitude = (uint32_t)(exponent < 0 ? -exponent : exponent);
    size_t used = 0;
    text[used++] = 'e';
    text[used++] = exponent < 0 ? '-' : '+';
    if (magnitude >= 100)
        text[used++] = (char)('0' + magnitude / 100);
    if (magnitude < 10) {
        text[used++] = (char)('0' + magnitude);
        return used;
    }
    decimal_put_2(text + used, magnitude % 100);
    return used + 2;
}

/*
 * Writes a decimal as ECMA-262 does (Number::toString). Returns the length; may write up to 31
 * bytes.
 */
static size_t put_decimal(char *text, struct decimal decimal)
{
    /* 17 digits, followed by '0's, because the copies below may read beyond the digits. */
    char digits[2 * DIGITS_MAX + 6];
    memset(digits, '0', sizeof digits);
    uint32_t low = (uint32_t)(decimal.digits % 100000000);
    uint32_t high = (uint32_t)(decimal.digits / 100000000);
    digits[0] = (char)('0' + high / 100000000);
    decimal_put_8(digits + 1, high % 100000000);
    decimal_put_8(digits + 9, low);

    const char *first = digits;
    while (*first == '0')
        first++;
    const char *end = digits + (low != 0 ? DIGITS_MAX : DIGITS_MAX - 8);
    while (end[-1] == '0')
        end--;
    int count = (int)(end - first);
    int point = (int)(digits + DIGITS_MAX - first) + decimal.exponent;

    if (point > -6 && point <= 0) {
        memset(text, '0', 7);
        text[1] = '.';
        memcpy(text + 2 - point, first, DIGITS_MAX);
        return (size_t)count + (size_t)(2 - point);
    }
    if (point > 0 && point <= INTEGER_DIGITS_MAX) {
        memcpy(text, first, INTEGER_DIGITS_MAX);
        if (count <= point)
            return (size_t)point;
        text[point] = '.';
        /*
         * The parts before and after the point have at most 17 digits. The copies have constant
         * sizes, which is faster.
         */
        if (point <= 14)
            memcpy(text + point + 1, first + point, DIGITS_MAX - 1);
        else
            memcpy(text + point + 1, first + point, DIGITS_MAX - 15);
        return (size_t)count + 1;
    }
    text[0] = first[0];
    size_t used = 1;
    if (count > 1) {
        text[1] = '.';
        memcpy(text + 2, first + 1, DIGITS_MAX - 1);
        used = (size_t)count + 1;
    }
    return used + put_exponent(text + used, point - 1);
}

/*
 * Negative zero is "-0.0": readers may parse a number without a point as an integer, and lose the
 * sign.
 */
static size_t put_zero(char *text, bool negative)
{
    memcpy(text, negative ? "-0.0" : "0", negative ? 4 : 1);
    return negative ? 4 : 1;
}

size_t shortest_double(double value, char text[SHORTEST_DOUBLE_SIZE])
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    size_t sign = bits >> 63;
    text[0] = '-';
    bits &= UINT64_MAX >> 1;
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52);
    if (bits == 0)
        return put_zero(text, sign != 0);
    if (exponent == 0)
        return sign + put_decimal(text + sign, shortest_decimal(fraction, -1074, false));
    uint64_t c = fraction | UINT64_C(1) << 52;
    int q = exponent - 1075;
    /*
     * An integer below 2^53 is the only integer in its interval, so its own digits are the
     * shortest.
     */
    if (q <= 0 && q > -53 && (c & ((UINT64_C(1) << -q) - 1)) == 0)
        return sign + decimal_uint64(c >> -q, text + sign);
    bool narrow = fraction == 0 && exponent > 1;
    return sign + put_decimal(text + sign, shortest_decimal(c, q, narrow));
}

size_t shortest_float(float value, char text[SHORTEST_DOUBLE_SIZE])
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    size_t sign = bits >> 31;
    text[0] = '-';
    bits &= UINT32_MAX >> 1;
    uint32_t fraction = bits & ((UINT32_C(1) << 23) - 1);
    int exponent = (int)(bits >> 23);
    if (bits == 0)
        return put_zero(text, sign != 0);
    if (exponent == 0)
        return sign + put_decimal(text + sign, shortest_decimal(fraction, -149, false));
    uint32_t c = fraction | UINT32_C(1) << 23;
    int q = exponent - 150;
    if (q <= 0 && q > -24 && (c & ((UINT32_C(1) << -q) - 1)) == 0)
        return sign + decimal_uint64(c >> -q, text + sign);
    bool narrow = fraction == 0 && exponent > 1;
    return sign + put_decimal(text + sign, shortest_decimal(c, q, narrow));
}
