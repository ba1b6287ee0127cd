/*
 * Field numbers of the message Legacy (tests/proto/legacy.proto), and a cmocka setup that decodes
 * it.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROTO_LEGACY_H
#define SLUICE_TESTS_SUPPORT_PROTO_LEGACY_H

#include <protobuf-c/protobuf-c.h>

#include "tests/support/proto/decoding.h"
#include "tests/support/test.h"

enum { GROUP_START = 3, GROUP_END = 4 };

enum {
    NUMBER = 1,
    TEXT = 2,
    DATA = 3,
    PAIR = 4,
    ITEM = 5,
    COLOUR = 6,
    COLOURS = 7,
    PACKED_COLOURS = 8,
    CHOSEN = 9,
    COUNT = 10,
    OTHER = 11,
    PART = 12,
    WORD = 13,
    STATES = 14,
    BY_NUMBER = 15,
    LIST = 16,
    PACKED_LIST = 17,
    CHILD = 18,
    NEEDS = 19,
    NEEDS_BY_NUMBER = 20,
    MANY_NEEDS = 21,
    FLAG = 22,
    RATIO = 23,
    STRICT = 24,
    CHILDREN = 25,
    COUNTS = 26,
    EXTRA = 100,
    EXTRAS = 101,
    EXTRA_NEEDS = 102,
    EXTENDED = 103,
    NESTED_EXTRA = 104,
    NOBODYS = 99,
};

#define GREEN 2
#define BLACK 77 /* not a value of Colour or State */

static inline int open_legacy(void **state)
{
    return decoding_set_up_shape(state, "sluice.legacy.Legacy");
}

static inline const ProtobufCMessage *message_of(const struct decoding *decoding)
{
    return decoding->message;
}

#endif
