/*
 * Blocks of lines for a delivery, and how a sink's thread serves one until it has answered. Each
 * function fails the running cmocka test where it cannot do what it says.
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

/* The destination has to take it at once. */
void delivery_lines_send(struct destination *destination, struct delivery_lines *lines);

/* Serves the destination, sleeping as a sink's thread does, until a block has its answer. */
struct delivery_block *delivery_await(struct destination *destination, struct wakeup *wakeup,
                                      struct error *error);

/* All records have become this. */
void delivery_lines_assert(const struct delivery_lines *lines, enum delivery_outcome fate);

#endif
