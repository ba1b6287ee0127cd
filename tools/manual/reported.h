/*
 * Writes the words that a running collector reports, for its manual page: the glossary's entries
 * for terms, reasons, metrics and health. The caller must check the stream for errors.
 */
#ifndef SLUICE_TOOLS_MANUAL_REPORTED_H
#define SLUICE_TOOLS_MANUAL_REPORTED_H

#include <stdio.h>

#include "collector/glossary/glossary.h"

/*
 * Writes the entries of a kind, in the glossary's order. Omits the metrics that count a term,
 * because the page describes their names in general.
 */
void reported_write(FILE *out, const struct glossary *glossary, enum glossary_kind kind);

#endif
