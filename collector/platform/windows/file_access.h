/*
 * Converts paths and times for the calls that open files, and defines how open files are shared.
 * Only for platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_FILE_ACCESS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_FILE_ACCESS_H

#include <stdint.h>
#include <wchar.h>
#include <windows.h>

/* Lets other programs read, write, rename and remove open files, as on other systems. */
#define FILE_SHARE_ALL ((DWORD)(FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE))

/*
 * Returns the path in UTF-16, which the caller frees (free), or NULL with GetLastError() if it is
 * not UTF-8 or if memory is short. Most calls accept at most 260 characters (248 for folders)
 * unless a path begins with "\\?\". If the full form of the path is longer, returns the full
 * form with that prefix, so positions of names in the path must be found before this call.
 */
wchar_t *file_access_path(const char *path);

/* Converts a FILETIME to nanoseconds since 1970 UTC. */
static inline int64_t file_access_time_ns(FILETIME time)
{
    uint64_t ticks = (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
    return ((int64_t)ticks - INT64_C(116444736000000000)) * 100;
}

#endif
