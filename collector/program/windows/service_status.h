/*
 * Reports the state of the service to the service manager. Lifecycle: begin, running, stopping,
 * stopped, in this order; running and stopping may be left out. During a stop a timer reports
 * progress every second, because the manager gives up on a service without progress. Any thread.
 * Only on Windows.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_STATUS_H
#define SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_STATUS_H

#include <windows.h>

#include "collector/base/error.h"

/* The type of SetServiceStatus, so that tests can replace the function. */
typedef BOOL WINAPI service_reporter(SERVICE_STATUS_HANDLE handle, SERVICE_STATUS *status);

/* Reports that the service starts, which may take a minute. The service accepts no control yet. */
void service_status_begin(SERVICE_STATUS_HANDLE handle, service_reporter *reporter);

/* Reports that the service runs. From now on it accepts STOP, SHUTDOWN and PARAMCHANGE. */
void service_status_running(void);

/* Reports that the service stops, and starts the timer. */
void service_status_stopping(void);

/*
 * Reports that the service has stopped. Must be the last call: the system may then end the process.
 */
void service_status_stopped(enum exit_code code);

#endif
