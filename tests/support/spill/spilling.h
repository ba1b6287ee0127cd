/*
 * A spill in the folder "spill" of the scratch directory, and blocks that differ from each other:
 * the number of a block determines its number of records, its layout and its image. An error fails
 * the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_SPILL_SPILLING_H
#define SLUICE_TESTS_SUPPORT_SPILL_SPILLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/spill/inspection.h"
#include "collector/spill/spill.h"

/* The size of the largest image of a block, and the size of a segment, which has several images. */
#define SPILLING_IMAGE   ((size_t)600)
#define SPILLING_SEGMENT ((uint64_t)4000)

/* Blocks with this or a higher number have images of at most SPILLING_SMALL_IMAGE bytes. */
#define SPILLING_SMALL       ((uint64_t)5000)
#define SPILLING_SMALL_IMAGE ((size_t)60)

/* Returns settings of a spill of 1 MiB with small segments. The cursor is written at each tick. */
struct spill_settings spilling_settings(void);

/* The same as spilling_settings, for small blocks: a segment holds about three of them. */
struct spill_settings spilling_small_settings(void);

/*
 * Open the spill with these settings, or with spilling_settings(). Log lines of the spill are
 * discarded.
 */
struct spill *spilling_open_with(const struct spill_settings *settings);
struct spill *spilling_open(void);
void spilling_close(struct spill *spill);

/* Inspects the spill, and asserts that this does not change any file in its folder. */
struct spill_inspection spilling_inspect(const struct spill_settings *settings, int64_t until_ns);

/* Inspects the spill, then opens it, and asserts that both find the same counts. */
struct spill *spilling_open_inspected(const struct spill_settings *settings);

uint32_t spilling_count(uint64_t number);

/*
 * Writes the image of a block to `bytes`, which must have SPILLING_IMAGE bytes. Returns its size.
 */
size_t spilling_image(uint64_t number, uint8_t *bytes);

/* Appends block `number`, with its image in two pieces. Returns the result. */
enum spill_stored spilling_offer(struct spill *spill, uint64_t number, struct error *error);

/*
 * The same as spilling_offer, but the block must be stored. spilling_append_all appends the blocks
 * from `first` to `end` - 1.
 */
void spilling_append(struct spill *spill, uint64_t number);
void spilling_append_all(struct spill *spill, uint64_t first, uint64_t end);

/*
 * Reads the next block, which must be equal to the one that was appended. Returns false if there is
 * none.
 */
bool spilling_read(struct spill *spill, uint64_t *number);

/*
 * Reads the blocks from `first` to `end` - 1, which must come next. If `acknowledge` is set,
 * acknowledges each.
 */
void spilling_expect(struct spill *spill, uint64_t first, uint64_t end, bool acknowledge);

/* Returns the number of records in the blocks from `first` to `end` - 1. */
uint64_t spilling_records(uint64_t first, uint64_t end);

/* Returns the spill's counts. Asserts that they balance. */
struct spill_counts spilling_counts(const struct spill *spill);

/* Writes the cursor, and removes segments whose blocks are all acknowledged. */
void spilling_tick(struct spill *spill);

/*
 * spilling_segments returns the number of segments. spilling_segment returns the path of the
 * segment number `place` in the scratch directory; 0 is the oldest.
 */
size_t spilling_segments(void);
const char *spilling_segment(size_t place);

/*
 * spilling_save copies all files of the folder "spill" to another folder. spilling_restore copies
 * them back.
 */
void spilling_save(void);
void spilling_restore(void);

#endif
