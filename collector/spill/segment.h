/* Segments: files with blocks one after the other, and their names. */
#ifndef SLUICE_COLLECTOR_SPILL_SEGMENT_H
#define SLUICE_COLLECTOR_SPILL_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/platform/data_file.h"
#include "collector/spill/block_head.h"

/* A segment that is on disk. */
struct segment {
    char name[64];  /* the name of the segment's file in the folder */
    uint64_t first; /* position of the segment's first record */
    uint64_t size;  /* bytes of the file with blocks */
    bool damaged;   /* bytes of the segment were skipped */
    bool sealed;    /* no more blocks are appended to the segment */
    bool gone;      /* the file was removed while the spill was open */
};

/* Bytes of a name in the folder, with its NUL. */
#define SEGMENT_NAME_SIZE 64

/* Digits of a name, enough for 64 bits. */
#define SEGMENT_DIGITS 20

/*
 * Writes the name of a segment, such as "00000000000000001200.seg". The ending ".bad" is for a
 * damaged segment that was set aside.
 */
void segment_name(uint64_t first, const char *ending, char name[SEGMENT_NAME_SIZE]);

enum segment_named { SEGMENT_NAME_OTHER, SEGMENT_NAME_BEGINS, SEGMENT_NAME_IS };

/*
 * Returns whether `name` is, or begins with, the name of a segment with this ending. Sets *first to
 * the number in it.
 */
enum segment_named segment_is_named(const char *name, const char *ending, uint64_t *first);

/* Returns true if a name has this ending and fits struct segment. */
bool segment_has_ending(const char *name, const char *ending);

/* The numbers of successive failed reads of a head, a label and an image. */
struct segment_failures {
    unsigned head, label, image;
};

/*
 * Failed reads, one after another, before a part of a segment counts as unreadable. The failures
 * may be temporary.
 */
#define SEGMENT_ATTEMPTS 3

/* A search for blocks in a segment. */
struct segment_walk {
    struct data_file file;
    uint64_t size;   /* the offset of the segment's end */
    uint64_t spill;  /* only blocks of this spill count; 0: blocks of any spill */
    uint64_t offset; /* the offset at which the search continues */
    bool skipped;    /* set when bytes were skipped; the caller clears it */
    bool unread;     /* set when a part of the file was skipped because it cannot be read */
    /*
     * The caller tries a failed read again later, by the same call. Without it, a failed read is
     * tried again at once.
     */
    bool waits;
    struct segment_failures failures;
};

enum segment_found {
    SEGMENT_BLOCK,
    SEGMENT_END,
    SEGMENT_FAILED, /* only if the walk waits: a read failed, as `error` says; call again later */
};

/*
 * Finds the next whole block at or after the offset, and moves the offset to its head. Does not
 * read the image. `window` is a buffer of at least SEGMENT_WINDOW_MIN bytes, in which damaged parts
 * are searched for a head. A part of the window's size that is unreadable after SEGMENT_ATTEMPTS
 * reads is skipped; the attempts to read the parts directly after it do not wait.
 */
enum segment_found segment_next(struct segment_walk *walk, uint8_t *window, size_t window_size,
                                struct block_head *head, struct error *error);

#define SEGMENT_WINDOW_MIN ((size_t)4096)

/* Moves the offset from the head of a block to after the block. */
void segment_pass(struct segment_walk *walk, const struct block_head *head);

enum segment_part {
    SEGMENT_PART_SOUND,
    SEGMENT_PART_DAMAGED,
    SEGMENT_PART_UNREADABLE, /* SEGMENT_ATTEMPTS reads have failed */
    SEGMENT_PART_FAILED,     /* only if the walk waits: a read failed, as `error` says; call again
                                later */
};

/* Reads and verifies the label of the block at the walk's offset. It is "" if there is none. */
enum segment_part segment_read_label(struct segment_walk *walk, const struct block_head *head,
                                     char label[SPILL_LABEL_SIZE], struct error *error);

/*
 * Reads and verifies the label of the block at the walk's offset, and then its image of head->size
 * bytes. Leaves the image out if the buffer, of `room` bytes, is too small for it.
 */
enum segment_part segment_read_block(struct segment_walk *walk, const struct block_head *head,
                                     char label[SPILL_LABEL_SIZE], void *image, size_t room,
                                     struct error *error);

/*
 * Reads the head at this offset. Returns false if it cannot be read, or there is no head of a block
 * of the walk's spill.
 */
bool segment_read_head(struct segment_walk *walk, uint64_t offset, struct block_head *head);

/* Opens a segment's file. Tries again at once if that fails. */
enum data_file_result segment_open(const char *path, struct data_file *file, struct error *error);

#endif
