/* The command line of sluice-bench. */
#ifndef SLUICE_TOOLS_BENCH_OPTIONS_H
#define SLUICE_TOOLS_BENCH_OPTIONS_H

#include "tools/bench/bench.h"
#include "tools/command/command.h"

/* Sets the defaults. Must be called before the command line is parsed. */
void options_default(struct settings *settings);

/* The command. Its options are stored in a `struct settings`. */
extern const struct command bench_command;

#endif
