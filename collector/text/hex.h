/*
 * Bytes as hexadecimal, two lowercase digits each (RFC 4648, section 8, except for the case), as
 * W3C Trace Context writes identifiers. Any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_HEX_H
#define SLUICE_COLLECTOR_TEXT_HEX_H

#include <stddef.h>

#include "collector/text/output.h"

/* The value of a digit of either case; -1: not a digit. */
int hex_digit_value(char digit);

/* Appends all digits, or nothing. */
void hex_put(struct output *out, const void *bytes, size_t size);

#endif
