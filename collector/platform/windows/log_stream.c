/*
 * Implements standard error (collector/platform/process.h) for files, pipes and consoles. A file is
 * written directly; any other stream by a thread that waits for the reader. Usually the lines are
 * written when a call returns. Otherwise they are in transit, like lines in a pipe, and later lines
 * are added to them while the thread has room.
 */
#include "collector/platform/process.h"

#include <stdlib.h>

#include "collector/platform/windows/stream_thread.h"

/*
 * The time in milliseconds that a call waits for the write that it has begun. While a reader
 * stalls, only the first call waits.
 */
#define MOMENT_MS 5

/* The time in milliseconds to wait for lines in transit when the program ends. */
#define LAST_MOMENT_MS 500

/* The most bytes that a pipe accepts whole or not at all. */
#define WHOLE_SIZE 4096

/* Protected by `lock`. `thread` writes to written_by_thread; it exists from the first use on. */
static SRWLOCK lock = SRWLOCK_INIT;
static struct stream_thread *thread;
static HANDLE written_by_thread;

static DWORD left_ms(ULONGLONG until)
{
    ULONGLONG now = GetTickCount64();
    return now < until ? (DWORD)(until - now) : 0;
}

static void see_off(void)
{
    AcquireSRWLockExclusive(&lock);
    stream_thread_wait(thread, LAST_MOMENT_MS);
    ReleaseSRWLockExclusive(&lock);
}

/*
 * Makes the thread write to this handle. The handle changes only if standard error is redirected.
 */
static bool have_thread(HANDLE handle)
{
    struct stream_thread *made;
    struct error error;
    if (thread != NULL && handle == written_by_thread)
        return true;
    if (stream_thread_create(handle, false, &made, &error) != 0)
        return false;
    if (thread == NULL)
        atexit(see_off);
    stream_thread_destroy(thread);
    thread = made;
    written_by_thread = handle;
    return true;
}

/*
 * Passes the first part of the lines to the thread. Returns the size of that part, or 0 if the
 * thread has no room.
 */
static size_t hand_over(const char *lines, size_t size, ULONGLONG until)
{
    size_t most = size < STREAM_THREAD_ROOM ? size : STREAM_THREAD_ROOM;
    if (stream_thread_is_used(thread)) {
        if (stream_thread_add(thread, lines, most))
            return most;
        DWORD wait_ms = stream_thread_is_ending(thread) ? LAST_MOMENT_MS : left_ms(until);
        if (!stream_thread_wait(thread, wait_ms))
            return 0;
        stream_thread_take(thread); /* ignores the outcome of earlier lines */
    }
    stream_thread_begin(thread, lines, most);
    stream_thread_wait(thread, MOMENT_MS);
    return most;
}

static bool write_by_thread(const char *lines, size_t size, DWORD wait_ms)
{
    ULONGLONG until = GetTickCount64() + wait_ms;
    size_t part = 0;
    for (size_t done = 0; done < size; done += part) {
        part = hand_over(lines + done, size - done, until);
        if (part == 0)
            return false;
    }
    if (!stream_thread_wait(thread, left_ms(until)))
        return size <= WHOLE_SIZE;
    return stream_thread_take(thread).failure == 0;
}

static bool write_file(HANDLE file, const char *lines, size_t size)
{
    DWORD written;
    return WriteFile(file, lines, (DWORD)size, &written, NULL) && written == size;
}

/*
 * GetFileType would wait for a running write, so it is not called for a handle that the thread
 * writes to.
 */
bool log_stream_write(const char *lines, size_t size, int wait_ms)
{
    HANDLE handle = GetStdHandle(STD_ERROR_HANDLE);
    if (handle == NULL || handle == INVALID_HANDLE_VALUE)
        return false;
    AcquireSRWLockExclusive(&lock);
    bool is_file =
        !(thread != NULL && handle == written_by_thread) && GetFileType(handle) == FILE_TYPE_DISK;
    bool written = is_file ? write_file(handle, lines, size)
                           : have_thread(handle) && write_by_thread(lines, size, (DWORD)wait_ms);
    ReleaseSRWLockExclusive(&lock);
    return written;
}

/* A service writes to the event log instead, where the level is not part of the text. */
bool log_stream_is_journal(void)
{
    return false;
}
