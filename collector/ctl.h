/*
 * `sluice ctl reload|ledger|stop PID`: the part of the program that tells another one what to do,
 * the same on every system.
 */
#ifndef SLUICE_COLLECTOR_CTL_H
#define SLUICE_COLLECTOR_CTL_H

#include "collector/error.h"

/*
 * Does what the command line says, whose argv[0] is "ctl". Main thread, instead of program_run.
 * What goes wrong is logged.
 */
enum exit_code ctl_command(int argc, char *const *argv);

#endif
