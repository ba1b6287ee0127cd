/*
 * Random messages of any type, the same on every machine: valid ones as senders write them and,
 * with `odd`, some that no sender writes.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROTO_RANDOM_MESSAGE_H
#define SLUICE_TESTS_SUPPORT_PROTO_RANDOM_MESSAGE_H

#include "proto/message/type.h"
#include "tests/support/proto/wire.h"

struct random_message {
    uint64_t state; /* state of the random numbers; any value at first */
    bool odd;       /* also puts fields that are split, repeated, unknown, or of another wire
                       type */
    size_t most;    /* when the message has this many bytes, no field is begun */
};

/* Appends a message of the type, with at most `levels` levels of messages below it. */
void random_message_put(struct random_message *random, struct wire *wire,
                        const struct message_type *type, unsigned levels);

/* Damages the bytes in a few places: changes bits or bytes; copies, moves or cuts off pieces. */
void random_message_damage(struct random_message *random, struct wire *wire);

#endif
