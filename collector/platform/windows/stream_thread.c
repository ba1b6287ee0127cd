#include "collector/platform/windows/stream_thread.h"

#include <process.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/windows/console.h"
#include "collector/platform/windows/pipe_state.h"
#include "collector/platform/windows/system_error.h"

/*
 * The most bytes of one write to a pipe. Every pipe accepts this number whole or not at all, so
 * that the accepted part of a cancelled write is known.
 */
#define PIECE_SIZE 4096

/* Milliseconds between two checks whether a pipe's reader has closed. */
#define LOOK_MS 500

/* Milliseconds between two attempts on a full pipe that does not wait (PIPE_NOWAIT). */
#define FULL_MS 10

/* Milliseconds to wait for a cancelled write to end, and between two requests to cancel it. */
#define CANCEL_MS       100
#define CANCEL_AGAIN_MS 5

struct stream_thread {
    HANDLE stream;
    bool owned;
    bool console;
    HANDLE thread;
    HANDLE begun; /* set by the owner, reset by the thread */
    HANDLE io;    /* the event of `overlapped` */
    OVERLAPPED overlapped;
    struct wait_source source;
    _Atomic bool ending; /* the running write must end */
    _Atomic bool leaving;
    _Atomic int holders; /* the thread and its owner; the last one frees the memory */
    bool used;           /* only the owner uses it */
    _Atomic size_t accepted;

    /* The bytes to write; `lock` protects these members while a write runs. */
    SRWLOCK lock;
    size_t size;
    bool closed; /* no more bytes can be added */

    /*
     * The owner uses these members while `writable` is set, otherwise the thread does. While the
     * thread writes, the owner may only append to `bytes`.
     */
    DWORD failure;
    char bytes[STREAM_THREAD_ROOM];
};

static void let_go(struct stream_thread *thread)
{
    if (atomic_fetch_sub(&thread->holders, 1) != 1)
        return;
    if (thread->owned)
        CloseHandle(thread->stream);
    HANDLE const handles[] = {thread->thread, thread->begun, thread->io, thread->source.writable,
                              thread->source.broken};
    for (size_t i = 0; i < sizeof handles / sizeof handles[0]; i++)
        if (handles[i] != NULL)
            CloseHandle(handles[i]);
    free(thread);
}

/* --- the thread ------------------------------------------------------------------------------- */

