/*
 * Builds blocks of lines for a delivery, and serves the delivery as a sink's thread does. An error
 * fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_DELIVERY_LINES_H
#define SLUICE_TESTS_SUPPORT_SINKS_DELIVERY_LINES_H

#include <stddef.h>

#include "collector/contract/delivery.h"
#include "collector/contract/destination.h"
#include "collector/platform/wakeup.h"

#define DELIVERY_LINES 300 /* most records in a block */

struct delivery_lines {
    char bytes[DELIVERY_LINES * 16];
    char keys[DELIVERY_LINES * 4];
    struct delivery_record records[DELIVERY_LINES];
    struct delivery_block block;
};

/* Fills the block with `count` records without keys: "line 0", "line 1" and so on. */
void delivery_lines_fill(struct delivery_lines *lines, const char *route, size_t count);

/* Hands over the block. The destination must accept it at once. */
void delivery_lines_send(struct destination *destination, struct delivery_lines *lines);

/*
 * Serves the destination as a sink's thread does until a block has an answer, and returns that
 * block.
 */
struct delivery_block *delivery_await(struct destination *destination, struct wakeup *wakeup,
                                      struct error *error);

/* Asserts that all records have this outcome. */
void delivery_lines_assert(const struct delivery_lines *lines, enum delivery_outcome fate);

#endif
