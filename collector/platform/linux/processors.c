/* Implements the processors of collector/platform/thread.h with sched_setaffinity(2). */
#include "collector/platform/thread.h"

#include <sched.h>

bool processor_is_ours(unsigned number)
{
    cpu_set_t ours;
    return number < CPU_SETSIZE && sched_getaffinity(0, sizeof ours, &ours) == 0 &&
           CPU_ISSET(number, &ours);
}

bool processor_stay_on(unsigned number)
{
    cpu_set_t one;
    if (number >= CPU_SETSIZE)
        return false;
    CPU_ZERO(&one);
    CPU_SET(number, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}
