/*
 * Converts decimals to the nearest binary number, as IEEE 754 requires; tests compare with the
 * result. Not every C library's strtod does so: mingw-w64's returns a power of two for a number
 * just below half way to it.
 */
#ifndef SLUICE_TESTS_SUPPORT_TEXT_READ_NUMBER_H
#define SLUICE_TESTS_SUPPORT_TEXT_READ_NUMBER_H

/* Like strtod and strtof, for a text that is one complete number. */
double read_double(const char *text);
float read_float(const char *text);

#endif
