/*
 * Bytes as hexadecimal, two lowercase digits for each (RFC 4648, section 8, but for the case): as
 * W3C Trace Context has its identifiers. Any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_HEX_H
#define SLUICE_COLLECTOR_TEXT_HEX_H

#include <stddef.h>

#include "collector/text/output.h"

/* What a digit stands for, in either case of letters; -1: it is none. */
int hex_digit_value(char digit);

/* Appends the digits. All of them or none fit. */
void hex_put(struct output *out, const void *bytes, size_t size);

#endif
