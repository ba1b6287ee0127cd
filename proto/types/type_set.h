/*
 * The message types of a FileDescriptorSet, which is what `protoc --include_imports
 * --descriptor_set_out=FILE` writes: read at run time, checked, and made into protobuf-c's
 * descriptors with our tables beside them (message/type.h).
 *
 * A set is loaded once, by one thread, then immutable: any thread may read it. It owns all types
 * in it and keeps nothing of the bytes that it was made from.
 */
#ifndef SLUICE_PROTO_TYPES_TYPE_SET_H
#define SLUICE_PROTO_TYPES_TYPE_SET_H

#include "collector/base/error.h"
#include "proto/message/type.h"

struct type_set;

/*
 * Makes the types of a set of `size` bytes. `name` is what errors call it ("metrics.desc").
 * `compiled` is NULL, or a descriptor of protoc-c's code: of the types that it reaches the structs
 * are laid out as there (a field that the code lacks is unknown then).
 *
 * Proto2, proto3 and edition 2023; every extension in the set becomes a field of the message that
 * it extends. Returns 0, or -1 with `error` filled: EXIT_CODE_CONFIG with one line that says what
 * is wrong with the set, EXIT_CODE_INTERNAL where memory is short.
 */
int type_set_load(const char *name, const void *bytes, size_t size,
                  const ProtobufCMessageDescriptor *compiled, struct type_set **out,
                  struct error *error);

/* What is to be known of a bytes field, besides what the set says. */
struct field_change {
    const char *message; /* full name of the message that has the field */
    const char *field;   /* its name; of an extension the full name */
    const char *type;    /* not NULL: the bytes are a message of the set, of that full name */
    bool hex;            /* JSON has them in hexadecimal, not in base64 */
};

/*
 * As above, with changes. A field whose bytes are a message becomes a field of that message, which
 * is the same on the wire: wherever its message occurs it is decoded with the rest, within the same
 * limits. A change for what is not in the set has no effect. The changes are the caller's, needed
 * only until this returns.
 */
int type_set_load_changed(const char *name, const void *bytes, size_t size,
                          const ProtobufCMessageDescriptor *compiled,
                          const struct field_change *changes, size_t change_count,
                          struct type_set **out, struct error *error);

/* NULL is allowed. */
void type_set_destroy(struct type_set *set);

/* The message of that full name ("package.Type") of `length` bytes, or NULL. */
const struct message_type *type_set_find(const struct type_set *set, const char *full_name,
                                         size_t length);

/* As above; where there is none, NULL with `error` filled, which names what was probably meant. */
const struct message_type *type_set_require(const struct type_set *set, const char *full_name,
                                            struct error *error);

#endif
