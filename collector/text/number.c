#include "collector/text/number.h"

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
