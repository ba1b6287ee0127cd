/*
 * A destination that takes bytes as they come, perhaps a part of a record at a time. Only the
 * sink's thread calls it.
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

/* Of a reader that may end, and be followed by another one. */
enum reader_state {
    READER_READS,
    READER_ENDED,   /* since it was last asked; what it had not read is lost */
    READER_AWAITED, /* there is none at present */
};

struct stream_ops {
    /*
     * Called between two records, before more is written: looks whether what is written to is still
     * what its name says, and opens it anew where it is not; and whether somebody has emptied or
     * cut it, and puts its end right. NULL: it has no name.
     */
    void (*prepare)(struct destination *destination);

    /*
     * Whether prepare would do something, or somebody has emptied or cut what has no name: asked
     * while writes fail. NULL: neither happens.
     */
    bool (*was_moved)(struct destination *destination);

    /* Writes a first part of `size` (≥ 1) bytes without blocking on a reader: *written bytes. */
    enum write_result (*write)(struct destination *destination, const void *bytes, size_t size,
                               size_t *written, struct error *error);

    /*
     * After WRITE_WOULD_BLOCK, where the same bytes are not offered again: ends what is on its way
     * of them, without waiting for the reader, and returns how many, from the first on, were
     * accepted all the same. NULL: none ever are.
     */
    size_t (*cancel)(struct destination *destination);

    /* What to wait for after WRITE_WOULD_BLOCK, and to watch for a reader that goes; NO_HANDLE. */
    wait_handle (*handle)(const struct destination *destination);

    /*
     * Takes back the last `size` bytes written, the beginning of a record whose end will not come
     * here; those that somebody has cut off are gone already. Returns false where that cannot be
     * done. NULL: it never can.
     */
    bool (*roll_back)(struct destination *destination, size_t size);

    /*
     * What roll_back could not take back stays, and its end will not come: whoever writes there
     * next, perhaps another destination of the same place, begins on a line of its own. NULL:
     * nobody writes there next, or finds out by looking.
     */
    void (*leave_torn)(struct destination *destination);

    /*
     * Whether nothing stands before what is written next: an empty file, or a pipe or the like that
     * was just opened. NULL: it has no beginning.
     */
    bool (*at_beginning)(const struct destination *destination);

    /*
     * Whether somebody looks on (a terminal): then each record is written by itself and at once,
     * whatever flush_interval is, and its control characters are hidden, except the ends of lines.
     * NULL: nobody does.
     */
    bool (*is_watched)(const struct destination *destination);

    /* Closes and opens it anew under its name. NULL: it has no name. Returns as create does. */
    int (*reopen)(struct destination *destination, struct error *error);

    /* When tick is to be called (monotonic), INT64_MAX: not at all. NULL: never. */
    int64_t (*due)(const struct destination *destination);
    void (*tick)(struct destination *destination);

    /*
     * How far its reader is: *unread, of the bytes written, nobody has read yet. A record is
     * written when its last byte is read. READER_ENDED, returned once for each reader: those bytes
     * are lost, and what is written next goes to another reader, which begins with a record. tick
     * finds out when this changes; while there is no reader writes would block. NULL: what was
     * accepted is written, and a reader that goes does not come back.
     */
    enum reader_state (*progress)(struct destination *destination, size_t *unread);

    /*
     * Has the reader end when it has read all, and another one follow. `more`: it is still to be
     * given what is left of a block, and this is called again when it has that; but its time to
     * read it runs, and when that is over it ends all the same. NULL where progress is.
     */
    void (*restart)(struct destination *destination, bool more);

    /*
     * Last of all: has the reader end, when it has read all, or `now`; none follows. Called until
     * it returns true, each time with progress after it. NULL where progress is.
     */
    bool (*finish)(struct destination *destination, bool now);
};

#endif
