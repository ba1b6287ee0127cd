/* collector/platform/thread.h on Windows' slim locks. */
#include "collector/platform/thread.h"

#include <stdlib.h>
#include <windows.h>

struct mutex {
    SRWLOCK lock;
};

struct mutex *mutex_create(void)
{
    struct mutex *mutex = calloc(1, sizeof *mutex);
    if (mutex != NULL)
        InitializeSRWLock(&mutex->lock);
    return mutex;
}

void mutex_destroy(struct mutex *mutex)
{
    free(mutex);
}

void mutex_lock(struct mutex *mutex)
{
    AcquireSRWLockExclusive(&mutex->lock);
}

void mutex_unlock(struct mutex *mutex)
{
    ReleaseSRWLockExclusive(&mutex->lock);
}
