/*
 * `sluice test FILE...`: runs tests of configurations without opening sockets or writing files.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_TEST_COMMAND_H
#define SLUICE_COLLECTOR_PROGRAM_TEST_COMMAND_H

#include "collector/base/error.h"

/*
 * Runs the command line, whose argv[0] is "test". Main thread, instead of program_run. The report
 * goes to stdout; errors that keep tests from running are logged. Returns EXIT_CODE_CONFIG if a
 * file has no tests or a configuration is wrong, else EXIT_CODE_TEST_FAILED if a test failed.
 */
enum exit_code test_command(int argc, char *const *argv);

#endif
