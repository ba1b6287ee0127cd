/* collector/platform/thread.h on Windows' own threads, slim locks and performance counter. */
#include "collector/platform/thread.h"

#include <errno.h>
#include <process.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/windows/system_error.h"
#include "collector/platform/windows/text.h"

struct thread {
    HANDLE handle;
    void (*run)(void *);
    void *argument;
};

struct mutex {
    SRWLOCK lock;
};

static unsigned __stdcall thread_main(void *argument)
{
    struct thread *thread = argument;
    thread->run(thread->argument);
    return 0;
}

/* What debuggers show: SetThreadDescription, of Windows 10 (1607) and later, where it is there. */
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
    struct thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a thread");
        return -1;
    }
    thread->run = run;
    thread->argument = argument;
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
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
    free(thread);
}

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

int64_t clock_monotonic_ns(void)
{
    static LARGE_INTEGER frequency; /* the same in every thread that asks first */
    LARGE_INTEGER now;
    if (frequency.QuadPart == 0)
        QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&now);
    int64_t seconds = now.QuadPart / frequency.QuadPart;
    int64_t rest = now.QuadPart % frequency.QuadPart;
    return seconds * 1000000000 + rest * 1000000000 / frequency.QuadPart;
}

/* A file time counts 100 ns from 1601-01-01 UTC (FILETIME); 11644473600 s before 1970. */
int64_t clock_wall_ns(void)
{
    FILETIME now;
    GetSystemTimePreciseAsFileTime(&now);
    int64_t ticks = (int64_t)((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime);
    return (ticks - INT64_C(116444736000000000)) * 100;
}
