/* collector/platform/thread.h on POSIX threads. */
#include "collector/platform/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct thread {
    pthread_t id;
    void (*run)(void *);
    void *argument;
    char name[16];
};

struct mutex {
    pthread_mutex_t lock;
};

static void *thread_main(void *argument)
{
    struct thread *thread = argument;
    pthread_setname_np(pthread_self(), thread->name);
    thread->run(thread->argument);
    return NULL;
}

int thread_start(struct thread **out, const char *name, void (*run)(void *), void *argument,
                 struct error *error)
{
    struct thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a thread");
        return -1;
    }
    thread->run = run;
    thread->argument = argument;
    strncpy(thread->name, name, sizeof thread->name - 1);

    /* Signals are for the main thread: a new thread inherits a full mask. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&thread->id, NULL, thread_main, thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result != 0) {
        error_set(error, EXIT_CODE_INTERNAL, "cannot start a thread: %s", strerror(result));
        free(thread);
        return -1;
    }
    *out = thread;
    return 0;
}

void thread_join(struct thread *thread)
{
    if (thread == NULL)
        return;
    pthread_join(thread->id, NULL);
    free(thread);
}

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

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_monotonic_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

int64_t clock_wall_ns(void)
{
    return clock_ns(CLOCK_REALTIME);
}
