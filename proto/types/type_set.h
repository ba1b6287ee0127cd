/*
 * The message types of a FileDescriptorSet, the output of `protoc --include_imports
 * --descriptor_set_out=FILE`: read at run time, checked, and made into protobuf-c's descriptors
 * with our tables (message/type.h).
 *
 * A set is loaded once, by one thread, then immutable: any thread may read it. It owns all types in
 * it and does not refer to the bytes from which it was made.
 */
#ifndef SLUICE_PROTO_TYPES_TYPE_SET_H
#define SLUICE_PROTO_TYPES_TYPE_SET_H

#include "collector/base/error.h"
#include "proto/message/type.h"

struct type_set;

/*
 * Makes the types of a set of `size` bytes. `name` is its name in errors ("metrics.desc").
 * `compiled` is NULL, or a descriptor of protoc-c's code: types reachable from it have the struct
 * layout of that code (a field that the code lacks is unknown then).
 *
 * Proto2, proto3 and edition 2023; every extension in the set becomes a field of the message that
 * it extends. Returns 0, or -1 with `error` filled: EXIT_CODE_CONFIG with one line that describes
 * the problem, EXIT_CODE_INTERNAL if memory is short.
 */
int type_set_load(const char *name, const void *bytes, size_t size,
                  const ProtobufCMessageDescriptor *compiled, struct type_set **out,
                  struct error *error);

/* Facts about a bytes field that the set does not contain. */
struct field_change {
    const char *message; /* full name of the message that has the field */
    const char *field;   /* its name; of an extension the full name */
    const char *type;    /* not NULL: the bytes are a message of the set with that full name */
    bool hex;            /* JSON has them in hexadecimal, not in base64 */
};

/*
 * The same, with changes. A field whose bytes are a message becomes a field of that message, which
 * has the same encoding: it is decoded with its message, within the same limits. A change for a
 * field that is not in the set has no effect. The changes belong to the caller and are only needed
 * during the call.
 */
int type_set_load_changed(const char *name, const void *bytes, size_t size,
                          const ProtobufCMessageDescriptor *compiled,
                          const struct field_change *changes, size_t change_count,
                          struct type_set **out, struct error *error);

/* NULL is allowed. */
void type_set_destroy(struct type_set *set);

/* The message with that full name ("package.Type") of `length` bytes, or NULL. */
const struct message_type *type_set_find(const struct type_set *set, const char *full_name,
                                         size_t length);

/* The same; if there is none, NULL with `error` filled, which suggests the probable name. */
const struct message_type *type_set_require(const struct type_set *set, const char *full_name,
                                            struct error *error);

#endif
