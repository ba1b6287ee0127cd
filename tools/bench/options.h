/* The command line of sluice-bench. */
#ifndef SLUICE_TOOLS_BENCH_OPTIONS_H
#define SLUICE_TOOLS_BENCH_OPTIONS_H

#include "tools/bench/bench.h"
#include "tools/command/command.h"

/* What is wanted where nothing is asked for; to be called before the command line is read. */
void options_default(struct settings *settings);

/* Reads into a `struct settings`. */
extern const struct command bench_command;

#endif
