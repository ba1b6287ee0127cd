#include "collector/platform/windows/level_thread.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <windows.h>

#include "collector/base/rule.h"
#include "collector/platform/thread.h"
#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/wait_source.h"

struct level_thread {
    void (*wait)(void *context);
    void *context;
    struct thread *thread;
    HANDLE begun; /* set by the owner, reset by the thread */
    struct wait_source source;
    bool running; /* only the owner uses it */
    _Atomic bool leaving;
};

static void level_thread_run(void *argument)
{
    struct level_thread *thread = argument;
    for (;;) {
        if (WaitForSingleObject(thread->begun, INFINITE) == WAIT_FAILED)
            Sleep(1);
        if (atomic_load(&thread->leaving))
            return;
        thread->wait(thread->context);
        SetEvent(thread->source.readable);
    }
}

static void close_events(struct level_thread *thread)
{
    if (thread->begun != NULL)
        CloseHandle(thread->begun);
    if (thread->source.readable != NULL)
        CloseHandle(thread->source.readable);
    free(thread);
}

int level_thread_start(struct level_thread **out, void (*wait)(void *context), void *context,
                       struct error *error)
{
    struct level_thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL)
        return error_no_memory(error);
    thread->wait = wait;
    thread->context = context;
    thread->begun = CreateEventW(NULL, FALSE, FALSE, NULL);
    thread->source.readable = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (thread->begun == NULL || thread->source.readable == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "cannot create an event: %s",
                  system_error(GetLastError()).text);
    } else if (thread_start(&thread->thread, "levels", level_thread_run, thread, error) == 0) {
        *out = thread;
        return 0;
    }
    close_events(thread);
    return -1;
}

void level_thread_begin(struct level_thread *thread)
{
    RULE(!thread->running, "a thread carries out one wait at a time");
    thread->running = true;
    SetEvent(thread->begun);
}

bool level_thread_is_running(const struct level_thread *thread)
{
    return thread->running;
}

bool level_thread_ended(struct level_thread *thread, int timeout_ms)
{
    RULE(thread->running, "a wait that was begun ends");
    DWORD found =
        WaitForSingleObject(thread->source.readable, timeout_ms < 0 ? INFINITE : (DWORD)timeout_ms);
    if (found != WAIT_OBJECT_0)
        return false;
    ResetEvent(thread->source.readable);
    thread->running = false;
    return true;
}

wait_handle level_thread_handle(const struct level_thread *thread)
{
    return wait_source_handle(&thread->source);
}

void level_thread_destroy(struct level_thread *thread)
{
    if (thread == NULL)
        return;
    atomic_store(&thread->leaving, true);
    SetEvent(thread->begun);
    thread_join(thread->thread);
    close_events(thread);
}
