/*
 * Converts decimals to the nearest binary number, as IEEE 754 requires. Tests compare other results
 * with these. strtod is not exact in every C library: the strtod of mingw-w64 is wrong for some
 * numbers just below a power of two.
 */
#ifndef SLUICE_TESTS_SUPPORT_TEXT_READ_NUMBER_H
#define SLUICE_TESTS_SUPPORT_TEXT_READ_NUMBER_H

/* Like strtod and strtof, for a text that is one complete number. */
double read_double(const char *text);
float read_float(const char *text);

#endif
