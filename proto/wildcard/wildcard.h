/*
 * Reads samples from messages of any type without configured paths (`value=*` and `value=PATH.*`):
 * every number is a sample.
 *
 * An element is the message itself, each element of a repeated field, or each entry of a map. The
 * singular messages inside an element belong to it. A sample has the labels of its element and of
 * all enclosing elements. Its name is the path of fields from the message inward.
 *
 * A plan is made at the start; it is constant, and any thread may use it. wildcard_walk makes a
 * list of the parts of a decoded message, in the message's arena. The samples are read from that
 * list.
 */
#ifndef SLUICE_PROTO_WILDCARD_WILDCARD_H
#define SLUICE_PROTO_WILDCARD_WILDCARD_H

#include "collector/base/arena.h"
#include "collector/contract/schema.h"
#include "proto/runtime/field_path.h"

struct wildcard_plan;
struct wildcard_part;

/*
 * A field that is not a sample because it has another use, such as the sequence number. This
 * applies wherever its message occurs. A field is identified by its number and by the name of its
 * message. All versions of a message type share the text of the name (proto/types/type_change.h).
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

/* Returns the field at the end of a path that begins in a message of the type `root`. */
static inline struct wildcard_other wildcard_other_of(const struct message_type *root,
                                                      const struct field_path *path)
{
    const struct message_type *holder =
        path->count == 1 ? root : path->steps[path->count - 2]->message;
    return (struct wildcard_other){holder->descriptor->name, field_path_last(path)->number};
}

/*
 * Makes the plan for messages of the types `roots`, which are versions of one type, by the entries
 * of `value` that end with "*". Each path of `value` and each entry of `labels` must exist in at
 * least one of them. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG, or EXIT_CODE_INTERNAL
 * if memory is short). The caller destroys the plan. The plan refers to the types, but not to the
 * options.
 */
int wildcard_plan_make(const struct message_type *const *roots, size_t count,
                       const struct schema_options *options, const struct wildcard_others *others,
                       struct wildcard_plan **out, struct error *error);

/* NULL is allowed. */
void wildcard_plan_destroy(struct wildcard_plan *plan);

/*
 * Lists the parts of a message of the type at index `root` in *parts, in `arena`. They refer to the
 * message and the plan. Counts repeated series in *out. Returns false if the arena is too small.
 */
bool wildcard_walk(const struct wildcard_plan *plan, size_t root, const ProtobufCMessage *message,
                   struct arena *arena, const struct wildcard_part **parts, struct decoded *out);

/*
 * The first stage of a cursor; the stages of other readers are smaller. wildcard_is_sample returns
 * true for a sample of this reader.
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
