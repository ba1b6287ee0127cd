/*
 * A spill in the scratch directory's folder "spill", and blocks that can be told from each other: a
 * block's number decides how many records it has, its layout and its image. A function that fails
 * ends the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_SPILL_SPILLING_H
#define SLUICE_TESTS_SUPPORT_SPILL_SPILLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/spill/inspection.h"
#include "collector/spill/spill.h"

/* Bytes of the largest image, and of a segment, which holds a few of them. */
#define SPILLING_IMAGE   ((size_t)600)
#define SPILLING_SEGMENT ((uint64_t)4000)

/* Blocks from this number on have small images, of at most SPILLING_SMALL_IMAGE bytes. */
#define SPILLING_SMALL       ((uint64_t)5000)
#define SPILLING_SMALL_IMAGE ((size_t)60)

/* A spill of 1 MiB in small segments, which writes its cursor at each tick. */
struct spill_settings spilling_settings(void);

/* The same for small blocks: a segment has about three of them. */
struct spill_settings spilling_small_settings(void);

/* Opens it with these settings, or with spilling_settings(). Its log lines are dropped. */
struct spill *spilling_open_with(const struct spill_settings *settings);
struct spill *spilling_open(void);
void spilling_close(struct spill *spill);

/* Inspects it, which must change nothing in the folder. */
struct spill_inspection spilling_inspect(const struct spill_settings *settings, int64_t until_ns);

/* Opens it after an inspection, which must have found what the opening does. */
struct spill *spilling_open_inspected(const struct spill_settings *settings);

uint32_t spilling_count(uint64_t number);

/* Fills `bytes` (SPILLING_IMAGE of them); returns the size of the image. */
size_t spilling_image(uint64_t number, uint8_t *bytes);

/* Offers the block of that number, its image in two pieces. */
enum spill_stored spilling_offer(struct spill *spill, uint64_t number, struct error *error);

/* The same; it must be taken. Also of all numbers from `first` on and below `end`. */
void spilling_append(struct spill *spill, uint64_t number);
void spilling_append_all(struct spill *spill, uint64_t first, uint64_t end);

/* Reads a block, which must be just as it was appended. Returns false where there is none. */
bool spilling_read(struct spill *spill, uint64_t *number);

/* The next ones are these, up to `end`; each is acknowledged where `acknowledge` is set. */
void spilling_expect(struct spill *spill, uint64_t first, uint64_t end, bool acknowledge);

/* Records of the blocks from `first` on and below `end`. */
uint64_t spilling_records(uint64_t first, uint64_t end);

/* Its counts, which must balance. */
struct spill_counts spilling_counts(const struct spill *spill);

/* Writes its cursor, and removes segments whose blocks are complete. */
void spilling_tick(struct spill *spill);

/* Its segments, oldest first: how many there are, and the name of one in the scratch directory. */
size_t spilling_segments(void);
const char *spilling_segment(size_t place);

/* Copies all files of the folder "spill" to another folder, or from there back into it. */
void spilling_save(void);
void spilling_restore(void);

#endif
