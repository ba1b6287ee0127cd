/*
 * Bytes as base64 (RFC 4648, section 4: the standard alphabet, with padding). Any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_BASE64_H
#define SLUICE_COLLECTOR_TEXT_BASE64_H

#include <stddef.h>

#include "collector/text/output.h"

/* Appends four characters for each three bytes, the last ones padded. All of them or none fit. */
void base64_put(struct output *out, const void *bytes, size_t size);

#endif
