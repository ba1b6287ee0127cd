/*
 * `sluice explain WORD...`: what a word means that the program takes or reports, and what to do.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_EXPLAIN_H
#define SLUICE_COLLECTOR_PROGRAM_EXPLAIN_H

#include "collector/base/error.h"

/*
 * Does what the command line says, whose argv[0] is "explain". Main thread, instead of program_run.
 * The entries of the glossary go to stdout. Returns EXIT_CODE_USAGE where a word has no entry: it
 * is logged, with the nearest one that has, and the others are explained all the same.
 */
enum exit_code explain_command(int argc, char *const *argv);

#endif
