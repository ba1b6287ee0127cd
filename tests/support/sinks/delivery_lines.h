/*
 * Blocks of lines for a delivery, and a loop that serves it like a sink's thread. Each function
 * fails the running cmocka test if it does not succeed.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_DELIVERY_LINES_H
#define SLUICE_TESTS_SUPPORT_SINKS_DELIVERY_LINES_H

#include <stddef.h>

#include "collector/contract/delivery.h"
#include "collector/contract/destination.h"
#include "collector/platform/wakeup.h"

#define DELIVERY_LINES 300 /* of a block, at most */

struct delivery_lines {
    char bytes[DELIVERY_LINES * 16];
    char keys[DELIVERY_LINES * 4];
    struct delivery_record records[DELIVERY_LINES];
    struct delivery_block block;
};

/* A block of `count` records, "line 0", "line 1" and so on, without keys. */
void delivery_lines_fill(struct delivery_lines *lines, const char *route, size_t count);

/* Hands the block over; the destination must accept it at once. */
void delivery_lines_send(struct destination *destination, struct delivery_lines *lines);

/* Serves the destination, sleeping as a sink's thread does, until a block has its answer. */
struct delivery_block *delivery_await(struct destination *destination, struct wakeup *wakeup,
                                      struct error *error);

/* Asserts that all records have this outcome. */
void delivery_lines_assert(const struct delivery_lines *lines, enum delivery_outcome fate);

#endif
