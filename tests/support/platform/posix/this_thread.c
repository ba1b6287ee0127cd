#include "tests/support/platform/this_thread.h"

#include <pthread.h>

uintptr_t this_thread(void)
{
    return (uintptr_t)pthread_self();
}
