/*
 * `sluice ctl reload|ledger|stop PID|ADDRESS`: the part of the program that orders another one what
 * to do, the same on every system. At the address of a --control it also learns the outcome.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_CTL_H
#define SLUICE_COLLECTOR_PROGRAM_CTL_H

#include "collector/base/error.h"

/*
 * Does what the command line says, whose argv[0] is "ctl". Main thread, instead of program_run.
 * What goes wrong is logged. Returns EXIT_CODE_CONFIG where a reload was refused, and
 * EXIT_CODE_NOT_REACHED where nobody is there who takes orders from us.
 */
enum exit_code ctl_command(int argc, char *const *argv);

#endif
