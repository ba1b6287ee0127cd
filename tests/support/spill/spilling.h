/*
 * A spill in the scratch directory's folder "spill", and blocks that differ from each other: a
 * block's number decides its number of records, its layout and its image. If a function fails, the
 * running cmocka test fails.
 */
#ifndef SLUICE_TESTS_SUPPORT_SPILL_SPILLING_H
#define SLUICE_TESTS_SUPPORT_SPILL_SPILLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/spill/inspection.h"
#include "collector/spill/spill.h"

/* The sizes in bytes of the largest image, and of a segment, which has a few images. */
#define SPILLING_IMAGE   ((size_t)600)
#define SPILLING_SEGMENT ((uint64_t)4000)

/* Blocks from this number on have small images, of at most SPILLING_SMALL_IMAGE bytes. */
#define SPILLING_SMALL       ((uint64_t)5000)
#define SPILLING_SMALL_IMAGE ((size_t)60)

/* Settings of a spill of 1 MiB with small segments; the cursor is written at each tick. */
struct spill_settings spilling_settings(void);

/* As spilling_settings, for small blocks: a segment has about three of them. */
struct spill_settings spilling_small_settings(void);

/*
 * Opens the spill with these settings, or with spilling_settings(). The spill's log lines are
 * dropped.
 */
struct spill *spilling_open_with(const struct spill_settings *settings);
struct spill *spilling_open(void);
void spilling_close(struct spill *spill);

/* Inspects the spill; no file in its folder may change. */
struct spill_inspection spilling_inspect(const struct spill_settings *settings, int64_t until_ns);

/* Inspects the spill and then opens it; both must find the same. */
struct spill *spilling_open_inspected(const struct spill_settings *settings);

uint32_t spilling_count(uint64_t number);

/* Writes the image of a block to `bytes`, which have room for SPILLING_IMAGE. Returns its size. */
size_t spilling_image(uint64_t number, uint8_t *bytes);

/* Appends the block of that number, its image in two pieces. Returns the result. */
enum spill_stored spilling_offer(struct spill *spill, uint64_t number, struct error *error);

/*
 * The same, but the block must be stored. append_all appends the blocks from `first` up to, but
 * without, `end`.
 */
void spilling_append(struct spill *spill, uint64_t number);
void spilling_append_all(struct spill *spill, uint64_t first, uint64_t end);

/* Reads a block, which must be as it was appended. Returns false if there is none. */
bool spilling_read(struct spill *spill, uint64_t *number);

/*
 * Reads the blocks from `first` up to, but without, `end`, which must come next. If `acknowledge`
 * is set, acknowledges each.
 */
void spilling_expect(struct spill *spill, uint64_t first, uint64_t end, bool acknowledge);

/* The number of records in the blocks from `first` up to, but without, `end`. */
uint64_t spilling_records(uint64_t first, uint64_t end);

/* The spill's counts, which must balance. */
struct spill_counts spilling_counts(const struct spill *spill);

/* Writes the cursor, and removes segments whose blocks are all acknowledged. */
void spilling_tick(struct spill *spill);

/*
 * The number of segments; and the name of the one at `place` (0 is the oldest), in the scratch
 * directory.
 */
size_t spilling_segments(void);
const char *spilling_segment(size_t place);

/* save copies all files of the folder "spill" to another folder; restore copies them back. */
void spilling_save(void);
void spilling_restore(void);

#endif
