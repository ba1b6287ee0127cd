#include "collector/program/windows/service_setup.h"

#include <stdbool.h>
#include <stdlib.h>
#include <windows.h>

#include "collector/log/log.h"
#include "collector/platform/windows/command_line.h"
#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/text.h"
#include "collector/program/windows/event_log.h"

/* The manager's pauses before it restarts a failed service; the last one is repeated. */
#define FIRST_PAUSE_MS  5000
#define SECOND_PAUSE_MS 30000
#define LATER_PAUSE_MS  60000
#define CALM_S          86400 /* seconds without a failure until FIRST_PAUSE_MS applies again */

/*
 * The longest time in which a stopping service may report no progress, and the interval of the
 * checks.
 */
#define PATIENCE_MS 30000
#define LOOK_MS     100

/* The most characters of a command line (CreateProcessW). */
#define COMMAND_LINE_MAX 32766

static const wchar_t description[] = L"Collects telemetry from protobuf datagrams over UDP.";

/*
 * These words are in each command line that service_create makes, and in no other command line of a
 * service.
 */
static const wchar_t own_words[] = L"\" service run --";

static int setup_fail(struct error *error, enum exit_code code, const char *what, DWORD reason)
{
    error_set(error, code, "%s: %s%s", what, system_error(reason).text,
              reason == ERROR_ACCESS_DENIED ? "; run this as administrator" : "");
    return -1;
}

/* --- the command line ------------------------------------------------------------------------- */

static wchar_t *own_path(struct error *error)
{
    wchar_t *path = calloc(WIDE_PATH_SIZE, sizeof *path);
    DWORD length = path == NULL ? 0 : GetModuleFileNameW(NULL, path, WIDE_PATH_SIZE);
    if (length != 0 && length < WIDE_PATH_SIZE)
        return path;
    free(path);
    error_set(error, EXIT_CODE_INTERNAL, "cannot find the path of this program");
    return NULL;
}

static wchar_t *line_of(const char *program, char *const *arguments)
{
    const char *const own[] = {program, "service", "run", "--"};
    const size_t before = sizeof own / sizeof *own;
    size_t count = 0;
    while (arguments[count] != NULL)
        count++;
    const char **all = calloc(before + count + 1, sizeof *all);
    for (size_t i = 0; all != NULL && i < before + count; i++)
        all[i] = i < before ? own[i] : arguments[i - before];
    wchar_t *line = all == NULL ? NULL : command_line_of(all);
    free(all);
    return line;
}

/*
 * Returns true if the service manager would use the line unchanged. It replaces %NAME% by the
 * environment variable of that name, and a path may contain percent signs.
 */
static bool stays_as_it_is(const wchar_t *line)
{
    wchar_t *expanded = calloc(COMMAND_LINE_MAX + 1, sizeof *expanded);
    DWORD size =
        expanded == NULL ? 0 : ExpandEnvironmentStringsW(line, expanded, COMMAND_LINE_MAX + 1);
    bool same = size != 0 && size <= COMMAND_LINE_MAX + 1 && wcscmp(line, expanded) == 0;
    free(expanded);
    return same;
}

static wchar_t *make_line(const wchar_t *path, char *const *arguments, struct error *error)
{
    char *program = text_from_wide_copy(path);
    wchar_t *line = program == NULL ? NULL : line_of(program, arguments);
    free(program);
    if (line == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "cannot make the service's command line");
        return NULL;
    }
    const char *why = NULL;
    if (wcslen(line) > COMMAND_LINE_MAX)
        why = "the command line is too long for a service";
    else if (!stays_as_it_is(line))
        why = "the command line contains the name of an environment variable between two "
              "%-signs, which the service manager would replace";
    if (why == NULL)
        return line;
    error_set(error, EXIT_CODE_CANNOT_CREATE, "%s", why);
    free(line);
    return NULL;
}

/* --- making a service ------------------------------------------------------------------------- */

static bool setup_describe(SC_HANDLE service)
{
    wchar_t text[sizeof description / sizeof *description];
    SERVICE_DESCRIPTIONW described = {wcscpy(text, description)};
    return ChangeServiceConfig2W(service, SERVICE_CONFIG_DESCRIPTION, &described);
}

/* Restarts the service also after an exit code other than 0, not only after a crash. */
static bool have_restarted(SC_HANDLE service)
{
    SC_ACTION pauses[] = {
        {SC_ACTION_RESTART, FIRST_PAUSE_MS},
        {SC_ACTION_RESTART, SECOND_PAUSE_MS},
        {SC_ACTION_RESTART, LATER_PAUSE_MS},
    };
    SERVICE_FAILURE_ACTIONSW restarts = {
        .dwResetPeriod = CALM_S, .cActions = sizeof pauses / sizeof *pauses, .lpsaActions = pauses};
    SERVICE_FAILURE_ACTIONS_FLAG by_exit_code = {TRUE};
    return ChangeServiceConfig2W(service, SERVICE_CONFIG_FAILURE_ACTIONS, &restarts) &&
           ChangeServiceConfig2W(service, SERVICE_CONFIG_FAILURE_ACTIONS_FLAG, &by_exit_code);
}

static int setup_run(SC_HANDLE service, const wchar_t *name, const wchar_t *path,
                     struct error *error)
{
    if (!setup_describe(service))
        return setup_fail(error, EXIT_CODE_CANNOT_CREATE, "cannot describe the service",
                          GetLastError());
    LSTATUS result = event_source_register(name, path);
    if (result != ERROR_SUCCESS)
        return setup_fail(error, EXIT_CODE_CANNOT_CREATE,
                          "cannot register the service with the event log", (DWORD)result);
    if (!have_restarted(service))
        log_line(LOG_WARNING, "the service will not be started again when it fails: %s",
                 system_error(GetLastError()).text);
    return 0;
}

