/*
 * `sluice spill list|export FOLDER`: what lies in a delivery's spill, and taking it out as lines.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_SPILL_COMMAND_H
#define SLUICE_COLLECTOR_PROGRAM_SPILL_COMMAND_H

#include "collector/base/error.h"

/*
 * Does what the command line says, whose argv[0] is "spill". Main thread, instead of program_run.
 * The list, or the records in their format, go to stdout; nothing on the disk is changed. Returns
 * EXIT_CODE_USAGE where the command line is wrong, or the folder has records of several formats and
 * none was chosen; EXIT_CODE_BAD_INPUT where there is no such folder, or records are missing or
 * damaged, which is logged: the others are written all the same; EXIT_CODE_IO where stdout fails.
 */
enum exit_code spill_command(int argc, char *const *argv);

#endif
