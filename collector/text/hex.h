/*
 * Writes bytes as hexadecimal digits, two lowercase digits per byte, as in the identifiers of W3C
 * Trace Context. Any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_HEX_H
#define SLUICE_COLLECTOR_TEXT_HEX_H

#include <stddef.h>

#include "collector/text/output.h"

/* Returns the value of a hexadecimal digit of either case, or -1. */
int hex_digit_value(char digit);

/* Appends all digits, or nothing if they do not fit. */
void hex_put(struct output *out, const void *bytes, size_t size);

#endif
