/*
 * Messages of any type made at random, the same on every machine: what a sender writes, with some
 * of what none would.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROTO_RANDOM_MESSAGE_H
#define SLUICE_TESTS_SUPPORT_PROTO_RANDOM_MESSAGE_H

#include "proto/message/type.h"
#include "tests/support/proto/wire.h"

struct random_message {
    uint64_t state; /* of the numbers; any to begin with */
    bool odd;       /* also fields that are split, doubled, unknown, or of another wire type */
    size_t most;    /* bytes: no field begins after them */
};

/* Appends a message of the type, which nests no more than `levels` below. */
void random_message_put(struct random_message *random, struct wire *wire,
                        const struct message_type *type, unsigned levels);

/* Damages what there is in a few places: bits, bytes, pieces that are copied, moved or cut off. */
void random_message_damage(struct random_message *random, struct wire *wire);

#endif
