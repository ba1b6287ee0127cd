/*
 * Writes to a stream whose reader may stall (a pipe, a console, a device, a socket) from a thread
 * of its own, which waits for the reader so that no other thread has to. The starter of this
 * process has opened the handle for blocking writes, and the system does not report when a write
 * would not block. Only for platform/windows/.
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

/* The maximum number of bytes of one write. */
#define STREAM_THREAD_ROOM ((size_t)64 * 1024)

/*
 * Starts the thread for a stream. If `owned`, the stream is closed in the end, also if this call
 * fails. Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL).
 */
int stream_thread_create(HANDLE stream, bool owned, struct stream_thread **out,
                         struct error *error);

/* The outcome of a write. */
struct stream_outcome {
    size_t accepted; /* bytes, from the first on */
    DWORD failure;   /* the system's error number; 0: no error */
};

/* Whether a write was begun that was not cancelled and whose outcome was not taken. */
bool stream_thread_is_used(const struct stream_thread *thread);

/* Waits until no write is running. Returns false if a write still runs when the time is over. */
bool stream_thread_wait(struct stream_thread *thread, DWORD wait_ms);

/*
 * Begins a write of a first part of `size` (≥ 1) bytes. stream_thread_is_used must be false. The
 * bytes are copied before this returns.
 */
void stream_thread_begin(struct stream_thread *thread, const void *bytes, size_t size);

/*
 * Adds `size` bytes to a running write. Returns false if the write has ended, or would exceed
 * STREAM_THREAD_ROOM.
 */
bool stream_thread_add(struct stream_thread *thread, const void *bytes, size_t size);

/*
 * Whether the write that was begun accepts no more bytes: all are written, or it was given up. It
 * ends without waiting for the reader.
 */
bool stream_thread_is_ending(struct stream_thread *thread);

/* Takes the outcome of a write that has ended. */
struct stream_outcome stream_thread_take(struct stream_thread *thread);

/*
 * Cancels a write within a tenth of a second, and returns how many of its bytes were accepted. If
 * the system cannot cancel the write, the piece that waits for its reader keeps waiting, and is not
 * counted.
 */
size_t stream_thread_cancel(struct stream_thread *thread);

/*
 * Returns the source to wait for: writable while no write is running; broken when the reader of a
 * pipe has closed. While there is no write, this is noticed within half a second.
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
