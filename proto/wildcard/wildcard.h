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
#include "proto/message/type.h"

struct wildcard_plan;
struct wildcard_part;

/*
 * The parts of the options that a plan was found to use. Types that depend on a text of the message
 * share one: a path of `value`, and an entry of `labels`, must be found in at least one of them.
 */
#define WILDCARD_PATHS  8
#define WILDCARD_LABELS 32
struct wildcard_found {
    bool values[WILDCARD_PATHS];
    bool labels[WILDCARD_LABELS];
    bool named; /* a type has messages with names and values, whose names may be labels */
};

/* Fields that have another meaning, and so are not samples, wherever their message is. */
#define WILDCARD_OTHERS 64
struct wildcard_others {
    const struct field_type *fields[WILDCARD_OTHERS];
    size_t count;
};

/*
 * Makes the plan for messages of `type`, by the entries of `value` that end with "*". Records in `found` what was found. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_CONFIG, or EXIT_CODE_INTERNAL if memory is short). The caller destroys the plan; the
 * plan refers to the types, not to the options.
 */
int wildcard_plan_make(const struct message_type *type, const struct schema_options *options,
                       const struct wildcard_others *others, struct wildcard_found *found,
                       struct wildcard_plan **out, struct error *error);

/* NULL is allowed. */
void wildcard_plan_destroy(struct wildcard_plan *plan);

/* Checks that all that the options ask for was found. Returns 0, or -1 with `error` filled. */
int wildcard_check_found(const struct schema_options *options, const struct wildcard_found *found,
                         const struct message_type *type, struct error *error);

/*
 * Lists the parts of a message in *parts, in `arena`; they refer to the message and the plan.
 * Returns false if the arena is too small.
 */
bool wildcard_walk(const struct wildcard_plan *plan, const ProtobufCMessage *message,
                   struct arena *arena, const struct wildcard_part **parts);

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
