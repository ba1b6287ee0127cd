/*
 * What we report to the service manager: starting, running, stopping, stopped.
 *
 * Lifecycle: begin, running, stopping, stopped, in this order; the two in the middle may be left
 * out. While it stops, a beat each second says that it goes on: the manager gives up on a service
 * whose beat it misses. Any thread. Of platform/windows only.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_STATUS_H
#define SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_STATUS_H

#include <windows.h>

#include "collector/base/error.h"

/* As SetServiceStatus, which is the one but in tests. */
typedef BOOL WINAPI service_reporter(SERVICE_STATUS_HANDLE handle, SERVICE_STATUS *status);

/* Tells that it starts, which may take a minute; then it accepts nothing yet. */
void service_status_begin(SERVICE_STATUS_HANDLE handle, service_reporter *reporter);

/* Tells that it runs. From now on it accepts to be stopped, and PARAMCHANGE. */
void service_status_running(void);

/* Reports that it stops, and goes on reporting it. */
void service_status_stopping(void);

/* Tells that it has stopped: last of all, since the process may be ended then. */
void service_status_stopped(enum exit_code code);

#endif
