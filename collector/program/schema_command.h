/*
 * `sluice schema FILE|FOLDER`: shows the messages of a schema, and the samples that value=* reads
 * from one of them.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_SCHEMA_COMMAND_H
#define SLUICE_COLLECTOR_PROGRAM_SCHEMA_COMMAND_H

#include "collector/base/error.h"

/*
 * Runs the command line, whose argv[0] is "schema". Main thread, instead of program_run. Prints a
 * list or a table to stdout; errors are logged. Returns EXIT_CODE_CONFIG if the schema or a key is
 * wrong.
 */
enum exit_code schema_command(int argc, char *const *argv);

#endif
