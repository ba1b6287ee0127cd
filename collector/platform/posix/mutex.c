/* collector/platform/thread.h on POSIX threads. */
#include "collector/platform/thread.h"

#include <pthread.h>
#include <stdlib.h>

struct mutex {
    pthread_mutex_t lock;
};

struct mutex *mutex_create(void)
{
    struct mutex *mutex = calloc(1, sizeof *mutex);
    if (mutex != NULL)
        pthread_mutex_init(&mutex->lock, NULL);
    return mutex;
}

void mutex_destroy(struct mutex *mutex)
{
    if (mutex == NULL)
        return;
    pthread_mutex_destroy(&mutex->lock);
    free(mutex);
}

void mutex_lock(struct mutex *mutex)
{
    pthread_mutex_lock(&mutex->lock);
}

void mutex_unlock(struct mutex *mutex)
{
    pthread_mutex_unlock(&mutex->lock);
}
