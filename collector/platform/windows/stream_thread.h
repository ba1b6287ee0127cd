/*
 * Writes to a stream whose reader may stall (a pipe, a console, a device, a socket) from a thread
 * of its own, which waits for the reader so that no other thread has to: the starter of this
 * process has opened the handle for blocking writes, and the system does not report when they would
 * not block. Only for platform/windows/.
 *
 * Lifecycle: create; then any number of times begin, wait until it has ended, take the outcome;
 * destroy. One thread at a time. One write runs at a time, from the thread's own copy of the bytes,
 * and bytes count as accepted only after the stream has accepted them.
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
 * Starts the thread for a stream. If `owned`, it closes the stream in the end, also if this call
 * fails. Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL).
 */
int stream_thread_create(HANDLE stream, bool owned, struct stream_thread **out,
                         struct error *error);

/* The outcome of a write. */
struct stream_outcome {
    size_t accepted; /* bytes, from the first on */
    DWORD failure;   /* the system's error number; 0: no error */
};

/* Whether a write was begun and its outcome neither taken nor cancelled. */
bool stream_thread_is_used(const struct stream_thread *thread);

/* Waits until no write is running. Returns whether none is. */
bool stream_thread_wait(struct stream_thread *thread, DWORD wait_ms);

/*
 * Begins a write of a first part of `size` (≥ 1) bytes. stream_thread_is_used must be false. The
 * bytes are copied before this returns.
 */
void stream_thread_begin(struct stream_thread *thread, const void *bytes, size_t size);

/*
 * Adds `size` bytes to a running write. Returns false if it has ended, or would exceed
 * STREAM_THREAD_ROOM.
 */
bool stream_thread_add(struct stream_thread *thread, const void *bytes, size_t size);

/* Takes the outcome of a write that has ended. */
struct stream_outcome stream_thread_take(struct stream_thread *thread);

/*
 * Cancels a write within a tenth of a second, and returns how many of its bytes were accepted. If
 * the system cannot cancel it, the piece that waits for its reader keeps waiting, and is not
 * counted.
 */
size_t stream_thread_cancel(struct stream_thread *thread);

/*
 * Writable while no write is running; broken when the reader of a pipe has closed, which is also
 * noticed within half a second while there is no write.
 */
const struct wait_source *stream_thread_source(const struct stream_thread *thread);

/* Whether this failure means that the reader has closed. */
bool stream_failure_is_end(DWORD failure);

/*
 * Ends the thread and its write. If the write cannot be cancelled, the thread is left behind with
 * its memory, and ends after its write; it does not keep the process from ending. NULL is allowed.
 */
void stream_thread_destroy(struct stream_thread *thread);

#endif
