/*
 * The state that the parts of a spill share. Private to these files, each of which uses only those
 * above it:
 *
 *   spill_state.c     the lock, the cursor, syncing, sealing
 *   spill_open.c      opening
 *   spill_presence.c  files that other programs remove while the spill is open
 *   spill_append.c    appending
 *   spill_return.c    kept segments whose blocks fit again
 *   spill.c           reading, evicting, ticks, closing, changed settings
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

/* The last segment, to which blocks are appended. */
struct tail {
    struct data_file file;
    bool is_open;
    bool unsynced;      /* bytes were written since the last sync */
    bool name_unsynced; /* the file was created since the last sync */
};

struct spill {
    struct spill_settings settings;
    char label[SPILL_LABEL_SIZE]; /* the label of the blocks that are appended */
    uint32_t label_size, label_checksum;
    struct disk_room room; /* the room on the disk of the segments' folder */
    struct part_file *lock;
    bool locked_out; /* the folder was replaced, and another program has the new one */
    struct segments segments;
    struct kept kept;
    struct reader reader;
    struct tail tail;
    struct left_block left;
    struct cursor cursor;

    uint64_t id; /* the spill's random number, stored in each of its blocks */
    uint64_t epoch;
    uint64_t recovered;
    uint64_t recovered_bytes;
    uint64_t appended;

    struct cursor_state written; /* the contents of the cursor's file */
    bool has_cursor;             /* the cursor's file has valid contents */
    int64_t cursor_ns;           /* monotonic: when the cursor was last written, or that was
                                    tried */
    int64_t synced_ns;           /* monotonic: when blocks were last synced, or that was tried */
    bool owes_sync;              /* segments from before the opening are not synced yet */

    /*
     * Blocks that begin below this position may have been sent before the last rewind or the
     * opening, or before they were kept.
     */
    uint64_t again;
    uint64_t sent; /* blocks that end at or below this position may have been sent since the last
                      rewind or the opening */
    uint64_t evicted_sent; /* records that may have been sent, and whose segment was evicted before
                              they were read (again) */
};

/* --- spill_state.c ---------------------------------------------------------------------------- */

/*
 * Returns the maximum number of segments that a spill may have, if `there` segments exist already.
 */
size_t spill_most_segments(const struct spill_settings *settings, size_t there);

/* Takes the lock of the folder, and creates both if necessary. */
int spill_take_lock(struct spill *spill, struct error *error);

bool spill_may_sync(const struct spill *spill);

/* Writes the cursor if it changed. */
bool spill_write_cursor(struct spill *spill, uint64_t position, uint64_t read, struct error *error);

/*
 * Syncs the segments from before the opening: a run with SPILL_SYNC_NEVER has not synced them, and
 * a killed run possibly has not. From then on they count as stored. A sync that fails is tried
 * again with the next sync of blocks.
 */
void spill_sync_recovered(struct spill *spill);

/* Syncs all blocks. */
bool spill_sync_blocks(struct spill *spill, struct error *error);

/* Sets the label of the blocks that are appended from now on. */
void spill_set_label(struct spill *spill, const char *label);

/* Returns the position for the cursor: all records below it are complete. */
uint64_t spill_completed(const struct spill *spill);

/* Whether all records are acknowledged, evicted or lost. */
bool spill_is_complete(const struct spill *spill);

/* Seals the segment that blocks are appended to; the next block begins another segment. */
bool spill_seal(struct spill *spill, struct error *error);

void spill_free(struct spill *spill);

/* --- spill_presence.c ------------------------------------------------------------------------- */

/*
 * Checks whether the folder and the files still exist; with `tail_only`, checks only those that the
 * next block needs. Notes and logs what is gone, which is created again when it is needed.
 */
void spill_check_presence(struct spill *spill, bool tail_only);

/* Returns the number of records in segments that are gone, without those that were read. */
uint64_t spill_gone(const struct spill *spill);

/* --- spill_append.c --------------------------------------------------------------------------- */

/* Stores a block; its head is complete except for its spill and position. */
enum spill_stored spill_store(struct spill *spill, struct block_head *head, const char *label,
                              const struct text *pieces, size_t count, struct error *error);

/* --- spill_return.c --------------------------------------------------------------------------- */

/*
 * Stores the blocks of the oldest kept segment that fits again. Returns whether there were any
 * blocks.
 */
bool spill_return(struct spill *spill);

#endif
