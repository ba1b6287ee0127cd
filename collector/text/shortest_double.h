/*
 * Writes the shortest decimal text that reads back as the same binary floating-point number; if
 * there are several, the closest. C has no such function. Pure functions without allocation or
 * locale; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_SHORTEST_DOUBLE_H
#define SLUICE_COLLECTOR_TEXT_SHORTEST_DOUBLE_H

#include <stddef.h>

/* The most bytes that either function writes. No NUL is added. */
#define SHORTEST_DOUBLE_SIZE 32

/*
 * Write `value`, which must be finite, and return the number of bytes. The layout is that of
 * ECMAScript's Number::toString ("0.75", "100", "1e+21", "1.5e-7"), except that negative zero is
 * "-0.0".
 */
size_t shortest_double(double value, char text[SHORTEST_DOUBLE_SIZE]);
size_t shortest_float(float value, char text[SHORTEST_DOUBLE_SIZE]);

#endif
