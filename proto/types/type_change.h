/*
 * Makes versions of a set's types in which bytes fields contain messages, because some senders put
 * an encoded message into a bytes field. Bytes and messages have the same encoding, so the inner
 * message is decoded together with the outer one, within the same limits. Only types from which
 * such a field can be reached are copied; the others are shared with the set.
 */
#ifndef SLUICE_PROTO_TYPES_TYPE_CHANGE_H
#define SLUICE_PROTO_TYPES_TYPE_CHANGE_H

#include "proto/types/type_set.h"

/*
 * The bytes field `field`, in all messages with the name of `message`, becomes a message of `type`.
 */
struct type_change {
    const struct message_type *message;
    const struct field_type *field;
    const struct message_type *type;
    enum field_embedded embedded;
};

/*
 * Returns the version of `root` with these changes. A change applies wherever its message occurs in
 * `root`, also inside types that other changes add. The set must own `root`, and owns the result.
 * Returns NULL if memory is short. Only one thread at a time may change a set. Types that exist
 * already are not modified, and may be in use.
 */
const struct message_type *type_set_change(struct type_set *set, const struct message_type *root,
                                           const struct type_change *changes, size_t count);

/*
 * Returns a version of the type, which the set owns, in which all fields have ROLE_KEY. Returns
 * NULL if memory is short.
 */
const struct message_type *type_set_mark_keys(struct type_set *set,
                                              const struct message_type *type);

#endif
