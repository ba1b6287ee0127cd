/*
 * Writes to a stream whose reader may stall (a pipe, a console, a device, a socket) from a separate
 * thread, so that no other thread waits for the reader. The starter of this process has opened the
 * handle for blocking writes, and the system does not report whether a write would block. Only for
 * platform/windows/.
 *
 * Lifecycle: create; begin a write, wait until it has ended, and take the outcome, any number of
 * times; destroy. One thread at a time. One write runs at a time, from the thread's own copy of the
 * bytes. Bytes count as accepted only after the stream has accepted them.
 *
 * Cost: two thread switches for each write, which is negligible for blocks of tens of KiB.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_STREAM_THREAD_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_STREAM_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

#include "collector/base/error.h"
#include "collector/platform/windows/wait_source.h"

struct stream_thread;

/* The most bytes of one write. */
#define STREAM_THREAD_ROOM ((size_t)64 * 1024)

/*
 * Starts the thread for a stream. If `owned` is set, the stream is closed in the end, even if this
 * call fails. Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL).
 */
int stream_thread_create(HANDLE stream, bool owned, struct stream_thread **out,
                         struct error *error);

/* The outcome of a write. */
struct stream_outcome {
    size_t accepted; /* number of bytes, from the first on */
    DWORD failure;   /* the system's error number; 0 means no error */
};

/* Returns true if a write was begun, and it was neither cancelled nor its outcome taken. */
bool stream_thread_is_used(const struct stream_thread *thread);

/* Waits until no write is running. Returns false if a write still runs when the time is over. */
bool stream_thread_wait(struct stream_thread *thread, DWORD wait_ms);

/*
 * Begins to write the first part of `size` (≥ 1) bytes. stream_thread_is_used must be false. The
 * bytes are copied.
 */
void stream_thread_begin(struct stream_thread *thread, const void *bytes, size_t size);

/*
 * Adds `size` bytes to a running write. Returns false if the write has ended, or would exceed
 * STREAM_THREAD_ROOM.
 */
bool stream_thread_add(struct stream_thread *thread, const void *bytes, size_t size);

/*
 * Returns true if the running write accepts no more bytes: all are written, or it was cancelled.
 * Then it ends without waiting for the reader.
 */
bool stream_thread_is_ending(struct stream_thread *thread);

/* Takes the outcome of a write that has ended. */
struct stream_outcome stream_thread_take(struct stream_thread *thread);

/*
 * Cancels a write within a tenth of a second, and returns how many of its bytes were accepted. If
 * the system cannot cancel the write, the current piece continues to wait for its reader, and is
 * not counted.
 */
size_t stream_thread_cancel(struct stream_thread *thread);

/*
 * Returns the source to wait for. It is writable while no write is running, and broken when the
 * reader of a pipe has closed; between writes this is noticed within half a second.
 */
const struct wait_source *stream_thread_source(const struct stream_thread *thread);

/* Returns true if this error number means that the reader has closed. */
bool stream_failure_is_end(DWORD failure);

/*
 * Ends the thread and its write. If the write cannot be cancelled, the thread continues with its
 * memory until the write ends. It does not prevent the process from ending. NULL is allowed.
 */
void stream_thread_destroy(struct stream_thread *thread);

#endif
