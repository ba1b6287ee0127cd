/*
 * Implements the processors of collector/platform/thread.h with thread affinity, within the
 * process's processor group.
 */
#include "collector/platform/thread.h"

#include <windows.h>

static DWORD_PTR mask_of(unsigned number)
{
    return number < 8 * sizeof(DWORD_PTR) ? (DWORD_PTR)1 << number : 0;
}

bool processor_is_ours(unsigned number)
{
    DWORD_PTR ours, all;
    return GetProcessAffinityMask(GetCurrentProcess(), &ours, &all) &&
           (ours & mask_of(number)) != 0;
}

bool processor_stay_on(unsigned number)
{
    return mask_of(number) != 0 && SetThreadAffinityMask(GetCurrentThread(), mask_of(number)) != 0;
}
