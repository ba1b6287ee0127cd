#include <windows.h>

#include <psapi.h> /* needs windows.h, but does not include it */

#include "collector/platform/process.h"

/* Seconds from 1601, where FILETIME begins, to 1970. */
#define SECONDS_BEFORE_1970 11644473600.0

static double file_time_seconds(const FILETIME *time)
{
    ULARGE_INTEGER units = {.LowPart = time->dwLowDateTime, .HighPart = time->dwHighDateTime};
    return (double)units.QuadPart / 1e7;
}

/*
 * Windows has no meaningful size of the address space, so virtual_bytes is the committed memory.
 * Open files are handles of any kind. Both have no limit.
 */
bool process_usage_read(struct process_usage *usage)
{
    FILETIME created, ended, kernel, user;
    PROCESS_MEMORY_COUNTERS memory = {.cb = sizeof memory};
    DWORD handles = 0;
    HANDLE process = GetCurrentProcess();
    if (!GetProcessTimes(process, &created, &ended, &kernel, &user) ||
        !K32GetProcessMemoryInfo(process, &memory, sizeof memory) ||
        !GetProcessHandleCount(process, &handles))
        return false;
    *usage = (struct process_usage){
        .processor_seconds = file_time_seconds(&kernel) + file_time_seconds(&user),
        .started_seconds = file_time_seconds(&created) - SECONDS_BEFORE_1970,
        .resident_bytes = memory.WorkingSetSize,
        .virtual_bytes = memory.PagefileUsage,
        .virtual_bytes_most = USAGE_UNLIMITED,
        .open_files = handles,
        .open_files_most = USAGE_UNLIMITED,
    };
    return true;
}
