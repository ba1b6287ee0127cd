/*
 * `sluice ctl reload|ledger|stop PID|ADDRESS`: controls another collector, in the same way on every
 * system. With the address of its --control socket, the command also gets the outcome.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_CTL_H
#define SLUICE_COLLECTOR_PROGRAM_CTL_H

#include "collector/base/error.h"

/*
 * Runs the command line, whose argv[0] is "ctl". Main thread, instead of program_run. Errors are
 * logged. Returns EXIT_CODE_CONFIG if a reload was refused, and EXIT_CODE_NOT_REACHED if the
 * collector does not exist or does not accept commands from this process.
 */
enum exit_code ctl_command(int argc, char *const *argv);

#endif
