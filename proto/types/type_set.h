/*
 * Loads the message types of a FileDescriptorSet, which `protoc --include_imports
 * --descriptor_set_out=FILE` writes. The types are checked at run time, and made into protobuf-c's
 * descriptors with our own tables (message/type.h).
 *
 * One thread loads a set. After that the set is constant, and any thread may read it. A set owns
 * all its types, and does not refer to the bytes that it was made from.
 */
#ifndef SLUICE_PROTO_TYPES_TYPE_SET_H
#define SLUICE_PROTO_TYPES_TYPE_SET_H

#include "collector/base/error.h"
#include "proto/message/type.h"

struct type_set;

/*
 * Makes the types of the descriptor set in `bytes`. `name` is the set's name in errors
 * ("metrics.desc"). `compiled` is NULL, or a descriptor in protoc-c's code: types that can be
 * reached from it get the struct layout of that code, and fields that the code lacks are unknown.
 *
 * proto2, proto3 and the editions 2023 and 2024 are supported. Types of a file in any other syntax
 * or edition, and types that contain one of these, are not found (type_set_require has the
 * reason); the others are not affected. Every extension in the set becomes a field of the message
 * that it extends. If several have the same number, the first one does (type_set_warning).
 *
 * Returns 0, or -1 with `error` filled: EXIT_CODE_CONFIG with one line that describes the problem,
 * or EXIT_CODE_INTERNAL if memory is short.
 */
int type_set_load(const char *name, const void *bytes, size_t size,
                  const ProtobufCMessageDescriptor *compiled, struct type_set **out,
                  struct error *error);

/* A property of a bytes field that the set does not contain. */
struct field_change {
    const char *message; /* full name of the message with the field */
    const char *field;   /* of an extension: the full name */
    bool hex;            /* JSON has hexadecimal digits, not base64 */
};

/*
 * Loads a set like type_set_load, with changes, which are only used during the call. A change for a
 * field that is not in the set has no effect.
 */
int type_set_load_changed(const char *name, const void *bytes, size_t size,
                          const ProtobufCMessageDescriptor *compiled,
                          const struct field_change *changes, size_t change_count,
                          struct type_set **out, struct error *error);

/* NULL is allowed. */
void type_set_destroy(struct type_set *set);

/*
 * Returns a text for the log about the first problem that does not prevent the set's use, or NULL.
 * Sets *more to the number of further problems. The set owns the text.
 */
const char *type_set_warning(const struct type_set *set, size_t *more);

/*
 * Returns the message type with the full name ("package.Type") at `full_name`, of `length` bytes.
 * Returns NULL if there is none, or if it needs an edition that is not supported.
 */
const struct message_type *type_set_find(const struct type_set *set, const char *full_name,
                                         size_t length);

/* Return the number of message types, and the type at an index, in the order of full names. */
size_t type_set_count(const struct type_set *set);
const struct message_type *type_set_at(const struct type_set *set, size_t index);

/* Returns the name of the .proto file with the message type at this index. */
const char *type_set_file_at(const struct type_set *set, size_t index);

/*
 * Returns the message type with this full name. Returns NULL with `error` filled if there is no
 * such message (the error then suggests a similar name), if it is the entry of a map, or if it
 * needs an edition that is not supported.
 */
const struct message_type *type_set_require(const struct type_set *set, const char *full_name,
                                            struct error *error);

#endif
