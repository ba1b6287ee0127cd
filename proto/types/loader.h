/*
 * Shared by the files that load a type set. Each step of loading has a file: our own decoder
 * decodes the set, with types that compiled.c makes from protoc-c's code for descriptor_set.proto;
 * definitions.c lists the definitions by name; fields.c determines the properties of each field;
 * layout.c places the fields and makes protobuf-c's descriptors; well_known.c recognises protobuf's
 * own types.
 */
#ifndef SLUICE_PROTO_TYPES_LOADER_H
#define SLUICE_PROTO_TYPES_LOADER_H

#include "collector/base/error.h"
#include "collector/text/compiler.h"
#include "proto/generated/descriptor_set.pb-c.h"
#include "proto/message/type.h"
#include "proto/types/features.h"
#include "proto/types/growing_arena.h"
#include "proto/types/type_set.h"

typedef Sluice__Descriptor__FileDescriptorSet FileSet;
typedef Sluice__Descriptor__FileDescriptorProto File;
typedef Sluice__Descriptor__DescriptorProto Message;
typedef Sluice__Descriptor__FieldDescriptorProto Field;
typedef Sluice__Descriptor__EnumDescriptorProto Enum;

/* A field in the set, with its context. */
struct field_source {
    const Field *from;
    const char *name;      /* of an extension: the full name */
    struct features scope; /* of the enclosing message or oneof */
    bool extension;
    size_t order; /* of declaration: of extensions with the same number the first one counts */
    const char *not_supported; /* why its file cannot be used, or NULL */
    struct field_source *next; /* in the loader's list of extensions */
};

struct message_definition {
    const char *name; /* full name */
    const Message *from;
    const char *package;
    const char *file; /* name of its .proto file */
    struct features features;
    const ProtobufCMessageDescriptor *compiled; /* its layout is used; NULL: layout.c makes one */
    struct field_source *sources;               /* fields and extensions; fields.c sorts them */
    size_t source_count;
    struct message_type *type;
    ProtobufCMessageDescriptor *descriptor; /* NULL if `compiled` is used */
    struct field_type *fields;
    struct message_definition *next;
};

struct enum_definition {
    const char *name; /* full name */
    const Enum *from;
    const char *package;
    bool closed;
    const char *not_supported; /* why its file cannot be used, or NULL */
    ProtobufCEnumDescriptor *descriptor;
    struct enum_definition *next;
};

struct type_set {
    struct growing_arena memory;
    struct message_definition **messages; /* sorted by name */
    size_t message_count;
    struct enum_definition **enums; /* sorted by name */
    size_t enum_count;
    const char *warning; /* NULL: no warning */
    size_t warning_count;
};

struct loader {
    const char *name; /* the set's name in errors */
    struct type_set *set;
    const FileSet *files;
    ProtobufCBinaryData *file_names; /* of all files, sorted */
    const ProtobufCMessageDescriptor *compiled;
    const struct field_change *changes;
    size_t change_count;
    struct message_definition *messages;
    struct enum_definition *enums;
    struct field_source *extensions;
    size_t extension_count;
    bool has_unsupported; /* a file has an unknown syntax or edition */
    struct error *error;
};

/*
 * loader.c: both fill the error, which begins with the set's name, and return false. loader_refuse
 * appends a text that is formatted like printf.
 */
bool loader_refuse(struct loader *loader, const char *format, ...) PRINTF_LIKE(2, 3);
bool loader_no_memory(struct loader *loader);

/*
 * Copies a text of the set as a string ("" if it is absent) into the set's arena. Returns NULL if
 * memory is short.
 */
char *loader_text(struct loader *loader, ProtobufCBinaryData text);

/*
 * compiled.c: makes the type of `root`, and all types in it, from protoc-c's code. They have only
 * protobuf-c's information.
 */
const struct message_type *compiled_type(struct growing_arena *memory,
                                         const ProtobufCMessageDescriptor *root);
/* Returns the descriptor with this name that can be reached from `root`, or NULL. */
const ProtobufCMessageDescriptor *compiled_find(const ProtobufCMessageDescriptor *root,
                                                const char *name);

/* definitions.c: fills the loader's lists, then the tables of the set. */
bool loader_define(struct loader *loader);
/*
 * Returns true if the text is a name that protoc accepts or, with `dots`, several such names with
 * dots between them.
 */
bool loader_is_name(ProtobufCBinaryData text, bool dots);
struct message_definition *definition_of_message(const struct type_set *set, const char *name,
                                                 size_t length);
struct enum_definition *definition_of_enum(const struct type_set *set, const char *name,
                                           size_t length);

/*
 * supported.c: sets type->not_supported of each message that contains an unsupported type at any
 * depth.
 */
void loader_spread_unsupported(const struct loader *loader);

/* enums.c: makes the descriptor of the enum. */
bool loader_make_enum(struct loader *loader, struct enum_definition *definition);

/* fields.c: fills definition->fields, except their layout. */
bool loader_make_fields(struct loader *loader, struct message_definition *definition);

/* roles.c: sets the roles of all fields. All types must be complete. */
void loader_set_roles(const struct loader *loader);

/* defaults.c: sets descriptor->default_value if the field has one. */
bool loader_set_default(struct loader *loader, const struct field_type *field,
                        const struct field_source *source, ProtobufCFieldDescriptor *descriptor);

/* layout.c: fills the rest of the message's type. */
bool loader_lay_out(struct loader *loader, struct message_definition *definition);

/* tables.c: makes the tables for decoding, from the fields and their layout. */
bool message_type_index(struct growing_arena *memory, struct message_type *type,
                        const struct field_type *fields, size_t count);
uint8_t field_kind_size(enum field_kind kind);
uint8_t field_kind_wire_type(enum field_kind kind);

/*
 * plain_steps.c: makes the steps of the fast decoder. Returns false if memory is short.
 * loader_mark_plain is called after the steps of all types were made.
 */
bool loader_make_steps(struct growing_arena *memory, struct message_type *type);
void loader_mark_plain(const struct loader *loader);

/* Returns true if the types of all submessages are plain (message/type.h). */
bool loader_holds_plain_ones(const struct message_type *type);

/* well_known.c: recognises one of protobuf's own types, by its name and structure. */
enum well_known well_known_of(const struct message_type *type);

#endif
