/*
 * Encodes and decodes base64 (RFC 4648, section 4: the standard alphabet, with padding). Any
 * thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_BASE64_H
#define SLUICE_COLLECTOR_TEXT_BASE64_H

#include <stddef.h>
#include <stdint.h>

#include "collector/text/output.h"

/* Returns the most bytes that `size` characters can encode. */
static inline size_t base64_most(size_t size)
{
    return size / 4 * 3;
}

/*
 * Decodes `size` characters into `bytes`, which has room for base64_most(size); *used is the number
 * of bytes written. Returns `size`, or the number of valid characters before the first invalid one.
 * Only whole groups of four characters are valid, with padding only at the end, and with unused
 * bits that are zero.
 */
size_t base64_decode(const char *text, size_t size, uint8_t *bytes, size_t *used);

/*
 * Appends four characters for each three bytes, the last group padded, or nothing if they do not
 * fit.
 */
void base64_put(struct output *out, const void *bytes, size_t size);

#endif
