/*
 * Well-formed UTF-8, as Unicode 15 table 3-7 (and RFC 3629) defines it. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_UTF8_H
#define SLUICE_COLLECTOR_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether all `size` bytes are well-formed: no overlong forms, surrogates or cut sequences. */
bool utf8_valid(const void *bytes, size_t size);

/*
 * Looks at the sequence that begins at `bytes` (size ≥ 1). Returns its length in bytes, 1 to 4, and
 * sets *valid; where it is ill-formed, the length is that of its maximal ill-formed part, 1 to 3.
 */
size_t utf8_sequence(const uint8_t *bytes, size_t size, bool *valid);

#endif
