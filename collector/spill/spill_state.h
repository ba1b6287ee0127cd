/*
 * The state that the parts of a spill share. Only these files include it; each uses only those
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
    bool locked_out; /* another program has the lock of the folder that replaced ours */
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
    int64_t cursor_ns;           /* monotonic: the last attempt to write the cursor */
    int64_t synced_ns;           /* monotonic: the last attempt to sync blocks */
    bool owes_sync;              /* segments of an earlier run are not synced yet */

    /*
     * Blocks that begin below this position are marked `again`: they may have been sent before the
     * last rewind or the opening, or before they were kept.
     */
    uint64_t again;
    uint64_t sent;         /* blocks up to this position may have been sent since then */
    uint64_t evicted_sent; /* evicted before they were read (again), but maybe sent */
};

/* --- spill_state.c ---------------------------------------------------------------------------- */

/* Returns the most segments that a spill can have, if it has `there` segments now. */
size_t spill_most_segments(const struct spill_settings *settings, size_t there);

/* Takes the lock of the folder, and creates the folder and the lock file if necessary. */
int spill_take_lock(struct spill *spill, struct error *error);

bool spill_may_sync(const struct spill *spill);

/* Writes the cursor if it has changed. */
bool spill_write_cursor(struct spill *spill, uint64_t position, uint64_t read, struct error *error);

/*
 * Syncs the segments of an earlier run, which may not have synced them: with SPILL_SYNC_NEVER, or
 * if it was killed. If that fails, the next sync of blocks tries again.
 */
void spill_sync_recovered(struct spill *spill);

/* Syncs all blocks. */
bool spill_sync_blocks(struct spill *spill, struct error *error);

/* Sets the label of the blocks that are appended from now on. */
void spill_set_label(struct spill *spill, const char *label);

/* Returns the position for the cursor: all records below it are acknowledged, evicted or lost. */
uint64_t spill_completed(const struct spill *spill);

/* Returns true if all records are acknowledged, evicted or lost. */
bool spill_is_complete(const struct spill *spill);

/*
 * Ends the last segment: the next block begins a new one. Syncs it unless that is not needed;
 * returns false with `error` filled if the sync fails.
 */
bool spill_seal(struct spill *spill, struct error *error);

void spill_free(struct spill *spill);

/* --- spill_presence.c ------------------------------------------------------------------------- */

/*
 * Checks whether the folder and its files still exist; with `tail_only`, only those that the next
 * append needs. Logs what is gone. It is created again when it is needed.
 */
void spill_check_presence(struct spill *spill, bool tail_only);

/* Returns the number of unread records in segments whose files were removed. */
uint64_t spill_gone(const struct spill *spill);

/* --- spill_append.c --------------------------------------------------------------------------- */

/* Stores a block. `head` is complete except for its spill and position. */
enum spill_stored spill_store(struct spill *spill, struct block_head *head, const char *label,
                              const struct text *pieces, size_t count, struct error *error);

/* --- spill_return.c --------------------------------------------------------------------------- */

/*
 * Appends the blocks of the oldest kept segments that fit again to the spill. Returns
 * SPILL_FOUND if blocks were appended, SPILL_FOUND_NONE if there are none or they cannot be stored
 * now, or SPILL_FOUND_FAILED with `error` filled if they cannot be read now. Like the reader, takes
 * a part of a file as damaged after three failed reads.
 */
enum spill_found spill_return(struct spill *spill, struct error *error);

#endif