bool stream_failure_is_end(DWORD failure)
{
    static const DWORD ends[] = {
        ERROR_BROKEN_PIPE,         ERROR_NO_DATA,
        ERROR_PIPE_NOT_CONNECTED,  ERROR_NETNAME_DELETED,
        ERROR_GRACEFUL_DISCONNECT, ERROR_CONNECTION_ABORTED,
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (failure == ends[i])
            return true;
    return false;
}

/*
 * Writes and waits, even if the handle was opened for overlapped operations, as sockets are.
 * Returns 0, or the system's error number.
 */
static DWORD write_piece(struct stream_thread *thread, const char *bytes, DWORD size,
                         DWORD *written)
{
    thread->overlapped = (OVERLAPPED){.hEvent = thread->io};
    if (WriteFile(thread->stream, bytes, size, written, &thread->overlapped))
        return 0;
    DWORD failure = GetLastError();
    if (failure != ERROR_IO_PENDING)
        return failure;
    return GetOverlappedResult(thread->stream, &thread->overlapped, written, TRUE) ? 0
                                                                                   : GetLastError();
}

static DWORD write_some(struct stream_thread *thread, const char *bytes, size_t size,
                        DWORD *written)
{
    size_t piece = size < PIECE_SIZE ? size : PIECE_SIZE;
    if (!thread->console)
        return write_piece(thread, bytes, (DWORD)piece, written);
    piece = console_whole(bytes, piece);
    DWORD failure = console_write(thread->stream, bytes, piece);
    *written = failure == 0 ? (DWORD)piece : 0;
    return failure;
}

/*
 * Returns the number of bytes to write. If `done` bytes are all, or `over` is true, no bytes can be
 * added after this.
 */
static size_t size_so_far(struct stream_thread *thread, size_t done, bool over)
{
    AcquireSRWLockExclusive(&thread->lock);
    size_t size = thread->size;
    thread->closed = over || done == size;
    ReleaseSRWLockExclusive(&thread->lock);
    return size;
}

static void write_all(struct stream_thread *thread)
{
    size_t done = 0;
    bool over = atomic_load(&thread->ending);
    size_t size = size_so_far(thread, done, over);
    while (done < size && !over) {
        DWORD written = 0;
        thread->failure = write_some(thread, thread->bytes + done, size - done, &written);
        done += written;
        atomic_store(&thread->accepted, done);
        over = thread->failure != 0 || atomic_load(&thread->ending);
        if (written == 0 && !over)
            Sleep(FULL_MS);
        size = size_so_far(thread, done, over);
    }
    if (stream_failure_is_end(thread->failure))
        SetEvent(thread->source.broken);
}

/* Between writes, checks whether the reader has closed, if the system reports that. */
static unsigned __stdcall stream_thread_run(void *argument)
{
    struct stream_thread *thread = argument;
    DWORD look_ms = LOOK_MS;
    while (!atomic_load(&thread->leaving)) {
        DWORD waited = WaitForSingleObject(thread->begun, look_ms);
        if (waited == WAIT_FAILED) {
            Sleep(1); /* the wait failed, so no write is assumed to have begun */
        } else if (waited == WAIT_TIMEOUT) {
            enum pipe_state state = pipe_state(thread->stream);
            if (state == PIPE_LEFT)
                SetEvent(thread->source.broken);
            if (state != PIPE_READ)
                look_ms = INFINITE;
        } else if (!atomic_load(&thread->leaving)) {
            write_all(thread);
            SetEvent(thread->source.writable);
        }
    }
    let_go(thread);
    return 0;
}

/* --- functions for the thread's owner --------------------------------------------------------- */

static bool make_handles(struct stream_thread *thread)
{
    thread->begun = CreateEventW(NULL, FALSE, FALSE, NULL);
    thread->io = CreateEventW(NULL, TRUE, FALSE, NULL);
    thread->source.writable = CreateEventW(NULL, TRUE, TRUE, NULL);
    thread->source.broken = CreateEventW(NULL, TRUE, FALSE, NULL);
    if (thread->begun == NULL || thread->io == NULL || thread->source.writable == NULL ||
        thread->source.broken == NULL)
        return false;
    atomic_store(&thread->holders, 2);
    thread->thread = (HANDLE)_beginthreadex(NULL, 0, stream_thread_run, thread, 0, NULL);
    if (thread->thread == NULL)
        atomic_store(&thread->holders, 1);
    return thread->thread != NULL;
}

int stream_thread_create(HANDLE stream, bool owned, struct stream_thread **out, struct error *error)
{
    struct stream_thread *thread = calloc(1, sizeof *thread);
    if (thread == NULL) {
        if (owned)
            CloseHandle(stream);
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a thread that writes");
        return -1;
    }
    thread->stream = stream;
    thread->owned = owned;
    thread->console = console_is(stream);
    thread->closed = true;
    InitializeSRWLock(&thread->lock);
    atomic_init(&thread->holders, 1);
    if (!make_handles(thread)) {
        error_set(error, EXIT_CODE_INTERNAL, "cannot start a thread that writes");
        let_go(thread);
        return -1;
    }
    *out = thread;
    return 0;
}

bool stream_thread_is_used(const struct stream_thread *thread)
{
    return thread->used;
}

bool stream_thread_wait(struct stream_thread *thread, DWORD wait_ms)
{
    return WaitForSingleObject(thread->source.writable, wait_ms) == WAIT_OBJECT_0;
}

void stream_thread_begin(struct stream_thread *thread, const void *bytes, size_t size)
{
    size_t taken = size < STREAM_THREAD_ROOM ? size : STREAM_THREAD_ROOM;
    if (thread->console)
        taken = console_whole(bytes, taken);
    memcpy(thread->bytes, bytes, taken);
    thread->size = taken;
    thread->closed = false;
    thread->failure = 0;
    thread->used = true;
    atomic_store(&thread->accepted, 0);
    atomic_store(&thread->ending, false);
    ResetEvent(thread->source.writable);
    SetEvent(thread->begun);
}

bool stream_thread_add(struct stream_thread *thread, const void *bytes, size_t size)
{
    AcquireSRWLockExclusive(&thread->lock);
    bool room = !thread->closed && size <= STREAM_THREAD_ROOM - thread->size;
    if (room) {
        memcpy(thread->bytes + thread->size, bytes, size);
        thread->size += size;
    }
    ReleaseSRWLockExclusive(&thread->lock);
    return room;
}

bool stream_thread_is_ending(struct stream_thread *thread)
{
    AcquireSRWLockExclusive(&thread->lock);
    bool closed = thread->closed;
    ReleaseSRWLockExclusive(&thread->lock);
    return closed;
}

struct stream_outcome stream_thread_take(struct stream_thread *thread)
{
    thread->used = false;
    return (struct stream_outcome){atomic_load(&thread->accepted), thread->failure};
}

/*
 * Cancels the running write. Returns false if it does not end in time. The request is repeated,
 * because the thread may be between two pieces or about to begin one.
 */
static bool cancel(struct stream_thread *thread)
{
    ULONGLONG until = GetTickCount64() + CANCEL_MS;
    atomic_store(&thread->ending, true);
    while (!stream_thread_wait(thread, 0)) {
        CancelSynchronousIo(thread->thread);
        CancelIoEx(thread->stream, &thread->overlapped); /* for an overlapped handle */
        if (!stream_thread_wait(thread, CANCEL_AGAIN_MS) && GetTickCount64() >= until)
            return false;
    }
    return true;
}

size_t stream_thread_cancel(struct stream_thread *thread)
{
    cancel(thread);
    thread->used = false;
    return atomic_load(&thread->accepted);
}

const struct wait_source *stream_thread_source(const struct stream_thread *thread)
{
    return &thread->source;
}

void stream_thread_destroy(struct stream_thread *thread)
{
    if (thread == NULL)
        return;
    atomic_store(&thread->leaving, true);
    if (cancel(thread)) {
        SetEvent(thread->begun);
        /* The thread may be waiting in pipe_state for a write of another process. */
        WaitForSingleObject(thread->thread, CANCEL_MS);
    }
    let_go(thread);
}
