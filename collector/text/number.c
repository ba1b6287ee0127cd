#include "collector/text/number.h"

#include <math.h>
#include <stdbool.h>

#include "collector/text/decimal.h"
#include "collector/text/shortest_double.h"

#define INTEGER_SIZE 20

void number_int64(struct output *out, int64_t value)
{
    char text[INTEGER_SIZE];
    output_bytes(out, text, decimal_int64(value, text));
}

void number_uint64(struct output *out, uint64_t value)
{
    char text[INTEGER_SIZE];
    output_bytes(out, text, decimal_uint64(value, text));
}

void number_double(struct output *out, double value)
{
    char text[SHORTEST_DOUBLE_SIZE];
    output_bytes(out, text, shortest_double(value, text));
}

void number_float(struct output *out, float value)
{
    char text[SHORTEST_DOUBLE_SIZE];
    output_bytes(out, text, shortest_float(value, text));
}

static bool put_word(struct output *out, double value)
{
    if (isfinite(value))
        return false;
    if (isnan(value))
        output_literal(out, "NaN");
    else if (value < 0)
        output_literal(out, "-Infinity");
    else
        output_literal(out, "Infinity");
    return true;
}

void number_or_word_double(struct output *out, double value)
{
    if (!put_word(out, value))
        number_double(out, value);
}

void number_or_word_float(struct output *out, float value)
{
    if (!put_word(out, (double)value))
        number_float(out, value);
}
