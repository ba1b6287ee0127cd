/*
 * Registers services with the service manager, and removes them. Main thread. Only on Windows.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_SETUP_H
#define SLUICE_COLLECTOR_PROGRAM_WINDOWS_SERVICE_SETUP_H

#include <wchar.h>

#include "collector/base/error.h"

/* The maximum number of characters of a service's name or display name, with the terminator. */
#define SERVICE_NAME_SIZE 257

/* The account of a service, which exists as long as the service: "NT SERVICE\NAME". */
#define SERVICE_ACCOUNT_PREFIX L"NT SERVICE\\"

/*
 * Creates a service that runs this program with `service run --` and the NULL-terminated
 * `arguments`. The service starts with the system, runs under its own account, and is restarted
 * when it fails. Its name is also the name of its source of events. Returns 0, or -1 with `error`
 * filled (EXIT_CODE_CANNOT_CREATE) and everything undone.
 */
int service_create(const wchar_t *name, const wchar_t *display_name, char *const *arguments,
                   struct error *error);

/*
 * Stops a service that service_create has made, waits for its end, and removes it and its source of
 * events. Returns 0, or -1 with `error` filled: EXIT_CODE_USAGE if service_create has not made the
 * service, else EXIT_CODE_IO.
 */
int service_delete(const wchar_t *name, struct error *error);

#endif
