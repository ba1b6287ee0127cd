/*
 * Shared by the files that read samples for `value=*`: the plan for each message type, and the
 * parts of a message.
 */
#ifndef SLUICE_PROTO_WILDCARD_WILDCARD_PLAN_H
#define SLUICE_PROTO_WILDCARD_WILDCARD_PLAN_H

#include <string.h>

#include "proto/runtime/field_path.h"
#include "proto/runtime/field_value.h"
#include "proto/types/growing_arena.h"
#include "proto/wildcard/wildcard.h"
#include "proto/wildcard/wildcard_keys.h"

/* --- plans ------------------------------------------------------------------------------------ */

/* The use of a field. Fields that are only labels are not in wildcard_type.fields. */
enum wildcard_use {
    USE_VALUE,    /* a number, which is a sample */
    USE_VALUES,   /* a repeated number: each is a sample */
    USE_NUMBERS,  /* a map to numbers: each entry is a sample */
    USE_INSIDE,   /* a singular message, which belongs to the same element */
    USE_ELEMENTS, /* a repeated message or a map to messages: each one is an element */
    USE_NAMED,    /* messages with a name and a value (wildcard_named.c) */
};

struct wildcard_type;

struct wildcard_field {
    const struct field_type *field;
    enum wildcard_use use;
    bool counter;
    bool begins;      /* a sample's name begins here: an extension, or a message in bytes */
    struct text name; /* its part of a sample's name */
    struct wildcard_type *type;       /* plan of its messages, or of a map's values; else NULL */
    const struct wildcard_time *time; /* USE_VALUE: not a sample if this is a time; or NULL */
    const struct wildcard_label_field
        *label; /* USE_VALUE: not a sample where this is a label; or NULL */
};

/* How a label's value is written. */
enum wildcard_form {
    FORM_PLAIN,
    FORM_IP,   /* 4 or 16 bytes as an address */
    FORM_TEXT, /* bytes that are UTF-8 */
};

/* Why a field is a label. */
enum wildcard_reason {
    REASON_ASKED, /* the option `labels` has it */
    REASON_KEY,   /* the field has ROLE_KEY, from the .proto file */
    REASON_TEXT,  /* a text, in elements without keys */
    REASON_ENUM,  /* an enum, in elements without keys */
    REASON_TEXTS, /* a map to texts, in elements without keys */
};

/*
 * A use of a field as a label. A field can have several; the first one that applies to a message is
 * used. The order is: entries of the option `labels` with the field's full path, entries with the
 * end of its path, entries with its name, another reason.
 */
struct wildcard_label_field {
    const struct field_type *field;
    enum wildcard_reason reason;
    enum wildcard_form form;
    struct text name;
    struct text before; /* the end of the message's path; empty: any path */
    bool exact;         /* `before` is the message's full path */
};

/* A field, or two fields, that can be the time of their message. */
enum wildcard_time_kind {
    TIME_NUMBER,
    TIME_MESSAGE, /* a message with seconds and nanoseconds */
    TIME_PAIR,    /* seconds in `field`, the fraction in `second`, in `unit` */
    TIME_SUM,     /* `field` in `unit`, plus `second` in `second_unit` */
};

struct wildcard_time {
    enum wildcard_time_kind kind;
    int rank; /* the lowest is read first */
    const struct field_type *field, *second;
    int64_t unit; /* nanoseconds; 0 means chosen by the size of the number */
    int64_t second_unit;
};

/* Messages with a text called name or key, and a oneof of values (wildcard_named.c). */
struct wildcard_named {
    const struct field_type *name;
    const struct field_type *holder; /* the message with the oneof; NULL means the message itself */
    const struct message_type *values; /* the type with the oneof */
    const struct field_type *one;      /* a field of the oneof */
    const struct field_type *children; /* repeated messages of the same type, or NULL */
};

struct wildcard_type {
    const struct message_type *type;
    struct wildcard_field *fields;
    size_t field_count;
    struct wildcard_label_field *labels;
    size_t label_count;
    struct wildcard_time *times;
    size_t time_count;
    bool has_key; /* it or one of its singular messages has a label of REASON_KEY */
    bool is_named;
    struct wildcard_named named; /* if is_named */
    struct wildcard_type *next;  /* in the plan's list, in the order in which they were found */

