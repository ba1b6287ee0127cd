/*
 * The sums that the bench needs of a ledger as `sluice --ledger json` prints it: one line, of all
 * listeners and all sinks together. Pure; any thread.
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
    uint64_t decoded;
    uint64_t reasons;      /* all together */
    uint64_t kernel_drops; /* with kernel_filter=on also what the filter refused */
    uint64_t refused_while_stopping;

    /* Of the sinks. */
    uint64_t offered;
    uint64_t queued;
    uint64_t refused;
    uint64_t written;
    uint64_t filtered;
    uint64_t evicted;
    uint64_t failed;
    uint64_t unknown;
    uint64_t recovered;
    uint64_t spilled;
    uint64_t in_flight;
};

/* Reads a line that ends in NUL or a newline. Returns false where it is no ledger. */
bool ledger_line_read(const char *line, struct ledger_sums *sums);

/* Whether the sums of a program that has stopped are right, by its own word and by ours. */
bool ledger_sums_balance(const struct ledger_sums *sums);

#endif
