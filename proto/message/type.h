/*
 * Message types: protobuf-c's descriptors and more, in tables for the decoder, the encoder and the
 * JSON mapping.
 *
 * Each ProtobufCMessageDescriptor has a message_type, and each of its fields a field_type. A
 * field_type has the true type of the field (protobuf-c's descriptors have bytes for a string,
 * because protobuf-c's strings end at the first NUL), its offset and presence mark, whether its
 * enum is closed, and whether it is a map, a group or an extension. A type_set
 * (proto/types/type_set.h) makes and owns the types. Constant; any thread may read them.
 */
#ifndef SLUICE_PROTO_MESSAGE_TYPE_H
#define SLUICE_PROTO_MESSAGE_TYPE_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message_type;
struct type_set;

/* The types of a field, numbered as in descriptor.proto (FieldDescriptorProto.Type). */
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
    PRESENCE_IMPLICIT, /* no mark: present if not zero */
    PRESENCE_FLAG,     /* a protobuf_c_boolean at `quantifier` */
    PRESENCE_ONEOF,    /* the uint32_t at `quantifier` is the field's number */
    PRESENCE_POINTER,  /* a message or group: its pointer is not NULL */
    PRESENCE_REQUIRED, /* always present in a decoded message */
    PRESENCE_REPEATED, /* the size_t at `quantifier` is the number of elements */
};

/* The types of google.protobuf with a special JSON form. */
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

/*
 * The roles that the options of a .proto file can give a field, as in Junos's files: bits of
 * field_type.roles.
 */
enum field_role {
    ROLE_KEY = 1,       /* is_key: identifies the enclosing message */
    ROLE_COUNTER = 2,   /* is_counter: a sum that only increases */
    ROLE_TIMESTAMP = 4, /* is_timestamp: the time of the enclosing message */
};

/* States whether a bytes field contains a message (proto/types/type_change.h). */
enum field_embedded {
    EMBEDDED_NOT,
    EMBEDDED_ALWAYS, /* of the same type in all messages */
    EMBEDDED_CHOSEN, /* of a type that depends on the message */
};

struct field_type {
    uint32_t number;
    uint32_t offset;     /* of the value, or of the pointer to the elements */
    uint32_t quantifier; /* offset of the presence mark, or of the number of elements */
    uint16_t required;   /* of a required field: its index among the required fields */
    uint8_t kind;        /* enum field_kind */
    uint8_t presence;    /* enum field_presence */
    uint8_t wire_type;   /* of one value */
    uint8_t size;        /* bytes of one value in memory; for a message, of its pointer */
    bool packable;       /* a repeated number, which may arrive packed or not */
    bool packed;         /* a repeated field that is written packed */
    bool closed;         /* the enum is closed: an unknown value is an unknown field */
    bool utf8;           /* a string that is not UTF-8 makes the message malformed */
    bool map;
    bool closed_values; /* a map whose values are of a closed enum */
    bool null_value;    /* the enum is google.protobuf.NullValue */
    bool hex;           /* bytes that are hexadecimal in JSON */
    bool extension;
    uint8_t embedded;                   /* enum field_embedded */
    uint8_t roles;                      /* enum field_role */
    const char *oneof;                  /* name of its oneof, or NULL */
    const struct message_type *message; /* of a message or group, else NULL */
    const ProtobufCEnumDescriptor *enumeration;
    const char *json_key; /* "\"lowerCamelCase\":" and its length in bytes */
    size_t json_key_size;
    const char *proto_key; /* "\"as_in_the_file\":"; of an extension both keys are "[full.name]" */
    size_t proto_key_size;
    const ProtobufCFieldDescriptor *descriptor;
};

/* Field numbers from `start` up to, but not including, `end`. */
struct number_range {
    uint32_t start, end;
};

/*
 * The size of a piece in bytes. A prototype has room for whole pieces, so it can be copied piece by
 * piece.
 */
#define PROTOTYPE_PIECE ((size_t)64)

/* The number of tags with one byte; nearly all tags have one. */
#define ONE_BYTE_TAGS 128

struct plain_step;

struct message_type {
    const ProtobufCMessageDescriptor *descriptor;
    const struct field_type *fields; /* field_count elements, in the order of their numbers */
    size_t field_count;
    const uint16_t *direct; /* index in `fields` plus 1, by number; 0 means no field */
    size_t direct_count;
    const uint16_t *repeated; /* indices of the repeated fields */
    size_t repeated_count;
    const void *prototype;  /* an empty message, with room for whole pieces */
    size_t size;            /* bytes of a decoded message: its struct, and words of bits */
    size_t required_offset; /* offset of the uint64_t words with a bit for each required field */
    size_t required_count;
    bool has_maps;
    bool map_entry;
    bool message_set; /* message_set_wire_format: the fields are items (wire.h) */
    /*
     * Why messages of this type cannot be read: it contains a type of an unsupported edition; else
     * NULL.
     */
    const char *not_supported;
    const struct number_range *extension_ranges; /* numbers that extensions may have */
    size_t extension_range_count;
    enum well_known well_known;
    const struct type_set *set; /* owns this type */

    /* For the fast decoder (message/fast_path.h). */
    bool plain; /* this type and those of all submessages are plain */
    bool pair;  /* the fields are two strings, as in an entry of a map from string to string, and
                   are in memory as in a struct pair */
    uint8_t pair_tags[2];
    const struct plain_step *steps; /* two without a field, and one for each element of `fields` */
    uint8_t step_of[ONE_BYTE_TAGS]; /* for each tag of one byte: index in `steps` */
};

/* Returns the field with this number, or NULL. */
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

/*
 * field_place and field_value return where a field's value is in a message. For a repeated field,
 * field_count returns where the number of elements is, and field_elements returns that number.
 */
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

/* Returns the enum value with this number, under its first name, or NULL. */
const ProtobufCEnumValue *enum_find(const ProtobufCEnumDescriptor *type, int32_t number);

/* Returns true if the field is present; a repeated field is if it has elements. */
bool field_is_present(const struct field_type *field, const void *message);

#endif
