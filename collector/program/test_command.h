/*
 * `sluice test FILE...`: runs tests of configurations, without sockets and without files.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_TEST_COMMAND_H
#define SLUICE_COLLECTOR_PROGRAM_TEST_COMMAND_H

#include "collector/base/error.h"

/*
 * Does what the command line says, whose argv[0] is "test". Main thread, instead of program_run.
 * The report goes to stdout; what keeps tests from running is logged. Returns EXIT_CODE_TEST_FAILED
 * where a test failed, and EXIT_CODE_CONFIG where a file has no tests or a configuration is wrong,
 * whatever else failed.
 */
enum exit_code test_command(int argc, char *const *argv);

#endif
