#include "tests/support/platform/this_thread.h"

#include <windows.h>

uintptr_t this_thread(void)
{
    return GetCurrentThreadId();
}

void this_thread_yield(void)
{
    SwitchToThread();
}