    /* Used only while the plan is made. */
    struct wildcard_type *chain;    /* the next type in the same bucket */
    struct keyed_element *elements; /* wildcard_keys.c: elements of this type */
    struct keyed_message *messages; /* wildcard_keys.c: messages of this type in an element */
};

/*
 * An entry of the option `labels`: "NAME:PATH:FORM"; only PATH is required. PATH may be the end of
 * a field's path. If PATH has several names, or NAME is given, PATH may also be the full path of a
 * field; then the entry is for that field only.
 */
struct wildcard_asked {
    struct text name; /* empty: the label's key is the last name of the path */
    struct text path; /* as in the option */
    struct text before, last;
    enum wildcard_form form;
    bool is_whole;               /* PATH is a full path; `before` is then written as names are */
    struct wildcard_other field; /* if is_whole */
};

#define WILDCARD_PATHS  8
#define WILDCARD_LABELS 32

/* A version of the message type, and the paths of the options in it. */
struct wildcard_root {
    struct wildcard_type *type;
    const struct wildcard_element_keys *keys;
    struct field_path *paths; /* the paths of "PATH.*" that this version has */
    size_t path_count;
    struct field_path *name; /* the option `name`, or NULL if not given */
};

/* A field that the option `time` names in at least one root. */
struct wildcard_asked_time {
    struct wildcard_other field;
    int64_t unit;                    /* nanoseconds; 0 means a Timestamp */
    const struct field_type *second; /* in the same message; NULL if the time has only one part */
    int64_t second_unit;
    const struct wildcard_asked_time *next;
};

struct wildcard_plan {
    struct growing_arena memory;
    struct wildcard_type *types; /* in the order in which they were found, the roots first */
    struct wildcard_root *roots;
    size_t root_count;

    bool texts; /* texts that are not labels are labels of an info sample */
    bool all;   /* `value` has "*": every number is a sample */
    bool named; /* the option `name` is given; names begin with its text */
    struct wildcard_asked labels[WILDCARD_LABELS];
    size_t label_count;
    const struct wildcard_asked_time *times;
    struct wildcard_names names; /* of the labels of all fields */
};

/* The parts of the options that exist in at least one root. */
struct wildcard_found {
    bool values[WILDCARD_PATHS];
    bool labels[WILDCARD_LABELS];
    bool named; /* a type is_named: names in its messages can be labels */
};

/* --- parts of a message ----------------------------------------------------------------------- */

/* A label in the arena. Its value is that of `field` at `value`, or `number` if `field` is NULL. */
struct wildcard_label {
    const struct wildcard_label *next;
    struct text key;
    const struct field_type *field;
    const void *value;
    size_t number;
    enum wildcard_form form;
};

/*
 * The most labels of an element, with those of the enclosing elements. Further labels are left out.
 */
#define WILDCARD_ELEMENT_LABELS ((size_t)64)

struct wildcard_element {
    const struct wildcard_element *around; /* the enclosing element; NULL if it is the message */
    const struct wildcard_label *labels;
    const struct wildcard_label **end;  /* where to store the next label */
    const struct wildcard_label *texts; /* further labels, for the info sample only */
    const struct wildcard_label **texts_end;
    const struct wildcard_element_keys *keys; /* NULL: a named message */
    bool is_told;                             /* a label identifies it, so it needs no position */
    size_t label_count;                       /* with those of the enclosing elements */
    int64_t time_ns;                          /* 0: not given */
    uint64_t hash; /* of all labels; 0 means not computed yet (wildcard_repeated.c) */
};

/*
 * Samples that are read together: the single numbers of a message, the elements of a repeated
 * number, the entries of a map, or the value of a named message. A part without `type`, `field` and
 * `value` is the info sample of its element, whose value is always 1.
 */
struct wildcard_part {
    struct wildcard_part *next;
    struct wildcard_element *element;
    const ProtobufCMessage *message;
    const struct wildcard_type *type; /* for single numbers: the plan of the message; else NULL */
    const struct wildcard_field_keys *keys; /* with `type`: the keys of its fields */
    const struct wildcard_field *field;     /* USE_VALUES or USE_NUMBERS; else NULL */
    const struct field_type *value;         /* the value of a named message; else NULL */
    struct text name;                       /* of single numbers: what precedes their names */
    struct text key;                        /* of the label that each number of `field` has */
    int64_t time_ns;                        /* 0: not given */
    uint64_t hash;                          /* of its name and its element's labels */
};

