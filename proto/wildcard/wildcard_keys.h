/*
 * The keys of labels, which the plan decides: a field's label has the same key in every message.
 *
 * The key is the label's name, unless that name is taken: by an earlier label of the same element,
 * or by a label of an element around. Then it is the path of the message, a dot and the name.
 * Labels count whether or not their messages are present, unless a message is in another field of
 * the same oneof. Their order is that of the fields, a message's own labels before those of its
 * singular messages.
 *
 * The position of an element whose type has labels is rarely needed, so it gives way to labels of
 * its name in the elements inside, unless its path is its name, too. The position of others is the
 * last of the element's labels.
 *
 * A table says which names an element's labels have, and which of them are taken in it. Elements of
 * one type share a table, whatever is around them; so the walk searches the tables of the elements
 * around. They have different tables only if the option `labels` names a path.
 */
#ifndef SLUICE_PROTO_WILDCARD_WILDCARD_KEYS_H
#define SLUICE_PROTO_WILDCARD_WILDCARD_KEYS_H

#include "proto/wildcard/wildcard_names.h"

struct wildcard_plan;
struct wildcard_type;
struct wildcard_label_field;

/* A label of a message's field. */
struct wildcard_label_keys {
    const struct wildcard_label_field *label;
    const struct wildcard_name *name; /* NULL: a map to texts, whose keys are in the message */
    bool is_taken;                    /* by an earlier label of the element */
    bool is_text;                     /* not a label, but a text of the info sample */
};

/* Keys of the labels in a field's messages, or of its numbers. */
struct wildcard_field_keys {
    union {
        const struct wildcard_message_keys *message; /* USE_INSIDE */
        const struct wildcard_element_keys *element; /* USE_ELEMENTS */
        const struct wildcard_name *name;            /* USE_VALUES and USE_NUMBERS */
    } is;
    bool again;    /* USE_INSIDE: the element has earlier labels with all of these names */
    bool is_label; /* USE_VALUE: the number is a label here, not a sample */
};

/*
 * A type of message in an element. If the element contains it in several places, they share this,
 * and `again` is set for all but the first.
 */
struct wildcard_message_keys {
    const struct wildcard_type *type;
    const struct wildcard_label_keys *labels;
    size_t label_count;
    const struct wildcard_field_keys *fields; /* type->field_count elements */
};

struct wildcard_element_keys {
    const struct wildcard_message_keys *message;
    struct wildcard_label_keys position; /* or the key in a map; without a name for a root */
    bool gives_way;                      /* the position is not in `names` */
    struct wildcard_name_set names;
};

/*
 * Makes the tables of all elements, from each root on, when the types are planned. Returns false if
 * memory is short.
 */
bool wildcard_make_keys(struct wildcard_plan *plan);

#endif
