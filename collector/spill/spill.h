/*
 * A queue of blocks on disk, bounded, oldest first: where a sink's records wait while what they are
 * sent to is away. It knows nothing of destinations and encoders: a block is an image, bytes that
 * its caller lays out and understands, and the number of records in it.
 *
 * Lifecycle: open, append and read in any order, close. One thread at a time. At a reload the
 * next sink takes it from the one before, open and with its lock, and changes its settings. What is
 * allocated is allocated by open and change; only opening a segment allocates where the system
 * needs that for a name.
 *
 * In the folder: segments, which hold nothing but blocks and are named by the position of their
 * first record ("00000000000000001200.seg"); "ack", the cursor; "lock"; segments whose blocks have
 * another label, ending in ".kept" (kept.h); and, ending in ".bad", the last two segments that were
 * damaged, which do not count towards its size. A position is the number of records that were
 * stored before, in all runs. Each block has its own, so the segments say what there is, and how
 * many records damage has cost. The cursor may only be old: then a block is read again. It also
 * says up to where blocks were read, before any of them is handed out, so that it is known of each
 * block whether it may have been sent before; and up to where blocks were stored, so that it is
 * known how many are missing at the end.
 *
 * A block has the label of the settings that it was stored with. A block with another label is not
 * read: it is kept until the settings have its label again.
 *
 * After kill -9 each block is there whose append had returned. After a power cut those may be gone
 * that were appended after the last sync, and what was acknowledged after the last write of the
 * cursor is read again. With SPILL_SYNC_NEVER it is not known then what was sent. A damaged block
 * costs itself alone. No damage keeps a spill from being opened, or from being read to its end.
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

/* When blocks are made to reach the disk. */
enum spill_sync {
    SPILL_SYNC_NEVER,    /* by no call of ours, not even for the cursor */
    SPILL_SYNC_INTERVAL, /* by spill_tick, each sync_interval_ns */
    SPILL_SYNC_CLOSE,    /* when a segment is complete, and when the spill is closed */
    SPILL_SYNC_ALWAYS,   /* each block before its append returns */
};

/* Bytes of a segment, at most. It is smaller where a sixteenth of the spill's size is. */
#define SPILL_SEGMENT_SIZE ((uint64_t)64 * 1024 * 1024)

/* Bytes of an image, at most, and of what stands before each on disk. */
#define SPILL_IMAGE_MAX ((size_t)64 * 1024 * 1024)
#define SPILL_HEAD_SIZE ((size_t)64)

/* Bytes of a label, at most, with its NUL, which is not stored. */
#define SPILL_LABEL_SIZE ((size_t)1024)

struct spill_settings {
    const char *label;     /* what the images are; each block bears it. NULL: they have none */
    const char *folder;    /* made where it is not there, with those above it */
    uint64_t size;         /* bytes of all segments, at most; ≥ 4 of the largest blocks */
    uint64_t segment_size; /* 0: as SPILL_SEGMENT_SIZE says; ≥ 2 of the largest blocks */
    size_t image_size;     /* bytes of the largest image that is appended */
    size_t window;         /* blocks read and not acknowledged, at most (≥ 1) */
    enum spill_sync sync;
    struct disk_reserve reserve; /* what stays free of the disk */
    int64_t sync_interval_ns;    /* > 0 */
    int64_t cursor_interval_ns;  /* how long what was acknowledged may be unwritten; > 0 */
};

/*
 * Opens the spill of a folder, and makes one of it where it is none. `settings` need not outlive
 * the call. Returns 0, or -1 with `error` filled: EXIT_CODE_CONFIG where another sink or program
 * has the folder open, or the sizes do not fit each other; EXIT_CODE_CANNOT_CREATE where the folder
 * cannot be used; EXIT_CODE_INTERNAL without memory. Damage is logged, and no error.
 */
int spill_open(const struct spill_settings *settings, struct spill **out, struct error *error);

/*
 * Other settings from now on; the folder must be the same. What was read and not acknowledged is
 * read again, as spill_rewind says. Returns 0, or -1 with `error` filled and the settings as they
 * were.
 */
int spill_change(struct spill *spill, const struct spill_settings *settings, struct error *error);

/* The folder as it was given. */
const char *spill_folder(const struct spill *spill);

/*
 * A random number that no other opening of a spill has: with it the numbers of the records that the
 * caller counts are unique. A stored block keeps that of the run which appended it.
 */
uint64_t spill_epoch(const struct spill *spill);

/* --- blocks ----------------------------------------------------------------------------------- */

struct spill_block {
    uint64_t number; /* of its first record: the caller's, stored as it is */
    uint32_t count;  /* records in it, ≥ 1 */
    uint32_t layout; /* of its image: the caller's number, stored as it is */

    /* Filled by a read: */
    uint64_t position; /* of its first record; identifies the block until it is acknowledged */
    uint64_t epoch;    /* of the run that appended it */
    size_t size;       /* bytes of its image */
    bool again;        /* it was read before, and may have been sent */
};

/* Pieces of an image, at most. */
#define SPILL_PIECES_MAX 8

enum spill_stored {
    SPILL_STORED,
    SPILL_FULL,   /* the spill has its size, or the disk no room or only its reserve: evict, or
                     try again later */
    SPILL_FAILED, /* the system refuses, as `error` says; it may work later */
};

