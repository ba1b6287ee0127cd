#include "tests/support/platform/this_thread.h"

#include <windows.h>

uintptr_t this_thread(void)
{
    return GetCurrentThreadId();
}
