/*
 * The collector as the service manager runs it: it stops, reloads and prints the ledger by
 * the manager's controls. Of platform/windows only.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_RUN_H
#define SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_RUN_H

#include <windows.h>

#include "collector/base/error.h"
#include "collector/program/service.h"

/* The control of our own that asks for the ledger: sc.exe control NAME 128. */
#define SERVICE_CONTROL_LEDGER 128

/*
 * Runs `program` with these arguments (argv[0] is passed over) until the service has stopped, and
 * returns its exit code; what went wrong is in the event log. Where it was not the service manager
 * that started the process, that is said instead, on stderr: EXIT_CODE_USAGE. Once per process.
 */
enum exit_code service_run(const struct service_program *program, int argc, char **argv);

/* The manager's call, in a thread of its own (a HANDLER_FUNCTION_EX). */
DWORD WINAPI service_control(DWORD control, DWORD type, void *data, void *context);

#endif