static int setup_create(SC_HANDLE manager, const wchar_t *name, const wchar_t *display_name,
                        const wchar_t *path, const wchar_t *line, struct error *error)
{
    wchar_t account[sizeof SERVICE_ACCOUNT_PREFIX / sizeof(wchar_t) + SERVICE_NAME_SIZE];
    swprintf(account, sizeof account / sizeof *account, L"%ls%ls", SERVICE_ACCOUNT_PREFIX, name);
    SC_HANDLE service = CreateServiceW(manager, name, display_name, SERVICE_ALL_ACCESS,
                                       SERVICE_WIN32_OWN_PROCESS, SERVICE_AUTO_START,
                                       SERVICE_ERROR_NORMAL, line, NULL, NULL, NULL, account, NULL);
    if (service == NULL)
        return setup_fail(error, EXIT_CODE_CANNOT_CREATE, "cannot create the service",
                          GetLastError());
    int result = setup_run(service, name, path, error);
    if (result != 0) {
        DeleteService(service);
        event_source_remove(name);
    }
    CloseServiceHandle(service);
    return result;
}

int service_create(const wchar_t *name, const wchar_t *display_name, char *const *arguments,
                   struct error *error)
{
    int result = -1;
    wchar_t *path = own_path(error);
    wchar_t *line = path == NULL ? NULL : make_line(path, arguments, error);
    SC_HANDLE manager = line == NULL ? NULL : OpenSCManagerW(NULL, NULL, SC_MANAGER_CREATE_SERVICE);
    if (manager != NULL)
        result = setup_create(manager, name, display_name, path, line, error);
    else if (line != NULL)
        setup_fail(error, EXIT_CODE_CANNOT_CREATE, "cannot create a service", GetLastError());
    if (manager != NULL)
        CloseServiceHandle(manager);
    free(line);
    free(path);
    return result;
}

/* --- removing a service ----------------------------------------------------------------------- */

static int check_own(SC_HANDLE service, struct error *error)
{
    DWORD size = 0;
    QueryServiceConfigW(service, NULL, 0, &size);
    QUERY_SERVICE_CONFIGW *config = malloc(size);
    bool known = config != NULL && QueryServiceConfigW(service, config, size, &size);
    DWORD reason = GetLastError();
    bool own = known && wcsstr(config->lpBinaryPathName, own_words) != NULL;
    free(config);
    if (!known)
        return setup_fail(error, EXIT_CODE_IO, "cannot read the service's configuration", reason);
    if (!own)
        error_set(error, EXIT_CODE_USAGE, "this service does not belong to sluice; not removed");
    return own ? 0 : -1;
}

/*
 * Requests the stop if the service runs, and waits until it has stopped. Gives up if the service
 * reports no progress for PATIENCE_MS.
 */
static int setup_stop(SC_HANDLE service, struct error *error)
{
    SERVICE_STATUS_PROCESS now;
    DWORD state = 0;
    DWORD checkpoint = 0;
    DWORD size;
    ULONGLONG deadline = 0;
    while (QueryServiceStatusEx(service, SC_STATUS_PROCESS_INFO, (BYTE *)&now, sizeof now, &size)) {
        SERVICE_STATUS unused;
        if (now.dwCurrentState == SERVICE_STOPPED)
            return 0;
        if (now.dwCurrentState != state || now.dwCheckPoint != checkpoint)
            deadline = GetTickCount64() + PATIENCE_MS;
        if (GetTickCount64() >= deadline) {
            error_set(error, EXIT_CODE_IO, "the service does not stop; not removed");
            return -1;
        }
        state = now.dwCurrentState;
        checkpoint = now.dwCheckPoint;
        if (state == SERVICE_RUNNING)
            ControlService(service, SERVICE_CONTROL_STOP, &unused);
        Sleep(LOOK_MS);
    }
    return setup_fail(error, EXIT_CODE_IO, "cannot check whether the service has stopped",
                      GetLastError());
}

static int stop_and_delete(SC_HANDLE service, const wchar_t *name, struct error *error)
{
    if (check_own(service, error) != 0 || setup_stop(service, error) != 0)
        return -1;
    if (!DeleteService(service))
        return setup_fail(error, EXIT_CODE_IO, "cannot remove the service", GetLastError());
    LSTATUS result = event_source_remove(name);
    if (result != ERROR_SUCCESS)
        return setup_fail(error, EXIT_CODE_IO,
                          "the service is removed, but it is still registered with the event log",
                          (DWORD)result);
    return 0;
}

int service_delete(const wchar_t *name, struct error *error)
{
    const DWORD access = SERVICE_QUERY_CONFIG | SERVICE_QUERY_STATUS | SERVICE_STOP | DELETE;
    SC_HANDLE manager = OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT);
    SC_HANDLE service = manager == NULL ? NULL : OpenServiceW(manager, name, access);
    int result = -1;
    if (service == NULL)
        setup_fail(error, EXIT_CODE_IO, "cannot remove the service", GetLastError());
    else
        result = stop_and_delete(service, name, error);
    if (service != NULL)
        CloseServiceHandle(service);
    if (manager != NULL)
        CloseServiceHandle(manager);
    return result;
}
