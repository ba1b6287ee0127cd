/*
 * Services as the service manager has them: made and removed. Main thread. Of platform/windows
 * only.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_SETUP_H
#define SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_SETUP_H

#include <wchar.h>

#include "collector/base/error.h"

/* Characters of a service's name, and of its display name, with their end. */
#define SERVICE_NAME_SIZE 257

/* The account of a service, which comes and goes with it: "NT SERVICE\NAME". */
#define SERVICE_ACCOUNT_PREFIX L"NT SERVICE\\"

/*
 * Makes a service that this program is when it is run with `arguments`, up to a NULL, after
 * `service run --`: started with the system, under its own account, and started again when it
 * fails. Its events have its name for a source. Returns 0, or -1 with `error` filled and nothing
 * left behind (EXIT_CODE_CANNOT_CREATE).
 */
int service_create(const wchar_t *name, const wchar_t *display_name, char *const *arguments,
                   struct error *error);

/*
 * Stops a service that service_create has made, waits for that, and removes it with its source of
 * events. Returns 0, or -1 with `error` filled: EXIT_CODE_USAGE where it is none of ours, else
 * EXIT_CODE_IO.
 */
int service_delete(const wchar_t *name, struct error *error);

#endif
