/*
 * Makes random messages of any type, the same on every machine. They are valid. With `odd`, some
 * have forms that no encoder writes.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROTO_RANDOM_MESSAGE_H
#define SLUICE_TESTS_SUPPORT_PROTO_RANDOM_MESSAGE_H

#include "proto/message/type.h"
#include "tests/support/proto/wire.h"

struct random_message {
    uint64_t state; /* state of the random numbers; may begin with any value */
    bool odd;       /* also put fields that are split, repeated, unknown, or of another wire type */
    size_t most;    /* after this number of bytes no further field is begun */
};

/* Appends a message of the type. Messages inside it are nested at most `levels` levels deep. */
void random_message_put(struct random_message *random, struct wire *wire,
                        const struct message_type *type, unsigned levels);

/* Damages the bytes at a few positions: changes bits or bytes; copies, moves or removes pieces. */
void random_message_damage(struct random_message *random, struct wire *wire);

#endif
