/*
 * Writes the words that a running collector reports, for the collector's manual page: the
 * glossary's entries of terms, reasons, metrics and health. The caller checks the stream for
 * errors.
 */
#ifndef SLUICE_TOOLS_MANUAL_REPORTED_H
#define SLUICE_TOOLS_MANUAL_REPORTED_H

#include <stdio.h>

#include "collector/glossary/glossary.h"

/*
 * Writes the entries of a kind, in the glossary's order. Omits the metrics that count a term: the
 * page describes once how they are named.
 */
void reported_write(FILE *out, const struct glossary *glossary, enum glossary_kind kind);

#endif
