/*
 * Finds the message types that can be the outermost one of a datagram: those that no other message
 * contains. If types are contained only by each other, finds the first of them by name. Ignores the
 * types of google.protobuf, entries of maps and messages without fields. For commands, not for the
 * datagram path: allocates memory.
 */
#ifndef SLUICE_PROTO_OUTLINE_TOPS_H
#define SLUICE_PROTO_OUTLINE_TOPS_H

#include "collector/base/error.h"
#include "proto/types/type_set.h"

struct top {
    const struct message_type *type;
    const char *file; /* name of its .proto file */
    size_t inside;    /* number of other message types in it, at any depth */
};

/*
 * Stores the types in *tops, which the caller frees: first those with the most types inside, then
 * by name. With `all`, stores all message types except entries of maps. Returns 0, or -1 with
 * `error` filled (EXIT_CODE_INTERNAL).
 */
int tops_find(const struct type_set *set, bool all, struct top **tops, size_t *count,
              struct error *error);

#endif
