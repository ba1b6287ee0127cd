#include "sinks/encoders/canonical_number.h"

#include <math.h>
#include <stdlib.h>

#include "collector/text/decimal.h"
#include "collector/text/shortest_double.h"

/* Numbers whose decimal exponent is outside of this range are written with an exponent. */
#define LOWEST_FIXED  (-4)
#define HIGHEST_FIXED 5

/* The number digits[0].digits[1]... * 10^exponent. */
struct decimal_digits {
    char digits[SHORTEST_DOUBLE_SIZE]; /* the first and the last digit are not 0 */
    size_t count;
    int exponent;
};

/* Converts a positive value to its digits, without zeros at either end. */
static struct decimal_digits take_apart(double value)
{
    char text[SHORTEST_DOUBLE_SIZE + 1];
    struct decimal_digits found = {.exponent = -1};
    bool fraction = false;
    size_t i;
    text[shortest_double(value, text)] = '\0';
    for (i = 0; text[i] != '\0' && text[i] != 'e'; i++) {
        if (text[i] == '.') {
            fraction = true;
        } else if (found.count != 0 || text[i] != '0') {
            found.digits[found.count++] = text[i];
            found.exponent += !fraction;
        } else {
            found.exponent -= fraction;
        }
    }
    while (found.count > 1 && found.digits[found.count - 1] == '0')
        found.count--;
    if (text[i] == 'e')
        found.exponent += (int)strtol(text + i + 1, NULL, 10);
    return found;
}

static void put_zeros(struct output *out, int count)
{
    for (int i = 0; i < count; i++)
        output_char(out, '0');
}

static void put_fixed(struct output *out, const struct decimal_digits *number)
{
    if (number->exponent < 0) {
        output_literal(out, "0.");
        put_zeros(out, -number->exponent - 1);
        output_bytes(out, number->digits, number->count);
        return;
    }
    size_t whole = (size_t)number->exponent + 1;
    if (whole >= number->count) {
        output_bytes(out, number->digits, number->count);
        put_zeros(out, (int)(whole - number->count));
        output_literal(out, ".0");
        return;
    }
    output_bytes(out, number->digits, whole);
    output_char(out, '.');
    output_bytes(out, number->digits + whole, number->count - whole);
}

static void put_scientific(struct output *out, const struct decimal_digits *number)
{
    char digits[20];
    output_char(out, number->digits[0]);
    if (number->count > 1) {
        output_char(out, '.');
        output_bytes(out, number->digits + 1, number->count - 1);
    }
    output_char(out, 'e');
    output_char(out, number->exponent < 0 ? '-' : '+');
    size_t size = decimal_uint64((uint64_t)abs(number->exponent), digits);
    put_zeros(out, size == 1);
    output_bytes(out, digits, size);
}

void canonical_number(struct output *out, double value)
{
    if (value < 0)
        output_char(out, '-');
    if (isinf(value)) {
        if (value > 0)
            output_char(out, '+');
        output_literal(out, "Inf");
        return;
    }
    if (value == 0) {
        output_literal(out, "0.0");
        return;
    }
    struct decimal_digits number = take_apart(fabs(value));
    if (number.exponent < LOWEST_FIXED || number.exponent > HIGHEST_FIXED)
        put_scientific(out, &number);
    else
        put_fixed(out, &number);
}
