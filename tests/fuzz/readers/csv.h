/* A strict reader of CSV (RFC 4180). */
#ifndef SLUICE_TESTS_FUZZ_READERS_CSV_H
#define SLUICE_TESTS_FUZZ_READERS_CSV_H

#include <stddef.h>

/*
 * The error in a row with this number of fields, given without its line end. NULL if there is none.
 */
const char *csv_wrong(const char *row, size_t size, size_t fields);

#endif
