/*
 * What the bench needs of a ledger as `sluice --ledger json` prints it, one line: the sums of all
 * listeners and all sinks, and what the program says of them. Pure; any thread.
 */
#ifndef SLUICE_TOOLS_BENCH_LEDGER_LINE_H
#define SLUICE_TOOLS_BENCH_LEDGER_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct ledger_sums {
    bool final;    /* of a program that has stopped */
    bool balances; /* as the program itself says; it does so when it has stopped */

    /* Of the listeners. */
    uint64_t received;
    uint64_t kernel_drops; /* with kernel_filter=on also what the filter refused */

    /* Of the sinks. */
    uint64_t offered;
    uint64_t written;
};

/* Reads a line that ends in NUL or a newline. Returns false where it is no ledger. */
bool ledger_line_read(const char *line, struct ledger_sums *sums);

#endif
