/* A strict reader of CSV (RFC 4180). */
#ifndef SLUICE_TESTS_FUZZ_READERS_CSV_H
#define SLUICE_TESTS_FUZZ_READERS_CSV_H

#include <stddef.h>

/* What is wrong with a row of so many fields, which is without its line end; NULL: nothing. */
const char *csv_wrong(const char *row, size_t size, size_t fields);

#endif
