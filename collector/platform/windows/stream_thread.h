/*
 * Writing to a stream whose reader may stall (a pipe, a console, a device, a socket), from a thread
 * of its own that waits for the reader so that nobody else has to: whoever gave a handle to this
 * process has opened it for writes that block, and nothing reports when they would not. Of
 * platform/windows only.
 *
 * Lifecycle: create; then any number of times begin, wait until it has ended, take what came of it;
 * destroy. One thread at a time. One write at a time is on its way, out of the thread's own copy of
 * its bytes, and nothing counts as accepted before the stream has said so.
 *
 * Cost: two switches between threads for each begun write, which blocks of tens of KiB make vanish.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_STREAM_THREAD_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_STREAM_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <windows.h>

#include "collector/base/error.h"
#include "collector/platform/windows/wait_source.h"

struct stream_thread;

/* Bytes that a write takes over at most. */
#define STREAM_THREAD_ROOM ((size_t)64 * 1024)

/*
 * Starts the thread for a stream, which it closes in the end where it is `owned`, whatever comes of
 * this call. Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL).
 */
int stream_thread_create(HANDLE stream, bool owned, struct stream_thread **out,
                         struct error *error);

/* What a write came to. */
struct stream_outcome {
    size_t accepted; /* bytes, from the first on */
    DWORD failure;   /* the system's number of what kept it from going on; 0: nothing did */
};

/* Whether a write was begun whose outcome was neither taken nor withdrawn. */
bool stream_thread_is_used(const struct stream_thread *thread);

/* Waits until no write is on its way. Returns whether none is. */
bool stream_thread_wait(struct stream_thread *thread, DWORD wait_ms);

/*
 * Begins a write of a first part of `size` (≥ 1) bytes. It is not used, and no write on its way.
 * The bytes are the caller's again when it returns.
 */
void stream_thread_begin(struct stream_thread *thread, const void *bytes, size_t size);

/*
 * Adds `size` bytes to a write that is on its way. Returns false where it has ended, or where it
 * would have more than STREAM_THREAD_ROOM.
 */
bool stream_thread_add(struct stream_thread *thread, const void *bytes, size_t size);

/* Takes the outcome of a write that is on its way no more. */
struct stream_outcome stream_thread_take(struct stream_thread *thread);

/*
 * Ends a write that was begun, within a tenth of a second, and returns how many of its bytes were
 * accepted. Where it cannot be ended, the piece that waits for its reader stays on its way, and is
 * not counted.
 */
size_t stream_thread_cancel(struct stream_thread *thread);

/*
 * Writable while no write is on its way; broken when the reader of a pipe has gone, which is also
 * found out while there is nothing to write, within half a second.
 */
const struct wait_source *stream_thread_source(const struct stream_thread *thread);

/* Whether it is such a failure that the reader has gone. */
bool stream_failure_is_end(DWORD failure);

/*
 * Ends the thread, and a write that is on its way. Where that cannot be ended, the thread is left
 * behind with what it needs, and goes when its write has ended; it does not keep the process from
 * ending. NULL is allowed.
 */
void stream_thread_destroy(struct stream_thread *thread);

#endif
