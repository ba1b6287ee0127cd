/* Checks rows of CSV strictly (RFC 4180). */
#ifndef SLUICE_TESTS_FUZZ_READERS_CSV_H
#define SLUICE_TESTS_FUZZ_READERS_CSV_H

#include <stddef.h>

/*
 * Returns the error in the row, or NULL. The row must have this number of fields, and is given
 * without its line end.
 */
const char *csv_wrong(const char *row, size_t size, size_t fields);

#endif
