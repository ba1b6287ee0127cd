#include "tests/integration/service/service_manager.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/windows/command_line.h"
#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/text.h"
#include "collector/program/windows/event_log.h"
#include "tests/support/platform/scratch_directory.h"

#define PATIENCE_MS 30000
#define LOOK_MS     10

static void require(bool good, const char *what)
{
    if (!good)
        fail_msg("%s: %s", what, system_error(GetLastError()).text);
}

/* --- sluice ----------------------------------------------------------------------------------- */

/* Opens a file that a program can inherit as its stderr. */
static HANDLE open_stderr(void)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    wchar_t *path = text_wide_copy(scratch_path("stderr"));
    assert_non_null(path);
    HANDLE file = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ, &inherited,
                              CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    free(path);
    require(file != INVALID_HANDLE_VALUE, "stderr");
    return file;
}

static void read_lines(HANDLE file, char lines[LINES_SIZE])
{
    DWORD size = 0;
    SetFilePointer(file, 0, NULL, FILE_BEGIN);
    require(ReadFile(file, lines, LINES_SIZE - 1, &size, NULL), "reading stderr");
    lines[size] = '\0';
}

static PROCESS_INFORMATION start(const char *const *words, HANDLE errors)
{
    const char *all[32] = {TEST_SLUICE};
    for (size_t i = 0; words[i] != NULL; i++) {
        assert_in_range(i, 0, 29);
        all[i + 1] = words[i];
    }
    wchar_t *line = command_line_of(all);
    wchar_t *folder = text_wide_copy(scratch_path(""));
    STARTUPINFOW streams = {
        .cb = sizeof streams, .dwFlags = STARTF_USESTDHANDLES, .hStdError = errors};
    PROCESS_INFORMATION process;
    assert_non_null(line);
    assert_non_null(folder);
    require(CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, folder, &streams, &process),
            "starting sluice");
    free(folder);
    free(line);
    return process;
}

struct ended run_sluice(const char *const *words)
{
    struct ended ended;
    HANDLE errors = open_stderr();
    PROCESS_INFORMATION process = start(words, errors);
    bool in_time = WaitForSingleObject(process.hProcess, PATIENCE_MS) == WAIT_OBJECT_0;
    if (!in_time)
        TerminateProcess(process.hProcess, 1);
    assert_true(GetExitCodeProcess(process.hProcess, &ended.code));
    CloseHandle(process.hProcess);
    CloseHandle(process.hThread);
    read_lines(errors, ended.lines);
    CloseHandle(errors);
    if (!in_time)
        fail_msg("sluice does not end; it has said: %s", ended.lines);
    return ended;
}

/* --- the manager ------------------------------------------------------------------------------ */

const char *service_name(void)
{
    static char name[40];
    snprintf(name, sizeof name, "sluice-test-%lu", GetCurrentProcessId());
    return name;
}

const wchar_t *service_wide_name(void)
{
    static wchar_t name[40];
    assert_true(text_to_wide(service_name(), name, 40));
    return name;
}

SC_HANDLE service_open(void)
{
    SC_HANDLE manager = OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT);
    require(manager != NULL, "the service manager");
    SC_HANDLE service = OpenServiceW(manager, service_wide_name(), SERVICE_ALL_ACCESS);
    require(service != NULL || GetLastError() == ERROR_SERVICE_DOES_NOT_EXIST, "the service");
    CloseServiceHandle(manager);
    return service;
}

QUERY_SERVICE_CONFIGW *service_config(void)
{
    DWORD size = 0;
    SC_HANDLE service = service_open();
    assert_non_null(service);
    QueryServiceConfigW(service, NULL, 0, &size);
    QUERY_SERVICE_CONFIGW *config = malloc(size);
    assert_non_null(config);
    require(QueryServiceConfigW(service, config, size, &size), "the configuration");
    CloseServiceHandle(service);
    return config;
}

void service_start(void)
{
    SC_HANDLE service = service_open();
    assert_non_null(service);
    require(StartServiceW(service, 0, NULL), "starting the service");
    CloseServiceHandle(service);
}

DWORD service_order(DWORD control)
{
    SERVICE_STATUS status;
    SC_HANDLE service = service_open();
    assert_non_null(service);
    DWORD result = ControlService(service, control, &status) ? NO_ERROR : GetLastError();
    CloseServiceHandle(service);
    return result;
}

static SERVICE_STATUS_PROCESS status_of(SC_HANDLE service)
{
    SERVICE_STATUS_PROCESS status;
    DWORD size;
    require(QueryServiceStatusEx(service, SC_STATUS_PROCESS_INFO, (BYTE *)&status, sizeof status,
                                 &size),
            "the status");
    return status;
}

SERVICE_STATUS_PROCESS service_await(DWORD state)
{
    SC_HANDLE service = service_open();
    assert_non_null(service);
    ULONGLONG begun = GetTickCount64();
    SERVICE_STATUS_PROCESS status = status_of(service);
    while (status.dwCurrentState != state && GetTickCount64() - begun < PATIENCE_MS) {
        Sleep(LOOK_MS);
        status = status_of(service);
    }
    CloseServiceHandle(service);
    if (status.dwCurrentState != state)
        fail_msg("the service's state is %lu, not %lu; exit codes %lu, %lu", status.dwCurrentState,
                 state, status.dwWin32ExitCode, status.dwServiceSpecificExitCode);
    return status;
}

static void remove_service(void)
{
    SERVICE_STATUS status;
    SC_HANDLE service = service_open();
    if (service != NULL) {
        if (ControlService(service, SERVICE_CONTROL_STOP, &status))
            service_await(SERVICE_STOPPED);
        DeleteService(service);
        CloseServiceHandle(service);
    }
    event_source_remove(service_wide_name());
}

/* Removes the service first, because an earlier process with the same id may have left it. */
int service_set_up(void **state)
{
    remove_service();
    return scratch_make(state);
}

int service_clean_up(void **state)
{
    remove_service();
    return scratch_remove(state);
}
