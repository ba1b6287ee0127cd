/*
 * Implements the clocks of collector/platform/clock.h with the performance counter and file times.
 */
#include "collector/platform/clock.h"

#include <windows.h>

int64_t clock_monotonic_ns(void)
{
    static LARGE_INTEGER frequency; /* all threads store the same value */
    LARGE_INTEGER now;
    if (frequency.QuadPart == 0)
        QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    int64_t seconds = now.QuadPart / frequency.QuadPart;
    int64_t rest = now.QuadPart % frequency.QuadPart;
    return clock_monotonic_ns_of(seconds, rest * 1000000000 / frequency.QuadPart);
}

/*
 * A file time counts units of 100 ns from 1601-01-01 UTC (FILETIME), which is 11644473600 s before
 * 1970.
 */
int64_t clock_wall_ns(void)
{
    FILETIME now;
    GetSystemTimePreciseAsFileTime(&now);
    int64_t ticks = (int64_t)((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime);
    ticks -= INT64_C(116444736000000000);
    return clock_wall_ns_of(ticks / 10000000, ticks % 10000000 * 100);
}
