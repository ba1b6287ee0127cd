/*
 * The capture file to which the writing thread appends dead letters. Handles a full file, a full
 * disk, a file that was cut, removed or moved away, and a pipe whose reader has closed it.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DEAD_LETTER_FILE_H
#define SLUICE_COLLECTOR_RECEIVE_DEAD_LETTER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/ledger/ledger.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/file_system.h"
#include "collector/platform/wakeup.h"
#include "collector/receive/dead_letter_block.h"
#include "collector/receive/dead_letters.h"

struct dead_letter_file {
    const struct dead_letter_options *options;
    struct wakeup *wakeup;     /* belongs to the writing thread */
    struct deadline *deadline; /* deadline of all writes */

    struct output_file *output;
    uint64_t size;      /* bytes in the file */
    bool section_due;   /* the next letter needs a new section */
    bool full;          /* the file has reached max_size */
    bool ended;         /* the reader of the pipe has closed it */
    bool removed;       /* the file was removed, and a new one could not be opened */
    int64_t retry_ns;   /* monotonic time of the next attempt to open a new file; 0 means now */
    bool short_of_room; /* the disk has less free space than the reserve, and this was logged */
    struct disk_room room;
    struct log_limit log;
    uint8_t block[DEAD_LETTER_BLOCK_MAX]; /* the block to write next */
};

/* Opens the file. See dead_letters_open for errors. */
int dead_letter_file_open(struct dead_letter_file *file, struct error *error);

/*
 * Reopens the file by its name, between two blocks. If the file was emptied in place, begins it
 * with a new section.
 */
void dead_letter_file_reopen(struct dead_letter_file *file);

/*
 * Call this before a block is made. If the file was removed, opens a new one, because bytes written
 * to a removed file are lost. If the file was emptied or cut, begins a new section at its present
 * end. A full file stays full until it is reopened, even if it was cut.
 */
void dead_letter_file_look(struct dead_letter_file *file);

/* Appends the `size` bytes of `block`. Returns false with *why if the block is not in the file. */
bool dead_letter_file_append(struct dead_letter_file *file, size_t size,
                             enum dead_letter_drop *why);

#endif
