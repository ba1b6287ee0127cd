/*
 * `sluice spill list|export FOLDER`: lists or exports the contents of a delivery's spill.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_SPILL_COMMAND_H
#define SLUICE_COLLECTOR_PROGRAM_SPILL_COMMAND_H

#include "collector/base/error.h"

/*
 * Runs the command line, whose argv[0] is "spill". Main thread, instead of program_run. Writes the
 * list or the records, in their format, to stdout; does not change the spill. Errors are logged.
 * Returns EXIT_CODE_USAGE if the command line is wrong, or if the folder has several formats and
 * none was chosen. Returns EXIT_CODE_BAD_INPUT if the folder does not exist, or if records are
 * missing or damaged; the others are still written. Returns EXIT_CODE_IO if stdout fails.
 */
enum exit_code spill_command(int argc, char *const *argv);

#endif
