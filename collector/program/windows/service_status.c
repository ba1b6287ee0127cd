#include "collector/program/windows/service_status.h"

#include <stdbool.h>

#define BEAT_MS 1000

/* The wait hints: how long the service manager waits for the next report. */
#define STOP_HINT_MS  10000
#define START_HINT_MS 60000

static struct {
    SRWLOCK lock;
    SERVICE_STATUS_HANDLE handle;
    service_reporter *reporter;
    SERVICE_STATUS status;
    HANDLE beat; /* a timer that runs during the stop, else NULL */
} service = {SRWLOCK_INIT, NULL, NULL, {0}, NULL};

/*
 * Reports a state. The caller holds the lock, so that no other thread reports an older state
 * afterwards.
 */
static void status_report(DWORD state, DWORD accepted, DWORD hint_ms)
{
    service.status.dwServiceType = SERVICE_WIN32_OWN_PROCESS;
    service.status.dwCurrentState = state;
    service.status.dwControlsAccepted = accepted;
    service.status.dwWaitHint = hint_ms;
    service.reporter(service.handle, &service.status);
}

void service_status_begin(SERVICE_STATUS_HANDLE handle, service_reporter *reporter)
{
    AcquireSRWLockExclusive(&service.lock);
    service.handle = handle;
    service.reporter = reporter;
    service.status = (SERVICE_STATUS){0};
    status_report(SERVICE_START_PENDING, 0, START_HINT_MS);
    ReleaseSRWLockExclusive(&service.lock);
}

void service_status_running(void)
{
    const DWORD accepted =
        SERVICE_ACCEPT_STOP | SERVICE_ACCEPT_SHUTDOWN | SERVICE_ACCEPT_PARAMCHANGE;
    AcquireSRWLockExclusive(&service.lock);
    status_report(SERVICE_RUNNING, accepted, 0);
    ReleaseSRWLockExclusive(&service.lock);
}

static void CALLBACK beat(void *context, BOOLEAN fired)
{
    (void)context;
    (void)fired;
    AcquireSRWLockExclusive(&service.lock);
    if (service.status.dwCurrentState == SERVICE_STOP_PENDING) {
        service.status.dwCheckPoint++;
        status_report(SERVICE_STOP_PENDING, 0, STOP_HINT_MS);
    }
    ReleaseSRWLockExclusive(&service.lock);
}

void service_status_stopping(void)
{
    AcquireSRWLockExclusive(&service.lock);
    if (service.status.dwCurrentState == SERVICE_RUNNING) {
        service.status.dwCheckPoint = 1;
        status_report(SERVICE_STOP_PENDING, 0, STOP_HINT_MS);
        CreateTimerQueueTimer(&service.beat, NULL, beat, NULL, BEAT_MS, BEAT_MS, 0);
    }
    ReleaseSRWLockExclusive(&service.lock);
}

void service_status_stopped(enum exit_code code)
{
    AcquireSRWLockExclusive(&service.lock);
    HANDLE timer = service.beat;
    service.beat = NULL;
    service.status.dwCheckPoint = 0;
    service.status.dwWin32ExitCode = code == EXIT_CODE_OK ? NO_ERROR : ERROR_SERVICE_SPECIFIC_ERROR;
    service.status.dwServiceSpecificExitCode = (DWORD)code;
    service.status.dwCurrentState = SERVICE_STOPPED; /* from now on, a timer call that comes late
                                                      * reports nothing */
    ReleaseSRWLockExclusive(&service.lock);
    if (timer != NULL)
        DeleteTimerQueueTimer(NULL, timer, INVALID_HANDLE_VALUE);
    AcquireSRWLockExclusive(&service.lock);
    status_report(SERVICE_STOPPED, 0, 0);
    ReleaseSRWLockExclusive(&service.lock);
}
