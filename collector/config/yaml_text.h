/* Writes texts in YAML. Any thread. */
#ifndef SLUICE_COLLECTOR_CONFIG_YAML_TEXT_H
#define SLUICE_COLLECTOR_CONFIG_YAML_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Writes `length` bytes so that a YAML reader gets the same bytes: without quotation marks if that
 * is safe, otherwise with them. YAML cannot represent bytes that are not UTF-8: each becomes
 * U+FFFD.
 */
void yaml_text_write(FILE *to, const char *text, size_t length);

/*
 * Returns true for control characters, line separators, byte-order marks and noncharacters, which
 * must be escaped.
 */
bool yaml_text_hides(uint32_t character);

#endif
