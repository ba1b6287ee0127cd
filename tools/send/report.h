/*
 * What sluice-send says at its end.
 */
#ifndef SLUICE_TOOLS_SEND_REPORT_H
#define SLUICE_TOOLS_SEND_REPORT_H

#include <stdio.h>

#include "tools/send/load.h"

/* One line for people, after "NAME: ". */
void report_write_line(const struct load_counts *counts, FILE *out);

/*
 * One line of JSON: an object with sent (all kinds), good, malformed, empty, oversized, samples,
 * bytes, failed, retried, refused, seconds and rate (sent per second).
 */
void report_write_json(const struct load_counts *counts, FILE *out);

#endif
