/*
 * Converts decimals to the nearest binary number, as IEEE 754 requires. Tests compare results with
 * it. strtod is not exact in every C library: that of mingw-w64 returns a power of two for a number
 * just below half way to it.
 */
#ifndef SLUICE_TESTS_SUPPORT_TEXT_READ_NUMBER_H
#define SLUICE_TESTS_SUPPORT_TEXT_READ_NUMBER_H

/* Like strtod and strtof, for a text that is one complete number. */
double read_double(const char *text);
float read_float(const char *text);

#endif
