#include "tests/support/platform/this_thread.h"

#include <pthread.h>
#include <sched.h>

uintptr_t this_thread(void)
{
    return (uintptr_t)pthread_self();
}

void this_thread_yield(void)
{
    sched_yield();
}
