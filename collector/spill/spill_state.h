/*
 * What the parts of a spill share: its state. Private to these files:
 *
 *   spill_state.c     the lock, the cursor, syncing, sealing
 *   spill_open.c      opening
 *   spill_presence.c  files that others remove while it is open
 *   spill_append.c    appending
 *   spill_return.c    kept segments whose blocks fit again
 *   spill.c           reading, evicting, what is due, closing, other settings
 *
 * Each uses only those above it.
 */
#ifndef SLUICE_COLLECTOR_SPILL_SPILL_STATE_H
#define SLUICE_COLLECTOR_SPILL_SPILL_STATE_H

#include "collector/log/log.h"
#include "collector/platform/data_file.h"
#include "collector/spill/cursor.h"
#include "collector/spill/kept.h"
#include "collector/spill/left_block.h"
#include "collector/spill/reader.h"
#include "collector/spill/segments.h"
#include "collector/spill/spill.h"

/* The segment that blocks are appended to: the last one. */
struct tail {
    struct data_file file;
    bool is_open;
    bool unsynced;      /* written since the last sync */
    bool name_unsynced; /* it was made since then */
};

struct spill {
    struct spill_settings settings;
    char label[SPILL_LABEL_SIZE]; /* of what is appended */
    uint32_t label_size, label_checksum;
    struct disk_room room; /* their folder is that of the segments */
    struct part_file *lock;
    bool locked_out; /* the folder was replaced, and another program has the new one */
    struct segments segments;
    struct kept kept;
    struct reader reader;
    struct tail tail;
    struct left_block left;
    struct cursor cursor;

    uint64_t id; /* what each of its blocks bears */
    uint64_t epoch;
    uint64_t recovered;
    uint64_t recovered_bytes;
    uint64_t appended;

    struct cursor_state written; /* what the cursor's file says */
    bool has_cursor;             /* it says something */
    int64_t cursor_ns;           /* when it was last written, or that was tried */
    int64_t synced_ns;           /* the same of blocks */
    bool owes_sync;              /* segments that were there at the opening are not synced yet */

    /* Blocks that begin below it may have been sent: before the last rewind, or the opening; */
    uint64_t again;
    uint64_t sent; /* and since then, as their reader says. */
};

/* --- spill_state.c ---------------------------------------------------------------------------- */

/* Segments that may be added to those that are there. */
size_t spill_most_segments(const struct spill_settings *settings, size_t there);

/* Takes the lock of the folder, and makes both where they are not there. */
int spill_take_lock(struct spill *spill, struct error *error);

bool spill_may_sync(const struct spill *spill);

/* Writes the cursor where it does not say this yet. */
bool spill_write_cursor(struct spill *spill, uint64_t position, uint64_t read, struct error *error);

/*
 * Syncs what is there at the opening, which counts as stored from then on: a run that was killed
 * may not have synced it yet, and one with SPILL_SYNC_NEVER has not. A sync that fails is tried
 * again with the next one of blocks.
 */
void spill_sync_recovered(struct spill *spill);

/* Makes all blocks reach the disk. */
bool spill_sync_blocks(struct spill *spill, struct error *error);

/* What is appended from now on has this label. */
void spill_set_label(struct spill *spill, const char *label);

/* Below it all is done with, as the cursor says it. */
uint64_t spill_completed(const struct spill *spill);

/* Whether all that is there was acknowledged, or is gone. */
bool spill_is_complete(const struct spill *spill);

/* Ends the segment that is written: the next block begins another one. */
bool spill_seal(struct spill *spill, struct error *error);

void spill_free(struct spill *spill);

/* --- spill_presence.c ------------------------------------------------------------------------- */

/*
 * Finds out whether the folder and the files are still there, or (`tail_only`) those that the next
 * block needs. What is gone is noted, said in the log, and made again when it is needed.
 */
void spill_check_presence(struct spill *spill, bool tail_only);

/* Records that are still to be read, and whose segments are gone. */
uint64_t spill_gone(const struct spill *spill);

/* --- spill_append.c --------------------------------------------------------------------------- */

/* Stores a block whose head is complete but for its position. */
enum spill_stored spill_store(struct spill *spill, struct block_head *head, const char *label,
                              const struct text *pieces, size_t count, struct error *error);

/* --- spill_return.c --------------------------------------------------------------------------- */

/* Stores the blocks of the oldest kept segment that fits again. Returns whether there are any. */
bool spill_return(struct spill *spill);

#endif