/* Returns true if the part is the info sample of its element. */
static inline bool wildcard_is_info(const struct wildcard_part *part)
{
    return part->type == NULL && part->field == NULL && part->value == NULL;
}

/* --- functions -------------------------------------------------------------------------------- */

/*
 * wildcard_options.c: parse the options into the plan, and find the paths of each root. Return
 * false with `error` filled.
 */
bool wildcard_parse_options(struct wildcard_plan *plan, const struct schema_options *options,
                            struct error *error);
bool wildcard_parse_root(struct wildcard_plan *plan, struct wildcard_root *root,
                         const struct message_type *type, const struct schema_options *options,
                         struct wildcard_found *found, struct error *error);

/* Checks that all parts of the options exist in a root. Returns false with `error` filled. */
bool wildcard_check_found(const struct schema_options *options, const struct wildcard_found *found,
                          const struct message_type *type, struct error *error);

/* Returns the field's name, or the part after the last dot for an extension. */
static inline struct text wildcard_last_name(const struct field_type *field)
{
    const char *name = field->descriptor->name;
    const char *dot = strrchr(name, '.');
    if (dot != NULL)
        name = dot + 1;
    return (struct text){name, strlen(name)};
}

/* Returns true if the path `text` ends with the path `end`. '/' and '.' are the same separator. */
bool wildcard_path_ends(const struct text *text, const struct text *end);

/* Returns true if an entry of `labels` selects this field, whose last name is `name`. */
bool wildcard_asks_for(const struct wildcard_asked *asked, const struct message_type *type,
                       const struct field_type *field, const struct text *name);

/*
 * Returns true if the entry selects the value of a named message; `path` is the path to the
 * message.
 */
bool wildcard_asks_for_name(const struct wildcard_asked *asked, const struct text *name,
                            const struct text *path);

/* wildcard_time.c: fills type->times. Returns false if memory is short. */
bool wildcard_find_times(struct wildcard_plan *plan, struct wildcard_type *type);

/* Returns the time in nanoseconds that the message has by this rule, or 0. */
int64_t wildcard_read_time(const struct wildcard_time *time, const ProtobufCMessage *message);

/*
 * Returns true if the fields of this rule are a time in the message, and so are not samples. Zeroes
 * count as a time that was not sent.
 */
bool wildcard_is_time(const struct wildcard_time *time, const ProtobufCMessage *message);

/* Returns the first time that the message has, or 0. */
int64_t wildcard_time_of(const struct wildcard_type *type, const ProtobufCMessage *message);

/*
 * wildcard_named.c: returns true if messages of the type have names and values, and fills `named`.
 */
bool wildcard_is_named(const struct message_type *type, struct wildcard_named *named);

/*
 * wildcard_read.c: returns true if a number of a message is a sample: it is present, and neither a
 * time nor a label.
 */
bool wildcard_has_sample(const struct wildcard_part *part, const struct wildcard_field *field);

/* Returns a label's value as text, which is written to `out` if it is not in the message. */
struct text wildcard_label_value(const struct wildcard_label *label, struct output *out);

/*
 * wildcard_read.c: returns true if the value in the message is a number, or a string that is a
 * number in JSON.
 */
bool wildcard_is_number(const struct field_type *field, const ProtobufCMessage *message);

/* --- the walk --------------------------------------------------------------------------------- */

struct wildcard_walk {
    const struct wildcard_plan *plan;
    const struct wildcard_root *root;
    struct arena *arena;
    struct wildcard_part **end; /* where to store the next part */
    size_t part_count;
};

/* A place in the walk: a message of an element, or a list of named messages. */
struct wildcard_place {
    struct wildcard_element *element;
    struct text name; /* path to here, after the text of the option `name` */
    struct text path; /* path to here */
    const struct wildcard_message_keys *keys; /* of the message; not for a named message */
    bool again;                               /* the element has all labels of this place already */
    int64_t time_ns;                          /* of the nearest enclosing message with a time */
    uint32_t paths; /* bit i: root->paths[i] begins with the path to here */
    size_t depth;   /* number of fields from the outermost message to here */
    bool selected;  /* a path of `value` leads here: numbers are samples */
    bool named;     /* `name` ends with the name of a named message */
};

