/*
 * Reads samples from messages of any type without paths (`value=*` and `value=PATH.*`): every
 * number is a sample.
 *
 * The message, each element of a repeated field and each entry of a map is an element; singular
 * messages inside belong to it. A sample has the labels of its element and of the elements around
 * it. Its name is the path of fields from the message inward.
 *
 * A plan is made at the start, immutable, and used by any thread. wildcard_walk makes a list of the
 * parts of a decoded message, in the message's arena; the samples are read from that list.
 */
#ifndef SLUICE_PROTO_WILDCARD_WILDCARD_H
#define SLUICE_PROTO_WILDCARD_WILDCARD_H

#include "collector/base/arena.h"
#include "collector/contract/schema.h"
#include "proto/runtime/field_path.h"

struct wildcard_plan;
struct wildcard_part;

/*
 * Fields that have another meaning, and so are not samples, wherever their message is. A field is
 * identified by its number and by the name of its message, whose versions share the name's text
 * (proto/types/type_change.h).
 */
struct wildcard_other {
    const char *message;
    uint32_t number;
};

struct wildcard_others {
    struct wildcard_other *fields;
    size_t count;
};

static inline bool wildcard_are_same(const struct wildcard_other *a, const struct wildcard_other *b)
{
    return a->message == b->message && a->number == b->number;
}

static inline bool wildcard_is_other(const struct wildcard_other *other,
                                     const struct message_type *type,
                                     const struct field_type *field)
{
    return other->message == type->descriptor->name && other->number == field->number;
}

/* Returns the field at the end of a path from a message of the type `root`. */
static inline struct wildcard_other wildcard_other_of(const struct message_type *root,
                                                      const struct field_path *path)
{
    const struct message_type *holder =
        path->count == 1 ? root : path->steps[path->count - 2]->message;
    return (struct wildcard_other){holder->descriptor->name, field_path_last(path)->number};
}

/*
 * Makes the plan for messages of the types `roots`, which are versions of one type, by the entries
 * of `value` that end with "*". A path of `value`, and an entry of `labels`, must be found in at
 * least one of them. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG, or EXIT_CODE_INTERNAL
 * if memory is short). The caller destroys the plan; the plan refers to the types, not to the
 * options.
 */
int wildcard_plan_make(const struct message_type *const *roots, size_t count,
                       const struct schema_options *options, const struct wildcard_others *others,
                       struct wildcard_plan **out, struct error *error);

/* NULL is allowed. */
void wildcard_plan_destroy(struct wildcard_plan *plan);

/*
 * Lists the parts of a message of the type at index `root` in *parts, in `arena`; they refer to the
 * message and the plan. Counts repeated series in *out. Returns false if the arena is too small.
 */
bool wildcard_walk(const struct wildcard_plan *plan, size_t root, const ProtobufCMessage *message,
                   struct arena *arena, const struct wildcard_part **parts, struct decoded *out);

/*
 * The stage of a cursor at the beginning; the stages of other readers are smaller. The samples are
 * told from those of other readers by wildcard_is_sample.
 */
#define WILDCARD_BEGIN (SIZE_MAX - 2)

static inline bool wildcard_is_sample(const struct sample *sample)
{
    return sample->outer[1] == WILDCARD_BEGIN;
}

/* Implement the operations of the same names in struct schema_ops. */
bool wildcard_next_sample(const struct wildcard_part *parts, struct schema_cursor *cursor,
                          struct sample *sample);
bool wildcard_next_label(const struct sample *sample, struct schema_cursor *cursor,
                         struct label *label);

#endif
