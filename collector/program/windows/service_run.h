/*
 * Runs the collector under the service manager, whose controls stop it, reload it or print its
 * ledger. Only on Windows.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_RUN_H
#define SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_RUN_H

#include <windows.h>

#include "collector/base/error.h"
#include "collector/program/service.h"

/* The control code of this program that prints the ledger: sc.exe control NAME 128. */
#define SERVICE_CONTROL_LEDGER 128

/*
 * Runs `program` with these arguments (argv[0] is ignored) until the service has stopped, and
 * returns its exit code; errors are in the event log. If the service manager did not start the
 * process, logs an error to stderr and returns EXIT_CODE_USAGE. Call it once per process.
 */
enum exit_code service_run(const struct service_program *program, int argc, char **argv);

/* Called by the service manager in a thread of its own (a HANDLER_FUNCTION_EX). */
DWORD WINAPI service_control(DWORD control, DWORD type, void *data, void *context);

#endif
