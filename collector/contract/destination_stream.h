/*
 * A destination that takes any number of bytes, also parts of a record. Only the sink's thread
 * calls it.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_DESTINATION_STREAM_H
#define SLUICE_COLLECTOR_CONTRACT_DESTINATION_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/platform/output_file.h"
#include "collector/platform/wakeup.h"

struct destination;

/* The state of a reader that may exit and be replaced. */
enum reader_state {
    READER_READS,
    READER_ENDED,   /* exited since the last call; bytes it had not read are lost */
    READER_AWAITED, /* there is no reader at present */
};

struct stream_ops {
    /*
     * Called between two records, before the next write: reopens the file if its name leads to
     * another file now, and corrects the write position if the file was truncated. NULL: it has no
     * name.
     */
    void (*prepare)(struct destination *destination);

    /*
     * Whether prepare would change something, or a file without a name was truncated. Called while
     * writes fail. NULL: neither can happen.
     */
    bool (*was_moved)(struct destination *destination);

    /* Writes the first *written of `size` (≥ 1) bytes, without waiting for a reader. */
    enum write_result (*write)(struct destination *destination, const void *bytes, size_t size,
                               size_t *written, struct error *error);

    /*
     * After WRITE_WOULD_BLOCK, if the caller will not offer the same bytes again: cancels the
     * pending write without waiting for the reader, and returns the number of leading bytes that
     * were accepted nevertheless. NULL: there are no pending writes.
     */
    size_t (*cancel)(struct destination *destination);

    /*
     * The handle to wait for after WRITE_WOULD_BLOCK, and to watch for the end of the reader; may
     * be NO_HANDLE.
     */
    wait_handle (*handle)(const struct destination *destination);

    /*
     * Removes the last `size` bytes written, the beginning of a record that cannot be completed
     * here; bytes that a truncation removed count as removed. Returns false if that failed. NULL:
     * it is impossible.
     */
    bool (*roll_back)(struct destination *destination, size_t size);

    /*
     * Called if roll_back failed: the next writer of the same target, perhaps another destination,
     * must begin with a new line. NULL: there is no next writer, or it finds out by reading the
     * file.
     */
    void (*leave_torn)(struct destination *destination);

    /*
     * Whether the next byte is the first one: of an empty file, or of a pipe that was just opened.
     * NULL: it has no beginning.
     */
    bool (*at_beginning)(const struct destination *destination);

    /*
     * Whether it is a terminal: then each record is written immediately, regardless of
     * flush_interval, with its control characters (except newlines) replaced. NULL: it never is.
     */
    bool (*is_watched)(const struct destination *destination);

    /* Closes it and opens its name again. Returns as create does. NULL: it has no name. */
    int (*reopen)(struct destination *destination, struct error *error);

    /* When tick must be called (monotonic nanoseconds); INT64_MAX: not needed. NULL: never. */
    int64_t (*due)(const struct destination *destination);
    void (*tick)(struct destination *destination);

    /*
     * The state of the reader, and in *unread the bytes that were written but not read yet. A
     * record counts as written when its last byte is read. READER_ENDED is returned once for each
     * reader: the unread bytes are lost, and the next write goes to a new reader and must begin
     * with a record. tick detects changes; without a reader, writes return WRITE_WOULD_BLOCK. NULL:
     * accepted bytes count as written, and an ended reader is not replaced.
     */
    enum reader_state (*progress)(struct destination *destination, size_t *unread);

    /*
     * Replaces the reader after it has read everything. If `more`, the rest of a block follows
     * first and restart is called again after it; the time limit for the reader starts at the first
     * call. NULL if progress is NULL.
     */
    void (*restart)(struct destination *destination, bool more);

    /*
     * The last call before destroy: ends the reader after it has read everything, or immediately if
     * `now`. Called until it returns true, followed by progress each time. NULL if progress is
     * NULL.
     */
    bool (*finish)(struct destination *destination, bool now);
};

#endif
