/*
 * The message types of a FileDescriptorSet, the output of `protoc --include_imports
 * --descriptor_set_out=FILE`: read at run time, checked, and made into protobuf-c's descriptors
 * with our tables (message/type.h).
 *
 * One thread loads a set; from then on the set is immutable, and any thread may read it. A set owns
 * all types in it and does not refer to the bytes from which it was made.
 */
#ifndef SLUICE_PROTO_TYPES_TYPE_SET_H
#define SLUICE_PROTO_TYPES_TYPE_SET_H

#include "collector/base/error.h"
#include "proto/message/type.h"

struct type_set;

/*
 * Makes the types of the descriptor set in `bytes`. `name` is the set's name in errors
 * ("metrics.desc"). `compiled` is NULL, or a descriptor of protoc-c's code: types that are
 * reachable from it get the struct layout of that code, and a field that the code lacks is unknown.
 *
 * Proto2, proto3 and the editions 2023 and 2024 are supported. The types of a file that is written in
 * anything else, and types that contain one of these, are not found (type_set_require says why); the
 * other types are not affected. Every extension in the set becomes a field of the message that it
 * extends; of several with one number, the first one (type_set_warning). Returns 0, or -1 with
 * `error` filled: EXIT_CODE_CONFIG with one line that describes the problem, EXIT_CODE_INTERNAL if
 * memory is short.
 */
int type_set_load(const char *name, const void *bytes, size_t size,
                  const ProtobufCMessageDescriptor *compiled, struct type_set **out,
                  struct error *error);

/* A bytes field, and facts about it that the set does not contain. */
struct field_change {
    const char *message; /* full name of the message that has the field */
    const char *field;   /* name of the field; of an extension the full name */
    bool hex;            /* the bytes are hexadecimal in JSON, not base64 */
};

/*
 * Loads a set like type_set_load, with changes. A change for a field that is not in the set has no
 * effect. The changes belong to the caller and are only needed during the call.
 */
int type_set_load_changed(const char *name, const void *bytes, size_t size,
                          const ProtobufCMessageDescriptor *compiled,
                          const struct field_change *changes, size_t change_count,
                          struct type_set **out, struct error *error);

/* NULL is allowed. */
void type_set_destroy(struct type_set *set);

/*
 * Returns the first problem of the set that does not prevent its use, as a text for the log, and
 * sets *more to the number of further ones. The set owns the text. NULL: there is no problem.
 */
const char *type_set_warning(const struct type_set *set, size_t *more);

/*
 * Returns the message type with the full name ("package.Type") of `length` bytes at `full_name`, or
 * NULL if there is none, or if it needs an edition that is not supported.
 */
const struct message_type *type_set_find(const struct type_set *set, const char *full_name,
                                         size_t length);

/* The number of message types, and the one at an index, in the order of their full names. */
size_t type_set_count(const struct type_set *set);
const struct message_type *type_set_at(const struct type_set *set, size_t index);

/* The name of the .proto file that has the message type at this index. */
const char *type_set_file_at(const struct type_set *set, size_t index);

/*
 * Returns the message type with that full name. If there is no such message, if it is the entry of a
 * map, or if it needs an edition that is not supported, returns NULL with `error` filled, which
 * suggests the probable name.
 */
const struct message_type *type_set_require(const struct type_set *set, const char *full_name,
                                            struct error *error);

#endif
