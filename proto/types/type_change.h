/*
 * Other versions of the types of a set, in which bytes fields contain messages, as some senders put
 * a message into a bytes field. Bytes and messages have the same encoding, so the inner message is
 * decoded with the outer one, within the same limits.
 *
 * Only types from which such a field can be reached are copied; others are shared with the set.
 */
#ifndef SLUICE_PROTO_TYPES_TYPE_CHANGE_H
#define SLUICE_PROTO_TYPES_TYPE_CHANGE_H

#include "proto/types/type_set.h"

/* Gives a type to the bytes field `field` of messages that have the name of `message`. */
struct type_change {
    const struct message_type *message;
    const struct field_type *field;
    const struct message_type *type;
    enum field_embedded embedded;
};

/*
 * Returns the version of `root` with these changes, wherever their messages occur in it, also in
 * the types that the changes give; the set owns it, as it owns `root`. Returns NULL if memory is
 * short. One thread at a time may change a set; types that were made before remain as they are, and
 * may be in use.
 */
const struct message_type *type_set_change(struct type_set *set, const struct message_type *root,
                                           const struct type_change *changes, size_t count);

/*
 * Returns the version of the type whose fields all have ROLE_KEY; the set owns it. Returns NULL if
 * memory is short.
 */
const struct message_type *type_set_mark_keys(struct type_set *set,
                                              const struct message_type *type);

#endif
