/*
 * Runs `sluice service` as a user would, and uses Windows' service manager as its own tools do. A
 * function that does not succeed fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_INTEGRATION_SERVICE_SERVICE_MANAGER_H
#define SLUICE_TESTS_INTEGRATION_SERVICE_SERVICE_MANAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

#define LINES_SIZE 4096

/* The exit code of a program, and its output on stderr. */
struct ended {
    DWORD code;
    char lines[LINES_SIZE];
};

/* Runs sluice in the scratch directory with these arguments, which end with a NULL. */
struct ended run_sluice(const char *const *words);

#define RUN_SLUICE(...) run_sluice((const char *const[]){__VA_ARGS__, NULL})

/* Returns the name of the test's service, which no other service has. */
const char *service_name(void);
const wchar_t *service_wide_name(void);

/* Returns NULL if there is no such service. The caller closes the handle. */
SC_HANDLE service_open(void);

/* Returns the service's configuration. The caller frees it. */
QUERY_SERVICE_CONFIGW *service_config(void);

void service_start(void);

/* Sends a control to the service. Returns 0 or the error code. */
DWORD service_order(DWORD control);

/*
 * Waits until the service has this state, with a limit that only a hang exceeds. Returns the status
 * that was reported with the state.
 */
SERVICE_STATUS_PROCESS service_await(DWORD state);

/*
 * A cmocka setup and teardown: makes a scratch directory, and removes a service with the test's
 * name.
 */
int service_set_up(void **state);
int service_clean_up(void **state);

#endif
