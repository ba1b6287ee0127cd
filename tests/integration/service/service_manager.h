/*
 * `sluice service`, run as a person would, and the service manager, asked as its tools do. Each
 * function fails the running cmocka test if it does not succeed.
 */
#ifndef SLUICE_TESTS_INTEGRATION_SERVICE_SERVICE_MANAGER_H
#define SLUICE_TESTS_INTEGRATION_SERVICE_SERVICE_MANAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

#define LINES_SIZE 4096

/* How a program ended, and its output on stderr. */
struct ended {
    DWORD code;
    char lines[LINES_SIZE];
};

/* Runs sluice in the scratch directory with these words, up to a NULL. */
struct ended run_sluice(const char *const *words);

#define RUN_SLUICE(...) run_sluice((const char *const[]){__VA_ARGS__, NULL})

/* The service's name in this process, which no other service has. */
const char *service_name(void);
const wchar_t *service_wide_name(void);

/* NULL: there is no such service. The caller closes it. */
SC_HANDLE service_open(void);

/* The service's configuration. The caller frees it. */
QUERY_SERVICE_CONFIGW *service_config(void);

void service_start(void);

/* Returns 0, or the error that the control led to. */
DWORD service_order(DWORD control);

/*
 * Waits for the state up to a time that only a hang exceeds. Returns the status that is reported
 * with the state.
 */
SERVICE_STATUS_PROCESS service_await(DWORD state);

/* A cmocka setup and teardown: a scratch directory, and no service of that name. */
int service_set_up(void **state);
int service_clean_up(void **state);

#endif
