/*
 * A bounded queue of blocks on disk, oldest first. A sink's records wait in it while their
 * destination is unreachable. It does not depend on destinations and encoders: a block is an image
 * (bytes with a meaning that only the caller knows) and a number of records.
 *
 * Lifecycle: open; append and read in any order; close. One thread at a time. At a reload the next
 * sink takes over the open spill with its lock, and changes its settings. Open and change allocate
 * memory, and so does a read that returns kept blocks.
 *
 * The folder contains segments, which are files of blocks named by the position of their first
 * record ("00000000000000001200.seg"); "ack", the cursor; "lock"; kept segments with blocks of
 * another label, ending in ".kept" (kept.h); and the last two damaged segments, ending in ".bad",
 * which do not count towards the size. A position is the number of records stored before, in all
 * runs. A record is complete when it is acknowledged, evicted or lost; a block or a segment is
 * complete when all its records are. Each block has its position, so the segments show which
 * records exist and how many were lost by damage. An old cursor only causes blocks to be read
 * again. The cursor also has the position up to which blocks were read. It is written before a
 * block is handed out, so that a later run knows which blocks may have been sent. And it has the
 * position up to which blocks were stored, which shows how many are missing at the end.
 *
 * A block has the label of the settings with which it was stored. A block with another label is
 * not read; it is kept until the settings have its label again.
 *
 * After kill -9 every block whose append had returned is on disk. After a power cut blocks that
 * were appended after the last sync may be lost, and blocks that were acknowledged after the last
 * write of the cursor are read again. With SPILL_SYNC_NEVER it is then not known which blocks were
 * sent. Damage costs only the damaged block. It prevents neither opening the spill nor reading it
 * to its end.
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
    SPILL_SYNC_INTERVAL, /* at the interval sync_interval_ns, by spill_tick */
    SPILL_SYNC_CLOSE,    /* when no more blocks are appended to a segment, and at the close */
    SPILL_SYNC_ALWAYS,   /* before the append of each block returns */
};

/*
 * By default a segment has at most this number of bytes, or a sixteenth of the spill's size if that
 * is less, but always room for two of the largest blocks.
 */
#define SPILL_SEGMENT_SIZE ((uint64_t)64 * 1024 * 1024)

/* The most bytes of an image, and the bytes of a block's head on disk. */
#define SPILL_IMAGE_MAX ((size_t)64 * 1024 * 1024)
#define SPILL_HEAD_SIZE ((size_t)64)

/* The most bytes of a label with its NUL. The NUL is not stored. */
#define SPILL_LABEL_SIZE ((size_t)1024)

struct spill_settings {
    const char *label;     /* describes the images; stored with each block; NULL: no label */
    const char *folder;    /* created if it does not exist, with its parents */
    uint64_t size;         /* most bytes of all segments; at least 4 of the largest blocks */
    uint64_t segment_size; /* 0: the default (SPILL_SEGMENT_SIZE); at least 2 blocks */
    size_t image_size;     /* bytes of the largest image that is appended */
    size_t window;         /* most blocks that are read and not acknowledged; at least 1 */
    enum spill_sync sync;
    struct disk_reserve reserve; /* disk space to leave free */
    int64_t sync_interval_ns;    /* > 0 */
    int64_t cursor_interval_ns;  /* longest time until an acknowledgement is written; > 0 */
};

/*
 * Opens the spill of a folder, and creates it if necessary. `settings` need not outlive the call.
 * Damage is logged; it is not an error. Returns 0, or -1 with `error` filled: EXIT_CODE_CONFIG if
 * another sink or program has the folder open, or if the sizes do not fit together;
 * EXIT_CODE_CANNOT_CREATE if the folder cannot be used; EXIT_CODE_INTERNAL if memory is short.
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
 * Returns a random number that no other opening of a spill has. It makes the caller's record
 * numbers unique. A stored block keeps the epoch of the run that appended it.
 */
uint64_t spill_epoch(const struct spill *spill);

/* --- blocks ----------------------------------------------------------------------------------- */

struct spill_block {
    uint64_t number; /* the caller's number of the first record, which is only stored */
    uint32_t count;  /* records in the block, ≥ 1 */
    uint32_t layout; /* the caller's code for the layout of the image, which is only stored */

    /* Set by spill_read: */
    uint64_t position; /* of the first record; identifies the block until it is acknowledged */
    uint64_t epoch;    /* of the run that appended the block */
    size_t size;       /* bytes of the block's image */
    bool again;        /* the block was read before and may have been sent */
};

/* The most pieces of an image. */
#define SPILL_PIECES_MAX 8

enum spill_stored {
    SPILL_STORED,
    SPILL_FULL, /* the spill has its full size, or the disk only its reserve: evict, or try later */
    SPILL_FAILED, /* the system refuses, as `error` says; a later try may succeed */
};

/*
 * Stores a block after all others. Its image is the concatenation of the pieces, 1 to image_size
 * bytes. After FULL and FAILED the block is not stored, and `error` has the reason. With
 * SPILL_SYNC_ALWAYS a block that cannot be synced is removed again; if that fails too, the removal
 * is tried again later.
 */
enum spill_stored spill_append(struct spill *spill, const struct spill_block *block,
                               const struct text *pieces, size_t count, struct error *error);

