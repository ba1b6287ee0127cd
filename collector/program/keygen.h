/*
 * `sluice keygen NAME`: makes a key for sealed datagrams, as a line of a keys file.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_KEYGEN_H
#define SLUICE_COLLECTOR_PROGRAM_KEYGEN_H

#include "collector/base/error.h"

/*
 * Runs the command line, whose argv[0] is "keygen". Main thread, instead of program_run. Prints one
 * line with a new key and a new id, both from the system's random bytes, to stdout, before any
 * other output of the program. Errors are logged. Returns EXIT_CODE_USAGE for a wrong name or time.
 */
enum exit_code keygen_command(int argc, char *const *argv);

#endif
