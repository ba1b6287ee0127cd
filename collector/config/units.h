/*
 * Parses and formats counts, sizes and durations with their units.
 *
 * Sizes and durations require a unit, so that 100 is not ambiguous; counts have no unit. A decimal
 * fraction is accepted if it is a whole number of bytes or nanoseconds ("1.5s", "0.5GiB"); values
 * are not rounded. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_UNITS_H
#define SLUICE_COLLECTOR_CONFIG_UNITS_H

#include <stddef.h>
#include <stdint.h>

enum quantity {
    QUANTITY_COUNT,    /* no unit: "1000" */
    QUANTITY_SIZE,     /* bytes: B; kB, MB, GB (powers of 1000); KiB, MiB, GiB (of 1024) */
    QUANTITY_DURATION, /* nanoseconds: ns, us, ms, s, m (minutes), h, d (24 h) */
};

/* The maximum number of bytes of quantity_format, including the NUL. */
#define QUANTITY_TEXT_SIZE 24

/*
 * Parses all `length` bytes of `text`; case-sensitive, without blanks and signs. Returns NULL and
 * sets *value. If the text is invalid, leaves *value unchanged and returns the reason as a constant
 * text. The reason is the end of a message: "64" + "has no unit; give one of ...".
 */
const char *quantity_parse(enum quantity quantity, const char *text, size_t length,
                           uint64_t *value);

/* Returns the name of unit number `at` ("" for a count), or NULL after the last unit. */
const char *quantity_unit(enum quantity quantity, size_t at);

/*
 * Writes the shortest text without a fraction that quantity_parse reads as `value` ("64KiB",
 * "1500ms"), and a NUL, to the QUANTITY_TEXT_SIZE bytes of `text`. Returns the length without the
 * NUL.
 */
size_t quantity_format(enum quantity quantity, uint64_t value, char *text);

#endif