/*
 * Stores a block that the caller keeps in memory, as if it had been read already, and fills
 * *position. All earlier blocks must have been read, and no record may be missing at the end
 * (spill_has_unread). Also returns SPILL_FULL if too many blocks are not acknowledged (spill_room).
 */
enum spill_stored spill_append_read(struct spill *spill, const struct spill_block *block,
                                    const struct text *pieces, size_t count, uint64_t *position,
                                    struct error *error);

/*
 * Notes that the caller no longer keeps a block that it could not store; `number` is that of the
 * block's first record. Returns true if the block is still on disk, where the next spill_open may
 * find it. Otherwise the block is gone, and the gap in the numbers counts as records that were
 * delivered without the spill.
 */
bool spill_give_up(struct spill *spill, uint64_t number);

enum spill_found {
    SPILL_FOUND,           /* *block is filled, and the image is in the caller's buffer */
    SPILL_FOUND_TOO_LARGE, /* as SPILL_FOUND, but the image does not fit: give the block up, or
                              rewind and read it with room for block->size bytes */
    SPILL_FOUND_NONE,      /* all blocks were read, or the window is full */
    SPILL_FOUND_FAILED, /* a read failed, as `error` says: try again later. After three failures a
                           block counts as damaged */
};

/* Reads and verifies the oldest unread block. Damaged parts before it are skipped and counted. */
enum spill_found spill_read(struct spill *spill, void *bytes, size_t size,
                            struct spill_block *block, struct error *error);

/*
 * Returns true if records after the last read block were stored and not read yet. They may be
 * missing. Does not include kept blocks, which spill_read may also return.
 */
bool spill_has_unread(const struct spill *spill);

/*
 * Returns the number of blocks that can still be read. If it is 0, a block must be acknowledged
 * first.
 */
size_t spill_room(const struct spill *spill);

/*
 * Acknowledges the block that was read at this position, once. Blocks may be acknowledged in any
 * order. When all blocks of a segment are acknowledged, it is removed. A block that was
 * acknowledged before an older one is read again after a rewind or by the next opening, marked
 * `again`.
 */
void spill_acknowledge(struct spill *spill, uint64_t position);

/*
 * `position` is that of a block that was read and is not acknowledged. spill_holds returns true
 * if the block was not evicted and can be read again. spill_lacks returns true if another program
 * has removed its file; the caller can then append the block again.
 */
bool spill_holds(const struct spill *spill, uint64_t position);
bool spill_lacks(const struct spill *spill, uint64_t position);

/*
 * Notes that a block that was read may have been sent. If it is read again, after a rewind or by
 * the next run, it and all earlier blocks are marked `again`. A block without this note was not
 * sent, unless the run was killed: then all blocks that the run had read are marked.
 */
void spill_note_sent(struct spill *spill, uint64_t position);

/*
 * Copies the label of the oldest block that is kept because of its label, or "" if there is no such
 * block. Ignores labels that cannot be read.
 */
void spill_kept_label(struct spill *spill, char label[SPILL_LABEL_SIZE]);

/* Continues to read with the oldest block that is not acknowledged. */
void spill_rewind(struct spill *spill);

/*
 * Removes the oldest segment, to make room. Its blocks that were read can still be acknowledged,
 * but not read again. Sets *records to the number of its unread records. Returns false with `error`
 * filled if there is no segment or it cannot be removed.
 */
bool spill_evict(struct spill *spill, uint64_t *records, struct error *error);

/* --- periodic work ---------------------------------------------------------------------------- */

/* Returns when spill_tick is due (monotonic), or INT64_MAX. */
int64_t spill_due(const struct spill *spill);

/*
 * Syncs blocks and writes the cursor, each when its interval is over, and removes complete
 * segments. `now_ns` is monotonic. Returns false with `error` filled if a call failed; it is tried
 * again after the interval.
 */
bool spill_tick(struct spill *spill, int64_t now_ns, struct error *error);

/* Checks now, not at the interval of spill_tick, whether other programs have removed files. */
void spill_check_files(struct spill *spill);

/*
 * Numbers of records since the opening. At any time
 *     recovered + appended = acknowledged + evicted + lost + held.
 */
struct spill_counts {
    uint64_t recovered; /* on disk at the opening, counted by their positions */
    uint64_t appended;  /* stored since the opening */
    uint64_t acknowledged;
    uint64_t evicted;         /* removed by spill_evict before they were read */
    uint64_t evicted_sent;    /* part of `evicted`: may have been sent before (`again`) */
    uint64_t lost;            /* damaged, or another program has removed their segment */
    uint64_t held;            /* on disk, read or not */
    uint64_t kept;            /* part of `held`: with another label, and so not read now */
    uint64_t gone;            /* part of `held`: unread, in files that were removed */
    uint64_t bytes;           /* size of all segments on disk */
    uint64_t recovered_bytes; /* size of all segments on disk at the opening */
};

struct spill_counts spill_counts(const struct spill *spill);

/*
 * Syncs all blocks (unless SPILL_SYNC_NEVER), writes the cursor, and releases the folder. Returns
 * false with `error` filled if a call failed; the spill is closed in any case. Returns true for
 * NULL.
 */
bool spill_close(struct spill *spill, struct error *error);

#endif
