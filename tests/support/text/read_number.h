/*
 * Decimals to binary as IEEE 754 has it, to the nearest, as yardsticks need it. Not every C
 * library's strtod does: mingw-w64's takes what lies just below half way to a power of two for it.
 */
#ifndef SLUICE_TESTS_SUPPORT_TEXT_READ_NUMBER_H
#define SLUICE_TESTS_SUPPORT_TEXT_READ_NUMBER_H

/* As strtod and strtof, of a text that is one number. */
double read_double(const char *text);
float read_float(const char *text);

#endif
