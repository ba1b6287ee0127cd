/*
 * Reports the state of the service to the service manager.
 *
 * Lifecycle: begin, running, stopping, stopped, in this order; the two in the middle may be left
 * out. During a stop a timer reports progress every second; without it the manager gives up on the
 * service. Any thread. Only on Windows.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_STATUS_H
#define SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_STATUS_H

#include <windows.h>

#include "collector/base/error.h"

/* SetServiceStatus; tests use another one. */
typedef BOOL WINAPI service_reporter(SERVICE_STATUS_HANDLE handle, SERVICE_STATUS *status);

/* Reports that it starts, which may take a minute. It accepts no control yet. */
void service_status_begin(SERVICE_STATUS_HANDLE handle, service_reporter *reporter);

/* Reports that it runs. From now on it accepts STOP, SHUTDOWN and PARAMCHANGE. */
void service_status_running(void);

/* Reports that it stops, and starts the timer. */
void service_status_stopping(void);

/* Reports that it has stopped. Must be the last call: the process may be ended then. */
void service_status_stopped(enum exit_code code);

#endif
