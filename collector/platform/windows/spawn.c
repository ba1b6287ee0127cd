#include "collector/platform/windows/spawn.h"

#include <stdlib.h>

#define STREAMS 3

static bool set_job_limits(HANDLE job, DWORD flags)
{
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {.BasicLimitInformation = {.LimitFlags = flags}};
    return SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
}

static bool has_console(void)
{
    DWORD one;
    return GetConsoleProcessList(&one, 1) != 0;
}

/* --- the streams ------------------------------------------------------------------------------ */

/* Returns an inheritable copy: the list of inherited handles must not contain a handle twice. */
static HANDLE inherited_copy(HANDLE handle, DWORD access)
{
    SECURITY_ATTRIBUTES inherited = {.nLength = sizeof inherited, .bInheritHandle = TRUE};
    HANDLE copy = INVALID_HANDLE_VALUE;
    HANDLE self = GetCurrentProcess();
    if (handle == NULL)
        return CreateFileW(L"NUL", access, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited,
                           OPEN_EXISTING, 0, NULL);
    if (!DuplicateHandle(self, handle, self, &copy, 0, TRUE, DUPLICATE_SAME_ACCESS))
        return INVALID_HANDLE_VALUE;
    return copy;
}

static void close_streams(HANDLE copies[STREAMS])
{
    DWORD reason = GetLastError();
    for (size_t i = 0; i < STREAMS; i++)
        if (copies[i] != INVALID_HANDLE_VALUE)
            CloseHandle(copies[i]);
    SetLastError(reason);
}

static bool copy_streams(const struct spawn_streams *streams, HANDLE copies[STREAMS])
{
    copies[0] = inherited_copy(streams->input, GENERIC_READ);
    copies[1] = inherited_copy(streams->output, GENERIC_WRITE);
    copies[2] = inherited_copy(streams->errors, GENERIC_WRITE);
    for (size_t i = 0; i < STREAMS; i++)
        if (copies[i] == INVALID_HANDLE_VALUE) {
            close_streams(copies);
            return false;
        }
    return true;
}

static LPPROC_THREAD_ATTRIBUTE_LIST create_list(HANDLE copies[STREAMS])
{
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(NULL, 1, 0, &size);
    LPPROC_THREAD_ATTRIBUTE_LIST list = malloc(size);
    if (list == NULL) {
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
        return NULL;
    }
    if (!InitializeProcThreadAttributeList(list, 1, 0, &size)) {
        free(list);
        return NULL;
    }
    if (UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, copies,
                                  STREAMS * sizeof *copies, NULL, NULL))
        return list;
    DeleteProcThreadAttributeList(list);
    free(list);
    return NULL;
}

static void destroy_list(LPPROC_THREAD_ATTRIBUTE_LIST list)
{
    DWORD reason = GetLastError();
    DeleteProcThreadAttributeList(list);
    free(list);
    SetLastError(reason);
}

/* --- starting --------------------------------------------------------------------------------- */

static bool create_process(const wchar_t *path, wchar_t *command_line, HANDLE copies[STREAMS],
                           PROCESS_INFORMATION *made)
{
    LPPROC_THREAD_ATTRIBUTE_LIST list = create_list(copies);
    if (list == NULL)
        return false;
    STARTUPINFOEXW startup = {
        .StartupInfo =
            {
                .cb = sizeof startup,
                .dwFlags = STARTF_USESTDHANDLES,
                .hStdInput = copies[0],
                .hStdOutput = copies[1],
                .hStdError = copies[2],
            },
        .lpAttributeList = list,
    };
    DWORD flags = CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP | EXTENDED_STARTUPINFO_PRESENT |
                  (has_console() ? 0 : CREATE_NO_WINDOW);
    bool good = CreateProcessW(path, command_line, NULL, NULL, TRUE, flags, NULL, NULL,
                               &startup.StartupInfo, made);
    destroy_list(list);
    return good;
}

/*
 * Assigns the program to its job before it runs, so that its child processes are in the job, too.
 */
static bool start_in_job(const PROCESS_INFORMATION *made, HANDLE job)
{
    if (AssignProcessToJobObject(job, made->hProcess) && ResumeThread(made->hThread) != (DWORD)-1)
        return true;
    DWORD reason = GetLastError();
    TerminateProcess(made->hProcess, SPAWN_ENDED_CODE);
    SetLastError(reason);
    return false;
}

static bool create_in_job(const wchar_t *path, wchar_t *command_line, HANDLE copies[STREAMS],
                          struct spawned *spawned)
{
    PROCESS_INFORMATION made;
    if (!set_job_limits(spawned->job, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE) ||
        !create_process(path, command_line, copies, &made))
        return false;
    bool good = start_in_job(&made, spawned->job);
    DWORD reason = GetLastError();
    CloseHandle(made.hThread);
    if (!good)
        CloseHandle(made.hProcess);
    spawned->process = made.hProcess;
    spawned->id = made.dwProcessId;
    SetLastError(reason);
    return good;
}

bool spawn(const wchar_t *path, wchar_t *command_line, const struct spawn_streams *streams,
           struct spawned *spawned)
{
    HANDLE copies[STREAMS];
    spawned->job = CreateJobObjectW(NULL, NULL);
    if (spawned->job == NULL)
        return false;
    bool good = copy_streams(streams, copies);
    if (good) {
        good = create_in_job(path, command_line, copies, spawned);
        close_streams(copies);
    }
    if (!good) {
        DWORD reason = GetLastError();
        CloseHandle(spawned->job);
        SetLastError(reason);
    }
    return good;
}

/* --- ending ----------------------------------------------------------------------------------- */

void spawned_ask(const struct spawned *spawned)
{
    if (has_console())
        GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, spawned->id);
}

void spawned_end(const struct spawned *spawned)
{
    TerminateJobObject(spawned->job, SPAWN_ENDED_CODE);
}

void spawned_release(struct spawned *spawned)
{
    set_job_limits(spawned->job, 0);
    CloseHandle(spawned->job);
    CloseHandle(spawned->process);
}
