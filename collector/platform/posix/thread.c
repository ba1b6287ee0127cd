/* Implements struct thread with POSIX threads. */
#include "collector/platform/thread.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"

/*
 * No function has a frame of more than 21 KB, and recursion is bounded: messages with a hundred
 * levels took 24 KiB. The default stack, usually 8 MiB, would count against memory limits.
 */
#define STACK_SIZE ((size_t)512 * 1024)

struct thread {
    pthread_t id;
    void (*run)(void *);
    void *argument;
    char name[16];
    /*
     * Set by the thread when it ends, and by thread_leave. The second of the two frees the thread.
     */
    atomic_bool given_up;
};

static void thread_give_up(struct thread *thread)
{
    if (atomic_exchange(&thread->given_up, true))
        free(thread);
}

static void *thread_main(void *argument)
{
    struct thread *thread = argument;
    pthread_setname_np(pthread_self(), thread->name);
    thread->run(thread->argument);
    thread_give_up(thread);
    return NULL;
}

static int thread_create(struct thread *thread)
{
    pthread_attr_t attributes;
    int result = pthread_attr_init(&attributes);
    if (result != 0)
        return result;
    result = pthread_attr_setstacksize(&attributes, STACK_SIZE);
    if (result == 0)
        result = pthread_create(&thread->id, &attributes, thread_main, thread);
    pthread_attr_destroy(&attributes);
    return result;
}

int thread_start(struct thread **out, const char *name, void (*run)(void *), void *argument,
                 struct error *error)
{
    RULE(strlen(name) < sizeof(struct thread){0}.name, "a thread's name fits into 15 bytes");
    struct thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a thread");
        return -1;
    }
    thread->run = run;
    thread->argument = argument;
    atomic_init(&thread->given_up, false);
    strncpy(thread->name, name, sizeof thread->name - 1);

    /*
     * A new thread inherits a full signal mask, because only the main thread handles signals.
     * SIGSYS stays unblocked: it reports a system call of the thread itself (platform/sandbox.h),
     * and would end the process if it were blocked.
     */
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSYS);
    int result = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (result == 0) {
        result = thread_create(thread);
        pthread_sigmask(SIG_SETMASK, &before, NULL); /* the main thread uses signalfd */
    }
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
    RULE(!pthread_equal(thread->id, pthread_self()), "a thread does not join itself");
    int result = pthread_join(thread->id, NULL);
    RULE(result == 0 && atomic_load(&thread->given_up), "a thread that is joined has ended");
    free(thread);
}

void thread_leave(struct thread *thread)
{
    if (thread == NULL)
        return;
    int result = pthread_detach(thread->id);
    RULE(result == 0, "a thread is joined or left, once");
    thread_give_up(thread);
}
