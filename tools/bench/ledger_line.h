/*
 * Reads a line of `sluice --ledger json`. Returns sums over all listeners and all sinks, and
 * whether the collector says that its ledger balances. Pure; any thread.
 */
#ifndef SLUICE_TOOLS_BENCH_LEDGER_LINE_H
#define SLUICE_TOOLS_BENCH_LEDGER_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct ledger_sums {
    bool final;    /* the final ledger, after a stop */
    bool balances; /* set only in a final ledger */

    /* Sums over all listeners, in datagrams. */
    uint64_t received;
    uint64_t kernel_drops; /* with kernel_filter=on also the datagrams that the filter refused */

    /* Sums over all sinks, in records. */
    uint64_t offered;
    uint64_t written;
};

/* Parses a line that ends in NUL or a newline. Returns false if it is not a ledger. */
bool ledger_line_read(const char *line, struct ledger_sums *sums);

#endif