/*
 * wildcard_repeated.c: counts in out->series_repeated the samples with the name and labels of an
 * earlier one, and sets out->repeated_name to the name of the first. Returns false if the arena is
 * too small.
 */
bool wildcard_find_repeated(struct wildcard_walk *walk, struct wildcard_part *parts,
                            struct decoded *out);

/* wildcard_part.c. Both return NULL if the arena is full. */
struct wildcard_part *wildcard_add_part(struct wildcard_walk *walk,
                                        const struct wildcard_place *place);
struct wildcard_element *wildcard_add_element(struct wildcard_walk *walk,
                                              const struct wildcard_element *around,
                                              const struct wildcard_element_keys *keys);

/*
 * Adds the info sample of the element if it has texts for it, or labels but no numbers. `begun` is
 * the value of walk->end at the beginning of the element.
 */
bool wildcard_end_element(struct wildcard_walk *walk, const struct wildcard_place *place,
                          struct wildcard_part **begun);

/*
 * Sets *text to a value as text: a string in the message itself, another value in the arena.
 * Returns false if the arena is full.
 */
bool wildcard_write_text(struct wildcard_walk *walk, const struct field_type *field,
                         const void *value, struct text *text);

/*
 * Joins `name`, `separator` and `last`. If one of the texts is empty, the result is the other text.
 * Returns false if the arena is full.
 */
bool wildcard_join(struct wildcard_walk *walk, const struct text *name, char separator,
                   const struct text *last, struct text *joined);

/*
 * wildcard_label.c: returns true if the element or an enclosing one has a label of a field with
 * this name.
 */
bool wildcard_is_reserved(const struct wildcard_element *element, const struct wildcard_name *name);

/*
 * wildcard_label.c: returns true if a label cannot have this key, which is in the message: a
 * field's label has it, or a label of the element or of an enclosing one.
 */
bool wildcard_is_taken(const struct wildcard_walk *walk, const struct wildcard_element *element,
                       const struct text *key);

/*
 * wildcard_label.c: adds a label, whose key is in the message, to an element. If the key is taken,
 * the label gets a path as its key: `path`, a dot and the key.
 */
bool wildcard_add_label(struct wildcard_walk *walk, struct wildcard_element *element,
                        const struct text *path, const struct wildcard_label *label);

/* Adds the labels of a message itself, without those of its singular messages. */
bool wildcard_add_labels(struct wildcard_walk *walk, const ProtobufCMessage *message,
                         const struct wildcard_place *place);

/*
 * Adds a label of the element's info sample if the plan has info samples. `path` is that of the
 * message.
 */
bool wildcard_add_text(struct wildcard_walk *walk, struct wildcard_element *element,
                       const struct text *path, const struct wildcard_label *label);

/*
 * wildcard_has_texts returns true if the message has entries of maps to texts. wildcard_add_texts
 * adds these as labels.
 */
bool wildcard_has_texts(const struct wildcard_type *type, const ProtobufCMessage *message);
bool wildcard_add_texts(struct wildcard_walk *walk, const struct wildcard_type *type,
                        const ProtobufCMessage *message, const struct wildcard_place *place);

/*
 * Adds the element's position in its list as a label, unless another label identifies the element.
 * `path` is that of the message with the list.
 */
bool wildcard_add_position(struct wildcard_walk *walk, struct wildcard_element *element,
                           const struct text *path, size_t position);

/*
 * Adds the key of the map entry that is the element as a label. `path` is that of the message with
 * the map.
 */
bool wildcard_add_entry(struct wildcard_walk *walk, struct wildcard_element *element,
                        const struct text *path, const struct field_type *key,
                        const ProtobufCMessage *entry);

/* The elements of a repeated message field, or one singular message. */
struct wildcard_list {
    const struct wildcard_field *field;
    const ProtobufCMessage *const *messages;
    size_t count;
};

/*
 * wildcard_named.c: wildcard_named_labels adds the labels in the list to the element that contains
 * the list. wildcard_named_walk lists the parts. `place` is that of the list.
 */
bool wildcard_named_labels(struct wildcard_walk *walk, const struct wildcard_type *type,
                           const struct wildcard_list *list, const struct wildcard_place *place);
bool wildcard_named_walk(struct wildcard_walk *walk, const struct wildcard_type *type,
                         const struct wildcard_list *list, const struct wildcard_place *place);

#endif
