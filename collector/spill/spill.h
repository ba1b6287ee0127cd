/*
 * A bounded queue of blocks on disk, oldest first. A sink's records wait in it while their
 * destination is away. It does not depend on destinations and encoders: a block is an image, bytes
 * with a meaning that only the caller knows, and a number of records.
 *
 * Lifecycle: open; append and read in any order; close. One thread at a time. At a reload the next
 * sink takes the open spill over, with its lock, and changes its settings. Only open and change
 * allocate memory, apart from what the system needs to open a segment by its name.
 *
 * The folder contains segments, which are files of blocks named by the position of their first
 * record ("00000000000000001200.seg"); "ack", the cursor; "lock"; kept segments with blocks of
 * another label, ending in ".kept" (kept.h); and the last two damaged segments, ending in ".bad",
 * which do not count towards the size. A position is the number of records stored before, in all
 * runs. A record is complete when it is acknowledged, evicted or lost; a block or a segment is
 * complete when all its records are. Each block has its position, so the segments by themselves say
 * which records there are and how many are lost by damage. An old cursor only causes blocks to be
 * read again. The cursor also says up to which position blocks were read, before any of them is
 * handed out, so that each block is known to be possibly sent or not; and up to which position
 * blocks were stored, so that it is known how many are missing at the end.
 *
 * A block has the label of the settings with which it was stored. A block with another label is not
 * read: it is kept until the settings have its label again.
 *
 * After kill -9 every block whose append had returned is on disk. After a power cut blocks that
 * were appended after the last sync may be lost, and blocks that were acknowledged after the last
 * write of the cursor are read again. With SPILL_SYNC_NEVER it is not known then which blocks were
 * sent. Damage costs only the damaged block. No damage keeps a spill from being opened, or from
 * being read to its end.
 */
#ifndef SLUICE_COLLECTOR_SPILL_SPILL_H
#define SLUICE_COLLECTOR_SPILL_SPILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/platform/file_system.h"
#include "collector/text/text.h"

struct spill;

/* When blocks are synced. */
enum spill_sync {
    SPILL_SYNC_NEVER,    /* neither blocks nor the cursor are synced */
    SPILL_SYNC_INTERVAL, /* by spill_tick, every sync_interval_ns */
    SPILL_SYNC_CLOSE,    /* when a segment is complete, and when the spill is closed */
    SPILL_SYNC_ALWAYS,   /* each block before its append returns */
};

/*
 * The maximum number of bytes of a segment is the smaller of this number and a sixteenth of the
 * spill's size.
 */
#define SPILL_SEGMENT_SIZE ((uint64_t)64 * 1024 * 1024)

/* The maximum number of bytes of an image, and the number of bytes of a block's head on disk. */
#define SPILL_IMAGE_MAX ((size_t)64 * 1024 * 1024)
#define SPILL_HEAD_SIZE ((size_t)64)

/* The maximum number of bytes of a label with its NUL. The NUL is not stored. */
#define SPILL_LABEL_SIZE ((size_t)1024)

struct spill_settings {
    const char *label;  /* what the images are; stored with each block. NULL: no label */
    const char *folder; /* created if it does not exist; its parents, too */
    uint64_t size; /* the maximum number of bytes of all segments; ≥ 4 of the largest blocks */
    uint64_t segment_size; /* 0: as SPILL_SEGMENT_SIZE; ≥ 2 of the largest blocks */
    size_t image_size;     /* bytes of the largest image that is appended */
    size_t window; /* the maximum number of blocks that are read and not acknowledged (≥ 1) */
    enum spill_sync sync;
    struct disk_reserve reserve; /* disk space to leave free */
    int64_t sync_interval_ns;    /* > 0 */
    int64_t cursor_interval_ns;  /* how long acknowledgements may be unwritten; > 0 */
};

/*
 * Opens the spill of a folder, and creates it if necessary. `settings` need not outlive the call.
 * Returns 0, or -1 with `error` filled: EXIT_CODE_CONFIG if another sink or program has the folder
 * open, or if the sizes do not fit together; EXIT_CODE_CANNOT_CREATE if the folder cannot be used;
 * EXIT_CODE_INTERNAL if memory is short. Damage is logged; it is not an error.
 */
int spill_open(const struct spill_settings *settings, struct spill **out, struct error *error);

/*
 * Changes the settings, except for the folder, and rewinds (spill_rewind). Returns 0, or -1 with
 * `error` filled and the settings unchanged.
 */
int spill_change(struct spill *spill, const struct spill_settings *settings, struct error *error);

/* Returns the folder as it was given. */
const char *spill_folder(const struct spill *spill);

/*
 * Returns a random number that no other opening of a spill has. With this number the caller's
 * record numbers are unique. A stored block keeps the epoch of the run that appended it.
 */
uint64_t spill_epoch(const struct spill *spill);

/* --- blocks ----------------------------------------------------------------------------------- */

struct spill_block {
    uint64_t number; /* the number of the block's first record: chosen by the caller, stored as it
                        is */
    uint32_t count;  /* records in the block, ≥ 1 */
    uint32_t layout; /* the layout of the block's image: chosen by the caller, stored as it is */

    /* Filled by a read: */
    uint64_t position; /* the position of the block's first record; identifies the block until it is
                          acknowledged */
    uint64_t epoch;    /* the epoch of the run that appended the block */
    size_t size;       /* bytes of the block's image */
    bool again;        /* the block was read before, and may have been sent */
};

/* The maximum number of pieces of an image. */
#define SPILL_PIECES_MAX 8

enum spill_stored {
    SPILL_STORED,
    SPILL_FULL,   /* the spill has reached its size, or the disk its reserve: evict, or try later */
    SPILL_FAILED, /* the system refuses, as `error` says; it may work later */
};

