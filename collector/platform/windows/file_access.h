/*
 * What all that opens files has in common: paths and times as the system has them, and what others
 * may do to what is open.
 * Of platform/windows only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_FILE_ACCESS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_FILE_ACCESS_H

#include <stdint.h>
#include <wchar.h>
#include <windows.h>

/* Whoever opens a file of ours may read, write, rename and remove it, as on every other system. */
#define FILE_SHARE_ALL ((DWORD)(FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE))

/*
 * The path in UTF-16 and in memory of its own, freed by the caller (free); NULL with
 * GetLastError(): it is no UTF-8, or memory is short.
 *
 * Most calls take no more than 260 characters (and folders 248) unless a path begins with "\\?\".
 * One that would be longer in its full form becomes that form, with those before it; whoever
 * measures where names stand in a path does so before this.
 */
wchar_t *file_access_path(const char *path);

/* A FILETIME in nanoseconds since 1970 UTC. */
static inline int64_t file_access_time_ns(FILETIME time)
{
    uint64_t ticks = (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
    return ((int64_t)ticks - INT64_C(116444736000000000)) * 100;
}

#endif