/*
 * Stores a block after all others. Its image is the pieces one after the other, of 1 to image_size
 * bytes together. After FULL and FAILED nothing is stored and `error` says why. With
 * SPILL_SYNC_ALWAYS a block that was written and cannot be synced is taken off the disk. Where that
 * fails too it is tried again later.
 */
enum spill_stored spill_append(struct spill *spill, const struct spill_block *block,
                               const struct text *pieces, size_t count, struct error *error);

/*
 * Stores a block that stays in the caller's memory, and fills *position: the block counts as read.
 * All stored blocks must have been read before, and no records be held but theirs: records that are
 * lost after them are held until the last of them is acknowledged and the end is read once more.
 * Also returns SPILL_FULL when the window has no room (spill_room).
 */
enum spill_stored spill_append_read(struct spill *spill, const struct spill_block *block,
                                    const struct text *pieces, size_t count, uint64_t *position,
                                    struct error *error);

/*
 * The block that begins with this number was not stored, and is not stored again: its caller gives
 * it up. Returns whether it is still on disk, where the next opening may find it. A block that was
 * not stored and not given up went another way, and is not found.
 */
bool spill_give_up(struct spill *spill, uint64_t number);

enum spill_found {
    SPILL_FOUND,           /* *block is filled, and its image is in the caller's buffer */
    SPILL_FOUND_TOO_LARGE, /* the same without the image, which does not fit: to be given up, or
                              read again after a rewind, with more room for block->size bytes */
    SPILL_FOUND_NONE,      /* all that is there was read, or the window is full */
    SPILL_FOUND_FAILED,    /* the system cannot read it now, as `error` says: try again later. What
                              it cannot read for the third time is damaged */
};

/*
 * Reads the oldest block that was not read yet, and checks it. What is damaged before it is passed
 * over and counted.
 */
enum spill_found spill_read(struct spill *spill, void *bytes, size_t size,
                            struct spill_block *block, struct error *error);

/* Whether a read would find something, or find that it is missing. */
bool spill_has_unread(const struct spill *spill);

/* How many blocks more can be read before one is acknowledged. */
size_t spill_room(const struct spill *spill);

/*
 * The block that was read at this position is done with, once; in any order. When all earlier
 * blocks are acknowledged too it is not read again. A segment is removed when all its blocks are
 * acknowledged. A block that was acknowledged before an older one is read again after a rewind or
 * by the next opening, marked as sent.
 */
void spill_acknowledge(struct spill *spill, uint64_t position);

/*
 * Of a block that was read and is not acknowledged: whether it is still on disk, or was evicted;
 * and whether another program removed its segment's file, so that the caller may append it again.
 */
bool spill_holds(const struct spill *spill, uint64_t position);
bool spill_lacks(const struct spill *spill, uint64_t position);

/*
 * Notes that such a block may have been sent: if it is read again, after a rewind or by the next
 * run, it and all earlier blocks are marked `again`. A block without a note was not sent, unless
 * the run was killed: then all blocks that it had read are marked.
 */
void spill_note_sent(struct spill *spill, uint64_t position);

/* The label of the oldest block that has another label; "": no such block, or not readable. */
void spill_kept_label(struct spill *spill, char label[SPILL_LABEL_SIZE]);

/* Reads again from the oldest block on that is not acknowledged. */
void spill_rewind(struct spill *spill);

/*
 * Makes room: removes the oldest segment. What was read of it can still be acknowledged, but not
 * read again. Returns false with `error` filled where there is none or it cannot be removed;
 * otherwise *records says how many were lost by it.
 */
bool spill_evict(struct spill *spill, uint64_t *records, struct error *error);

/* --- what must be done from time to time ------------------------------------------------------ */

/* When spill_tick has something to do: monotonic; INT64_MAX: nothing. */
int64_t spill_due(const struct spill *spill);

/*
 * Makes blocks reach the disk and writes the cursor, each when its interval is over; removes
 * segments that are done with. `now_ns` is monotonic. Returns false with `error` filled where a
 * call failed; it is tried again after the interval.
 */
bool spill_tick(struct spill *spill, int64_t now_ns, struct error *error);

/* Finds out now what spill_tick finds out at its interval: files that others have removed. */
void spill_check_files(struct spill *spill);

/*
 * Records, since it was opened. At any time
 *     recovered + appended = acknowledged + evicted + lost + held.
 */
struct spill_counts {
    uint64_t recovered; /* were there, by their positions, when it was opened */
    uint64_t appended;  /* were stored since */
    uint64_t acknowledged;
    uint64_t evicted;         /* their segment was removed before they were read */
    uint64_t lost;            /* by damage, or because their segment is gone */
    uint64_t held;            /* are there, read or not */
    uint64_t kept;            /* of these: under another label, and not read while it is another */
    uint64_t gone;            /* of these: not read yet, and their files were removed */
    uint64_t bytes;           /* of all segments on disk */
    uint64_t recovered_bytes; /* the same when it was opened */
};

struct spill_counts spill_counts(const struct spill *spill);

/*
 * Makes all reach the disk (unless SPILL_SYNC_NEVER), writes the cursor, and lets go of the folder.
 * Returns false with `error` filled where a call failed; it is closed all the same. NULL is
 * allowed: true.
 */
bool spill_close(struct spill *spill, struct error *error);

#endif