/*
 * Stores a block after all others. Its image is the concatenation of the pieces, 1 to image_size
 * bytes. After FULL and FAILED the block is not stored, and `error` says why. With
 * SPILL_SYNC_ALWAYS a block that was written and cannot be synced is removed again; if that fails
 * too, removing the block is tried again later.
 */
enum spill_stored spill_append(struct spill *spill, const struct spill_block *block,
                               const struct text *pieces, size_t count, struct error *error);

/*
 * Stores a block that the caller keeps in memory, and fills *position. The block counts as read.
 * All earlier blocks must have been read, and `held` must not count other records. (Records that
 * are lost at the end of the spill are held until the last block is acknowledged and the end is
 * read once more.) Also returns SPILL_FULL when the window has no room (spill_room).
 */
enum spill_stored spill_append_read(struct spill *spill, const struct spill_block *block,
                                    const struct text *pieces, size_t count, uint64_t *position,
                                    struct error *error);

/*
 * Notes that the caller gives up a block that could not be stored; `number` is that of its first
 * record. Returns whether the block is still on disk, where the next opening may find it. A block
 * that is not given up counts as delivered in another way, and no opening finds it.
 */
bool spill_give_up(struct spill *spill, uint64_t number);

enum spill_found {
    SPILL_FOUND,           /* *block is filled, and its image is in the caller's buffer */
    SPILL_FOUND_TOO_LARGE, /* as SPILL_FOUND, but without the image, which does not fit: give the
                              block up, or rewind and read it with room for block->size bytes */
    SPILL_FOUND_NONE,      /* all blocks were read, or the window is full */
    SPILL_FOUND_FAILED,    /* the system cannot read now, as `error` says: try again later. A block
                              that it cannot read three times counts as damaged */
};

/*
 * Reads and verifies the oldest unread block. Damaged parts before this block are skipped and
 * counted.
 */
enum spill_found spill_read(struct spill *spill, void *bytes, size_t size,
                            struct spill_block *block, struct error *error);

/* Whether a read would find a block, or find that a block is missing. */
bool spill_has_unread(const struct spill *spill);

/* Returns how many more blocks can be read before a block is acknowledged. */
size_t spill_room(const struct spill *spill);

/*
 * Acknowledges the block that was read at this position, once. Blocks may be acknowledged in any
 * order. A block is not read again when all earlier blocks are acknowledged, too; a segment is
 * removed when all its blocks are. A block that was acknowledged before an older one is read again
 * after a rewind or by the next opening, and is marked `again`.
 */
void spill_acknowledge(struct spill *spill, uint64_t position);

/*
 * For a block that was read and is not acknowledged: spill_holds returns whether the block is still
 * on disk and was not evicted; spill_lacks returns whether another program removed the file of the
 * block's segment, so that the caller can append the block again.
 */
bool spill_holds(const struct spill *spill, uint64_t position);
bool spill_lacks(const struct spill *spill, uint64_t position);

/*
 * Notes that a block that was read may have been sent: if it is read again, after a rewind or by
 * the next run, it and all earlier blocks are marked `again`. A block without such a note was not
 * sent, unless the run was killed: then all blocks that the run had read are marked.
 */
void spill_note_sent(struct spill *spill, uint64_t position);

/*
 * Copies the label of the oldest block that has another label; "": there is no such block, or its
 * label is not readable.
 */
void spill_kept_label(struct spill *spill, char label[SPILL_LABEL_SIZE]);

/* Makes reading continue with the oldest block that is not acknowledged. */
void spill_rewind(struct spill *spill);

/*
 * Makes room: removes the oldest segment. Its blocks that were read can still be acknowledged, but
 * not read again. Returns false with `error` filled if there is no segment or it cannot be removed;
 * otherwise *records is the number of records that are lost by this.
 */
bool spill_evict(struct spill *spill, uint64_t *records, struct error *error);

/* --- periodic work ---------------------------------------------------------------------------- */

/* Returns when spill_tick is due: monotonic; INT64_MAX: not due. */
int64_t spill_due(const struct spill *spill);

/*
 * Syncs blocks and writes the cursor, each when its interval is over, and removes complete
 * segments. `now_ns` is monotonic. Returns false with `error` filled if a call failed; it is tried
 * again after the interval.
 */
bool spill_tick(struct spill *spill, int64_t now_ns, struct error *error);

/* Checks now what spill_tick checks at its interval: whether other programs removed files. */
void spill_check_files(struct spill *spill);

/*
 * Numbers of records since the opening. At any time
 *     recovered + appended = acknowledged + evicted + lost + held.
 */
struct spill_counts {
    uint64_t recovered; /* records on disk at the opening, counted by their positions */
    uint64_t appended;  /* records stored since the opening */
    uint64_t acknowledged;
    uint64_t evicted;         /* records whose segment was removed before they were read */
    uint64_t evicted_sent;    /* part of `evicted`: may have been sent before, as `again` says */
    uint64_t lost;            /* records lost by damage, or because their segment is gone */
    uint64_t held;            /* records on disk, read or not */
    uint64_t kept;            /* part of `held`: records with another label, which are not read
                                 now */
    uint64_t gone;            /* part of `held`: records that were not read, in files that were
                                 removed */
    uint64_t bytes;           /* size of all segments on disk */
    uint64_t recovered_bytes; /* size of all segments on disk at the opening */
};

struct spill_counts spill_counts(const struct spill *spill);

/*
 * Syncs all blocks (unless SPILL_SYNC_NEVER), writes the cursor, and releases the folder. Returns
 * false with `error` filled if a call failed; the spill is closed in any case. NULL is allowed:
 * returns true.
 */
bool spill_close(struct spill *spill, struct error *error);

#endif
