#include "tests/support/this_thread.h"

#include <windows.h>

uintptr_t this_thread(void)
{
    return GetCurrentThreadId();
}
