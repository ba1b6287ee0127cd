/*
 * A delivery's block as contiguous bytes, and back: what a spill keeps of it, so that it can be
 * handed over again without being encoded again, under the same ids.
 *
 * Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_IMAGE_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/output/delivery_blocks.h"
#include "collector/text/text.h"

/* What the bytes are; another number is another arrangement. */
#define DELIVERY_IMAGE_LAYOUT 2

/* Pieces of an image, and bytes of the first one, at most. */
#define DELIVERY_IMAGE_PIECES 3
size_t delivery_image_head_size(void);

/* Bytes of an image, at most, where a record has at most `record_size`. */
size_t delivery_image_size(size_t record_size);

/*
 * The image of a sealed block is these pieces, one after the other: what is written to `head`,
 * which has delivery_image_head_size bytes, and the block's own keys and bytes.
 */
void delivery_image_put(const struct buffered_block *buffered, uint8_t *head,
                        struct text pieces[DELIVERY_IMAGE_PIECES]);

/*
 * Fills a block's memory with that of an image; all is copied. The number of its first record is
 * not in the image. Returns false where the image is none of a block, or has no room in it.
 */
bool delivery_image_get(const uint8_t *image, size_t size, struct buffered_block *buffered);

#endif
