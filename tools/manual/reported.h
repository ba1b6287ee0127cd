/*
 * What a running collector reports, for its manual page: an entry each for terms, reasons, metrics
 * and words of health, made of the same rows as what is reported. Written to a stream, whose errors
 * the caller looks at.
 */
#ifndef SLUICE_TOOLS_MANUAL_REPORTED_H
#define SLUICE_TOOLS_MANUAL_REPORTED_H

#include <stdio.h>

#include "collector/health/health_words.h"
#include "collector/ledger/ledger.h"

/* Up to the row without a name. */
void reported_write_terms(FILE *out, const struct ledger_term *terms);
void reported_write_reasons(FILE *out, const struct reason_text *reasons, size_t count);

/* Measures of what `of` names, "sink_", by the label that names one of them. */
void reported_write_measures(FILE *out, const struct ledger_measure *measures, const char *of,
                             const char *label);

/* All that are no terms and no measures. */
void reported_write_metrics(FILE *out);

void reported_write_words(FILE *out, const struct health_word *words, size_t count);

#endif
