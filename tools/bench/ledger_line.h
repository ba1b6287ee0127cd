/*
 * Reads a line of `sluice --ledger json`: the sums of all listeners and all sinks, and the
 * collector's own verdict. Pure; any thread.
 */
#ifndef SLUICE_TOOLS_BENCH_LEDGER_LINE_H
#define SLUICE_TOOLS_BENCH_LEDGER_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct ledger_sums {
    bool final;    /* the ledger after a stop */
    bool balances; /* the collector's own verdict, in the final ledger */

    /* Sums of the listeners. */
    uint64_t received;
    uint64_t kernel_drops; /* with kernel_filter=on including datagrams that the filter refused */

    /* Sums of the sinks. */
    uint64_t offered;
    uint64_t written;
};

/* Parses a line that ends in NUL or a newline. Returns false if it is not a ledger. */
bool ledger_line_read(const char *line, struct ledger_sums *sums);

#endif
