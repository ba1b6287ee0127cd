/*
 * Makes versions of a set's types in which bytes fields contain messages: some senders put an
 * encoded message into a bytes field. Bytes and messages have the same encoding, so the inner
 * message is decoded together with the outer one, within the same limits.
 *
 * Only types from which such a field can be reached are copied; others are shared with the set.
 */
#ifndef SLUICE_PROTO_TYPES_TYPE_CHANGE_H
#define SLUICE_PROTO_TYPES_TYPE_CHANGE_H

#include "proto/types/type_set.h"

/*
 * A change: the bytes field `field`, in messages that have the name of `message`, gets a message
 * type.
 */
struct type_change {
    const struct message_type *message;
    const struct field_type *field;
    const struct message_type *type;
    enum field_embedded embedded;
};

/*
 * Returns the version of `root` with these changes. A change applies wherever its message occurs in
 * `root`, also inside the types that other changes add. The set owns the result and must own
 * `root`. Returns NULL if memory is short. One thread at a time may change a set; types that were
 * made before remain as they are, and may be in use.
 */
const struct message_type *type_set_change(struct type_set *set, const struct message_type *root,
                                           const struct type_change *changes, size_t count);

/*
 * Returns a version of the type in which all fields have ROLE_KEY; the set owns it. Returns NULL if
 * memory is short.
 */
const struct message_type *type_set_mark_keys(struct type_set *set,
                                              const struct message_type *type);

#endif
