/*
 * Shared by the files that open files: paths and times in the system's form, and the sharing of
 * open files. Only for platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_FILE_ACCESS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_FILE_ACCESS_H

#include <stdint.h>
#include <wchar.h>
#include <windows.h>

/* Other programs may read, write, rename and remove our open files, as on other systems. */
#define FILE_SHARE_ALL ((DWORD)(FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE))

/*
 * Returns the path in UTF-16, which the caller frees (free); NULL with GetLastError(): the path is
 * not UTF-8, or memory is short. Most calls accept at most 260 characters (for folders 248) unless
 * a path begins with "\\?\". A path whose full form is longer is replaced by its full form with
 * that prefix; so a caller that measures positions of names in a path does that before this call.
 */
wchar_t *file_access_path(const char *path);

/* Converts a FILETIME to nanoseconds since 1970 UTC. */
static inline int64_t file_access_time_ns(FILETIME time)
{
    uint64_t ticks = (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
    return ((int64_t)ticks - INT64_C(116444736000000000)) * 100;
}

#endif
