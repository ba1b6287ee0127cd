/*
 * The capture that dead letters are appended to, by the writing thread: what is done where it is
 * full, its disk is, somebody has cut it or moved it away, or its reader has gone.
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
    struct wakeup *wakeup;     /* the thread's, which waits for room by it */
    struct deadline *deadline; /* of all that is written */

    struct output_file *output;
    uint64_t size;      /* bytes of it */
    bool section_due;   /* before the next letter */
    bool full;          /* it has reached max_size */
    bool ended;         /* its reader has gone */
    bool short_of_room; /* the disk has less free than the reserve, which was logged */
    struct disk_room room;
    struct log_limit log;
    uint8_t block[DEAD_LETTER_BLOCK_MAX]; /* the next one */
};

/* As dead_letters_open. */
int dead_letter_file_open(struct dead_letter_file *file, struct error *error);

/*
 * Opens it anew under its name. The file is at the end of a block. One that was emptied in its
 * place begins anew as well.
 */
void dead_letter_file_reopen(struct dead_letter_file *file);

/*
 * Before a block is made. A file that somebody has emptied or cut begins a section where it now
 * ends. A full one stays full until it is opened anew.
 */
void dead_letter_file_look_for_cut(struct dead_letter_file *file);

/* Appends the `size` bytes of the block. Returns false, with *why, where it is not in the file. */
bool dead_letter_file_append(struct dead_letter_file *file, size_t size, enum letter_drop *why);

#endif
