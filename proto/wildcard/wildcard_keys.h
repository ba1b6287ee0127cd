/*
 * Chooses the keys of labels when the plan is made, so that a field's label has the same key in
 * every message. The key is the label's name, unless that name is taken: by an earlier label of the
 * same element, or by a label of an enclosing element. Then it is the path of the message, a dot
 * and the name.
 *
 * A label's name counts as taken even in messages that lack the label. Labels in different fields
 * of a oneof are an exception: they are never present together, so they can have the same name. The
 * order of labels is that of the fields; a message's own labels come before those of its singular
 * messages.
 *
 * The position of an element in its list can also be a label. If the type of the element has
 * labels, that label is rarely needed. So labels of inner elements may take the position's name,
 * unless the path of the list equals that name. Any other position takes its name after the other
 * labels of its element.
 *
 * A table lists the names of an element's labels, and which of them are taken. Elements of one type
 * share a table, whatever encloses them, so the walk also searches the tables of the enclosing
 * elements. Elements of one type have different tables only if the option `labels` has a path.
 */
#ifndef SLUICE_PROTO_WILDCARD_WILDCARD_KEYS_H
#define SLUICE_PROTO_WILDCARD_WILDCARD_KEYS_H

#include "proto/wildcard/wildcard_names.h"

struct wildcard_plan;
struct wildcard_type;
struct wildcard_label_field;

/* A label of a field in a message. */
struct wildcard_label_keys {
    const struct wildcard_label_field *label;
    const struct wildcard_name *name; /* NULL: a map to texts; the message has the keys */
    bool is_taken;                    /* by an earlier label of the element */
    bool is_text;                     /* a text of the info sample, not a label */
};

/* The keys of the labels in a field's messages, or of its numbers. */
struct wildcard_field_keys {
    union {
        const struct wildcard_message_keys *message; /* USE_INSIDE */
        const struct wildcard_element_keys *element; /* USE_ELEMENTS */
        const struct wildcard_name *name;            /* USE_VALUES, USE_NUMBERS */
    } is;
    bool again;    /* USE_INSIDE: the element has all of these labels already */
    bool is_label; /* USE_VALUE: the number is a label here, not a sample */
};

/*
 * The labels of messages of a type in an element. If the element contains such messages at several
 * places, these share this table, and `again` is set for all but the first.
 */
struct wildcard_message_keys {
    const struct wildcard_type *type;
    const struct wildcard_label_keys *labels;
    size_t label_count;
    const struct wildcard_field_keys *fields; /* one for each element of type->fields */
};

struct wildcard_element_keys {
    const struct wildcard_message_keys *message;
    struct wildcard_label_keys position; /* or the key in a map; a root has no name here */
    bool gives_way;                      /* `names` lacks the position's name */
    struct wildcard_name_set names;
};

/*
 * Makes the tables of all elements of all roots, after the types were planned. Returns false if
 * memory is short.
 */
bool wildcard_make_keys(struct wildcard_plan *plan);

#endif
