/*
 * A destination that takes any number of bytes, which need not be whole records. Only the sink's
 * thread calls it.
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
    READER_ENDED,   /* it exited since the last call; the bytes that it had not read are lost */
    READER_AWAITED, /* there is no reader at present */
};

struct stream_ops {
    /*
     * Called between two records, before the next write: reopens the file if its name leads to
     * another file now, and corrects the write position if the file was truncated. NULL if the
     * destination has no name.
     */
    void (*prepare)(struct destination *destination);

    /*
     * Called while writes fail. Returns true if prepare would change something, or if a file
     * without a name was truncated. NULL if neither can happen.
     */
    bool (*was_moved)(struct destination *destination);

    /*
     * Writes up to `size` (≥ 1) bytes without waiting for a reader, and sets *written to their
     * number.
     */
    enum write_result (*write)(struct destination *destination, const void *bytes, size_t size,
                               size_t *written, struct error *error);

    /*
     * Called after WRITE_WOULD_BLOCK if the caller will not offer the same bytes again. Cancels the
     * pending write without waiting for the reader. Returns how many leading bytes were accepted
     * nevertheless. NULL if there are no pending writes.
     */
    size_t (*cancel)(struct destination *destination);

    /*
     * Returns the handle to wait for after WRITE_WOULD_BLOCK, and to watch for the end of the
     * reader; it may be NO_HANDLE.
     */
    wait_handle (*handle)(const struct destination *destination);

    /*
     * Removes the last `size` bytes written, which are the beginning of a record that cannot be
     * completed here; bytes that a truncation removed count as removed. Returns false if that
     * failed. NULL if written bytes cannot be removed.
     */
    bool (*roll_back)(struct destination *destination, size_t size);

    /*
     * Called if roll_back failed. Makes the next writer of the same target, perhaps another
     * destination, begin with a new line. NULL if there is no next writer, or if it finds the
     * incomplete line by reading the file.
     */
    void (*leave_torn)(struct destination *destination);

    /*
     * Returns true if the next byte is the first byte of an empty file, or of a pipe that was just
     * opened. NULL if the destination has no beginning.
     */
    bool (*at_beginning)(const struct destination *destination);

    /*
     * Returns true if the destination is a terminal. Each record is then written immediately,
     * regardless of flush_interval, with its control characters (except newlines) replaced. NULL if
     * it is never a terminal.
     */
    bool (*is_watched)(const struct destination *destination);

    /*
     * Closes the destination and opens its name again. Returns as create does. NULL if it has no
     * name.
     */
    int (*reopen)(struct destination *destination, struct error *error);

    /*
     * Returns when tick must be called (monotonic nanoseconds), or INT64_MAX if it need not be
     * called. NULL if tick is NULL.
     */
    int64_t (*due)(const struct destination *destination);
    void (*tick)(struct destination *destination);

    /*
     * Returns the state of the reader; *unread is the number of bytes that were written but not yet
     * read. A record counts as written when its last byte is read. Returns READER_ENDED once for
     * each reader: its unread bytes are lost, and the next write goes to a new reader and must
     * begin with a record. tick detects changes; without a reader, writes return WRITE_WOULD_BLOCK.
     * If this is NULL, accepted bytes count as written, and a reader that ended is not replaced.
     */
    enum reader_state (*progress)(struct destination *destination, size_t *unread);

    /*
     * Ends the reader after it has read everything, and starts a new one. With `more`, the old
     * reader first gets the rest of a block, and then restart is called again; the time limit for
     * the reader starts at the first call. If there is no reader, makes the next tick start one,
     * and makes it due at once. NULL if progress is NULL.
     */
    void (*restart)(struct destination *destination, bool more);

    /*
     * Ends the reader after it has read everything, or immediately if `now`. Called before destroy
     * until it returns true; progress is called after each call. NULL if progress is NULL.
     */
    bool (*finish)(struct destination *destination, bool now);
};

#endif
