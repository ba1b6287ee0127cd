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

/* NULL is allowed. */
void type_set_destroy(struct type_set *set);

/* The message of that full name ("package.Type") of `length` bytes, or NULL. */
const struct message_type *type_set_find(const struct type_set *set, const char *full_name,
                                         size_t length);

/* As above; where there is none, NULL with `error` filled, which names what was probably meant. */
const struct message_type *type_set_require(const struct type_set *set, const char *full_name,
                                            struct error *error);

#endif
