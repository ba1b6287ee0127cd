/* Implements struct thread with Windows' threads. */
#include "collector/platform/thread.h"

#include <errno.h>
#include <process.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/base/rule.h"
#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/text.h"

struct thread {
    HANDLE handle;
    void (*run)(void *);
    void *argument;
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

static unsigned __stdcall thread_main(void *argument)
{
    struct thread *thread = argument;
    thread->run(thread->argument);
    thread_give_up(thread);
    return 0;
}

/*
 * Sets the name that debuggers show, if the system has SetThreadDescription (from Windows 10,
 * version 1607).
 */
static void name_thread(HANDLE handle, const char *name)
{
    typedef HRESULT(WINAPI describe_function)(HANDLE, PCWSTR);
    wchar_t wide[16];
    FARPROC found = GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "SetThreadDescription");
    describe_function *describe;
    memcpy(&describe, &found, sizeof describe);
    if (describe != NULL && text_to_wide(name, wide, 16))
        describe(handle, wide);
}

int thread_start(struct thread **out, const char *name, void (*run)(void *), void *argument,
                 struct error *error)
{
    RULE(strlen(name) < 16, "a thread's name fits into 15 bytes");
    struct thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a thread");
        return -1;
    }
    thread->run = run;
    thread->argument = argument;
    atomic_init(&thread->given_up, false);
    thread->handle = (HANDLE)_beginthreadex(NULL, 0, thread_main, thread, 0, NULL);
    if (thread->handle == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "cannot start a thread: %s", strerror(errno));
        free(thread);
        return -1;
    }
    name_thread(thread->handle, name);
    *out = thread;
    return 0;
}

void thread_join(struct thread *thread)
{
    if (thread == NULL)
        return;
    RULE(GetThreadId(thread->handle) != GetCurrentThreadId(), "a thread does not join itself");
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
    free(thread);
}

void thread_leave(struct thread *thread)
{
    if (thread == NULL)
        return;
    CloseHandle(thread->handle);
    thread_give_up(thread);
}
