/*
 * Converts a delivery's block to contiguous bytes and back. A spill stores blocks in this form, so
 * that they can be sent again with the same ids, without being encoded again.
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

/* The version of the image's layout. */
#define DELIVERY_IMAGE_LAYOUT 2

/* The maximum number of pieces of an image, and the maximum number of bytes of the first piece. */
#define DELIVERY_IMAGE_PIECES 3
size_t delivery_image_head_size(void);

/* The maximum number of bytes of an image whose records have at most `record_size` bytes. */
size_t delivery_image_size(size_t record_size);

/*
 * Fills `pieces`, which together are the image of a sealed block: the head, which is written to
 * `head` (delivery_image_head_size bytes), and the block's own keys and bytes.
 */
void delivery_image_put(const struct buffered_block *buffered, uint8_t *head,
                        struct text pieces[DELIVERY_IMAGE_PIECES]);

/*
 * Copies an image into a block's memory. The number of the first record is not in the image.
 * Returns false if the bytes are not an image, or do not fit.
 */
bool delivery_image_get(const uint8_t *image, size_t size, struct buffered_block *buffered);

#endif
