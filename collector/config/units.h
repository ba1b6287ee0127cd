/*
 * Numbers as people write them in options: counts, sizes and durations, each with its unit.
 *
 * A size or a duration always has a unit, so that nobody has to guess whether 100 means seconds;
 * a count never has one. A decimal fraction is accepted where it comes to a whole number of bytes
 * or nanoseconds ("1.5s", "0.5GiB"). Nothing is rounded. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_UNITS_H
#define SLUICE_COLLECTOR_CONFIG_UNITS_H

#include <stddef.h>
#include <stdint.h>

enum quantity {
    QUANTITY_COUNT,    /* "1000" */
    QUANTITY_SIZE,     /* bytes: B; kB, MB, GB (powers of 1000); KiB, MiB, GiB (of 1024) */
    QUANTITY_DURATION, /* nanoseconds: ns, us, ms, s, m (minutes), h, d (24 h) */
};

/* Bytes that quantity_format can need, with the final NUL. */
#define QUANTITY_TEXT_SIZE 24

/*
 * Reads all `length` bytes of `text` as a quantity; case matters, blanks and signs are refused.
 * Returns NULL and sets *value, or leaves *value alone and returns what is wrong, a constant text
 * that continues a sentence: ("64") "has no unit; give one of ...".
 */
const char *quantity_parse(enum quantity quantity, const char *text, size_t length,
                           uint64_t *value);

/* The names of its units, NULL after the last one: "" of a count. */
const char *quantity_unit(enum quantity quantity, size_t at);

/*
 * Writes the shortest text without a fraction that reads back as `value` ("64KiB", "1500ms") and
 * a NUL to the QUANTITY_TEXT_SIZE bytes of `text`. Returns its length without the NUL.
 */
size_t quantity_format(enum quantity quantity, uint64_t value, char *text);

#endif
