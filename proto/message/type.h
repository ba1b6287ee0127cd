/*
 * Message types: what protobuf-c's descriptors say, and what they do not, in tables that the
 * decoder, the encoder and the JSON mapping go by.
 *
 * A message_type stands beside each ProtobufCMessageDescriptor and a field_type beside each of its
 * fields: the true type (a string is bytes to protobuf-c, whose own strings end at the first NUL),
 * where the field lies and how its presence is marked, whether an enum is closed, what is a map, a
 * group, an extension, or one of protobuf's well-known types.
 *
 * Made by a type_set (proto/types/type_set.h), which owns them. Immutable; any thread may read.
 */
#ifndef SLUICE_PROTO_MESSAGE_TYPE_H
#define SLUICE_PROTO_MESSAGE_TYPE_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message_type;
struct type_set;

/* The types of a field, numbered as in FieldDescriptorProto.Type of descriptor.proto. */
enum field_kind {
    KIND_DOUBLE = 1,
    KIND_FLOAT = 2,
    KIND_INT64 = 3,
    KIND_UINT64 = 4,
    KIND_INT32 = 5,
    KIND_FIXED64 = 6,
    KIND_FIXED32 = 7,
    KIND_BOOL = 8,
    KIND_STRING = 9,
    KIND_GROUP = 10,
    KIND_MESSAGE = 11,
    KIND_BYTES = 12,
    KIND_UINT32 = 13,
    KIND_ENUM = 14,
    KIND_SFIXED32 = 15,
    KIND_SFIXED64 = 16,
    KIND_SINT32 = 17,
    KIND_SINT64 = 18,
    KIND_END
};

/* How a field's presence is marked. */
enum field_presence {
    PRESENCE_IMPLICIT, /* it is not its type's zero */
    PRESENCE_FLAG,     /* a protobuf_c_boolean at `quantifier` */
    PRESENCE_ONEOF,    /* the uint32_t at `quantifier` is its number */
    PRESENCE_POINTER,  /* a message or group: the pointer is not NULL */
    PRESENCE_REQUIRED, /* always, in a message that was decoded */
    PRESENCE_REPEATED, /* a size_t at `quantifier` counts its elements */
};

/* The types of google.protobuf that have a JSON form of their own. */
enum well_known {
    WELL_KNOWN_NOT,
    WELL_KNOWN_ANY,
    WELL_KNOWN_DURATION,
    WELL_KNOWN_FIELD_MASK,
    WELL_KNOWN_LIST_VALUE,
    WELL_KNOWN_STRUCT,
    WELL_KNOWN_TIMESTAMP,
    WELL_KNOWN_VALUE,
    WELL_KNOWN_WRAPPER,
};

struct field_type {
    uint32_t number;
    uint32_t offset;     /* of the value, or of the pointer to the elements, in the message */
    uint32_t quantifier; /* offset of what marks its presence or counts its elements */
    uint16_t required;   /* its place among the required fields */
    uint8_t kind;        /* enum field_kind */
    uint8_t presence;    /* enum field_presence */
    uint8_t wire_type;   /* of one value */
    uint8_t size;        /* bytes of one value in memory; messages: of a pointer */
    bool packable;       /* a repeated field that may come packed, whichever way it was declared */
    bool packed;         /* and goes out packed */
    bool closed;         /* an enum value that is not known is an unknown field */
    bool utf8;           /* a string that is not UTF-8 makes the message malformed */
    bool map;
    bool closed_values; /* a map whose values are of a closed enum */
    bool null_value;    /* the enum is google.protobuf.NullValue */
    bool hex;           /* bytes that JSON has in hexadecimal */
    bool extension;
    const struct message_type *message; /* of messages and groups */
    const ProtobufCEnumDescriptor *enumeration;
    const char *json_key; /* "\"lowerCamelCase\":", with its length in bytes */
    size_t json_key_size;
    const char *proto_key; /* "\"as_in_the_file\":"; of an extension both are "[full.name]" */
    size_t proto_key_size;
    const ProtobufCFieldDescriptor *descriptor;
};

/* A prototype may be read in pieces of so many bytes. */
#define PROTOTYPE_PIECE ((size_t)64)

/* Tags of one byte, as nearly all are. */
#define ONE_BYTE_TAGS 128

struct plain_step;

struct message_type {
    const ProtobufCMessageDescriptor *descriptor;
    const struct field_type *fields; /* field_count of them, by number */
    size_t field_count;
    const uint16_t *direct;   /* by number: place in `fields` plus 1, or 0 */
    size_t direct_count;      /* numbers that `direct` covers */
    const uint16_t *repeated; /* places of the repeated fields */
    size_t repeated_count;
    const void *prototype;  /* an empty message: `size` bytes, and no less than whole pieces */
    size_t size;            /* of a message that we decode: the struct, and a bit for each */
    size_t required_offset; /* required field, which protobuf-c has no room for: uint64_t words */
    size_t required_count;
    bool has_maps;
    bool map_entry;
    bool message_set; /* message_set_wire_format: its fields are items (wire.h) */
    enum well_known well_known;
    const struct type_set *set; /* that it belongs to */

    /* For message/plain.h, which says what they are. */
    bool plain;                     /* this type and all that it may hold */
    const struct plain_step *steps; /* for each place in `fields`, after two of no field */
    uint8_t step_of[ONE_BYTE_TAGS]; /* by tag: place in `steps` */
};

/* The field of that number, or NULL. */
static inline const struct field_type *message_type_find(const struct message_type *type,
                                                         uint32_t number)
{
    if (number < type->direct_count) {
        uint16_t place = type->direct[number];
        return place == 0 ? NULL : &type->fields[place - 1];
    }
    size_t low = 0;
    size_t high = type->field_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (type->fields[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < type->field_count && type->fields[low].number == number ? &type->fields[low]
                                                                         : NULL;
}

/* Where a field lies in a message, and what marks its presence. */
static inline void *field_place(const struct field_type *field, void *message)
{
    return (char *)message + field->offset;
}

static inline const void *field_value(const struct field_type *field, const void *message)
{
    return (const char *)message + field->offset;
}

static inline size_t *field_count(const struct field_type *field, void *message)
{
    return (size_t *)(void *)((char *)message + field->quantifier);
}

static inline size_t field_elements(const struct field_type *field, const void *message)
{
    return *(const size_t *)(const void *)((const char *)message + field->quantifier);
}

/* The value of that number (the first of its names), or NULL. */
const ProtobufCEnumValue *enum_find(const ProtobufCEnumDescriptor *type, int32_t number);

/* Whether a field that occurs at most once is there. */
bool field_is_present(const struct field_type *field, const void *message);

#endif
