/*
 * Bytes as base64 (RFC 4648, section 4: the standard alphabet, with padding). Any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_BASE64_H
#define SLUICE_COLLECTOR_TEXT_BASE64_H

#include <stddef.h>
#include <stdint.h>

#include "collector/text/output.h"

/* Bytes that `size` characters stand for at most. */
static inline size_t base64_most(size_t size)
{
    return size / 4 * 3;
}

/*
 * Decodes `size` characters, all of them, into `bytes`, which has room for base64_most(size);
 * *used is how many it took. Returns how many characters were in order: all of them, or as many as
 * stand before the first that is not. It is strict: whole groups of four, padding where it belongs
 * and nowhere else, no bits set that stand for nothing.
 */
size_t base64_decode(const char *text, size_t size, uint8_t *bytes, size_t *used);

/* Appends four characters for each three bytes, the last ones padded. All of them or none fit. */
void base64_put(struct output *out, const void *bytes, size_t size);

#endif
