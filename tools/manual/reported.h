/*
 * What a running collector reports, for its manual page: the entries that the glossary has of
 * terms, reasons, metrics and words of health. Written to a stream, whose errors the caller looks
 * at.
 */
#ifndef SLUICE_TOOLS_MANUAL_REPORTED_H
#define SLUICE_TOOLS_MANUAL_REPORTED_H

#include <stdio.h>

#include "collector/glossary/glossary.h"

/*
 * The entries of a kind, in their order. A metric that counts a term is left out: the page says
 * once how these are called.
 */
void reported_write(FILE *out, const struct glossary *glossary, enum glossary_kind kind);

#endif
