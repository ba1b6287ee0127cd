/*
 * Opens sealed datagrams with the keys of a file, as a listener with framing=sealed does. But here
 * a datagram may be old or repeated, and its key must have been valid when it was sealed.
 *
 * Lifecycle: begin, open, end. One thread.
 */
#ifndef SLUICE_TOOLS_DECODE_OPENING_H
#define SLUICE_TOOLS_DECODE_OPENING_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

struct opening;

/*
 * Reads the file of keys. Returns 0, or -1 with `error` filled: EXIT_CODE_CONFIG (the file is
 * wrong, other users have access to it, or libsodium is missing), EXIT_CODE_INTERNAL.
 */
int opening_begin(const char *path, struct opening **out, struct error *error);

/*
 * Opens a datagram. Returns 0 with *content and *content_size set, valid until the next call, or -1
 * with `error` filled (EXIT_CODE_BAD_INPUT). The error begins with a reason of a listener's ledger:
 * malformed, no_key or forged.
 */
int opening_open(struct opening *opening, const uint8_t *datagram, size_t size,
                 const uint8_t **content, size_t *content_size, struct error *error);

/* Clears the keys. NULL is allowed. */
void opening_end(struct opening *opening);

#endif
