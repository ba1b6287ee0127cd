/* The final report of sluice-send. */
#ifndef SLUICE_TOOLS_SEND_REPORT_H
#define SLUICE_TOOLS_SEND_REPORT_H

#include <stdio.h>

#include "tools/send/load.h"

/* Writes a line for people. Before this the caller has written "NAME: ". */
void report_write_line(const struct load_counts *counts, FILE *out);

/*
 * Writes a line with a JSON object: sent (all kinds), good, malformed, empty, oversized, samples,
 * bytes, failed, retried, refused, seconds and rate (sent per second).
 */
void report_write_json(const struct load_counts *counts, FILE *out);

#endif
