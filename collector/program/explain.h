/*
 * `sluice explain WORD...`: explains words that the program accepts or reports, and how to react.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_EXPLAIN_H
#define SLUICE_COLLECTOR_PROGRAM_EXPLAIN_H

#include "collector/base/error.h"

/*
 * Runs the command line, whose argv[0] is "explain". Main thread, instead of program_run. Prints
 * glossary entries to stdout. For a word without an entry, logs the nearest word that has an entry,
 * explains the other words and returns EXIT_CODE_USAGE.
 */
enum exit_code explain_command(int argc, char *const *argv);

#endif
