/*
 * Sorts messages by the value of a field, in an arena. The worst case is O(n log n), so that a
 * sender cannot make it slow by the order of its messages.
 */
#ifndef SLUICE_PROTO_MESSAGE_ORDER_H
#define SLUICE_PROTO_MESSAGE_ORDER_H

#include "collector/base/arena.h"
#include "proto/message/type.h"

/*
 * Compares the field `key` of two messages: a singular field that is neither a message nor bytes.
 * The order is arbitrary, but always the same. Returns a number less than, equal to or greater than
 * 0.
 */
int message_compare(const struct field_type *key, const ProtobufCMessage *a,
                    const ProtobufCMessage *b);

/*
 * Returns the indices of `count` messages, sorted by the field `key`. Messages with equal values
 * keep their order. The result is in the arena. Returns NULL if the arena is full.
 */
uint32_t *message_order(const struct field_type *key, const ProtobufCMessage *const *messages,
                        size_t count, struct arena *arena);

#endif
