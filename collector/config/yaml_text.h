/* A text as YAML has it. Pure but for what it writes; any thread. */
#ifndef SLUICE_COLLECTOR_CONFIG_YAML_TEXT_H
#define SLUICE_COLLECTOR_CONFIG_YAML_TEXT_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes `length` bytes so that they read back the same: plain where that is safe, else in
 * quotation marks. What is no UTF-8 cannot stand in YAML: each such byte becomes U+FFFD.
 */
void yaml_text_write(FILE *to, const char *text, size_t length);

#endif
