/*
 * `sluice explain WORD...`: explains words that the program accepts or reports, and what to do.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_EXPLAIN_H
#define SLUICE_COLLECTOR_PROGRAM_EXPLAIN_H

#include "collector/base/error.h"

/*
 * Runs the command line, whose argv[0] is "explain". Main thread, instead of program_run. Prints
 * glossary entries to stdout. A word without an entry is logged with the nearest one that has an
 * entry; the other words are still explained, and EXIT_CODE_USAGE is returned.
 */
enum exit_code explain_command(int argc, char *const *argv);

#endif
