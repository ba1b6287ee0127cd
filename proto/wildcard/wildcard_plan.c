/* Makes the plan: determines the use of each field of each message type that can be reached. */
#include "proto/wildcard/wildcard_plan.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS ((size_t)1024)

/* Used only while the plan is made. */
struct planning {
    struct wildcard_plan *plan;
    const struct schema_options *options;
    const struct wildcard_others *others;
    struct wildcard_found found;
    struct error *error;
    struct wildcard_type *buckets[BUCKETS]; /* the types found so far, by address */
    struct wildcard_type **end;             /* where to store the next type */
};

static void *plan_allocate(const struct planning *planning, size_t count, size_t size)
{
    return growing_arena_allocate(&planning->plan->memory, count, size);
}

/* --- types ------------------------------------------------------------------------------------ */

/* Returns the plan of the type, and adds it if it is new. Returns NULL if memory is short. */
static struct wildcard_type *plan_of(struct planning *planning, const struct message_type *type)
{
    struct wildcard_type **bucket = &planning->buckets[((uintptr_t)type >> 4) % BUCKETS];
    for (struct wildcard_type *at = *bucket; at != NULL; at = at->chain)
        if (at->type == type)
            return at;
    struct wildcard_type *added = plan_allocate(planning, 1, sizeof *added);
    if (added == NULL)
        return NULL;
    added->type = type;
    added->chain = *bucket;
    *bucket = added;
    *planning->end = added;
    planning->end = &added->next;
    return added;
}

/*
 * Returns true if the field is a message with a time: seconds and nanoseconds, or a
 * google.protobuf.Timestamp.
 */
static bool is_time(const struct wildcard_type *type, const struct field_type *field)
{
    for (size_t i = 0; i < type->time_count; i++)
        if (type->times[i].kind == TIME_MESSAGE && type->times[i].field == field)
            return true;
    return false;
}

/* --- labels ----------------------------------------------------------------------------------- */

static bool can_be_label(const struct field_type *field, enum wildcard_form form)
{
    if (field->presence == PRESENCE_REPEATED || field->message != NULL)
        return false;
    return field->kind != KIND_BYTES || form != FORM_PLAIN;
}

static void add_label(struct wildcard_type *type, const struct field_type *field,
                      enum wildcard_reason reason, struct text name)
{
    type->labels[type->label_count++] =
        (struct wildcard_label_field){.field = field, .reason = reason, .name = name};
}

static void add_asked(struct wildcard_type *type, const struct field_type *field, struct text name,
                      const struct wildcard_asked *asked)
{
    type->labels[type->label_count++] = (struct wildcard_label_field){
        .field = field,
        .reason = REASON_ASKED,
        .form = asked->form,
        .name = asked->name.size != 0 ? asked->name : name,
        .before = asked->before,
        .exact = asked->is_whole,
    };
}

/* Returns the rank of an entry, from 0: the labels of a field are tried in this order. */
static int rank_of(const struct wildcard_asked *asked)
{
    if (asked->is_whole)
        return 0;
    return asked->before.size != 0 ? 1 : 2;
}

static bool is_asked(const struct wildcard_asked *asked, const struct message_type *type,
                     const struct field_type *field)
{
    const struct text name = wildcard_last_name(field);
    return can_be_label(field, asked->form) && wildcard_asks_for(asked, type, field, &name);
}

/* Returns the most labels that the fields of the type can have together. */
static size_t most_labels(const struct wildcard_plan *plan, const struct message_type *type)
{
    size_t count = type->field_count;
    for (size_t i = 0; i < type->field_count; i++)
        for (size_t k = 0; k < plan->label_count; k++)
            count += is_asked(&plan->labels[k], type, &type->fields[i]);
    return count;
}

/*
 * Adds the labels of the option `labels` for this field. Returns true if the field is a label in
 * every message of the type, and so has no other use.
 */
static bool plan_asked(struct planning *planning, struct wildcard_type *type,
                       const struct field_type *field)
{
    const struct wildcard_plan *plan = planning->plan;
    for (int rank = 0; rank <= 2; rank++) {
        bool always = false;
        for (size_t i = 0; i < plan->label_count; i++) {
            if (rank_of(&plan->labels[i]) != rank || !is_asked(&plan->labels[i], type->type, field))
                continue;
            add_asked(type, field, wildcard_last_name(field), &plan->labels[i]);
            planning->found.labels[i] = true;
            always = rank == 2;
        }
        if (always)
            return true;
    }
    return false;
}

/*
 * Adds the field to the type's labels if it can be a label. Returns true if the field has no other
 * use.
 */
static bool plan_label(struct planning *planning, struct wildcard_type *type,
                       const struct field_type *field)
{
    const struct text name = wildcard_last_name(field);
    if (plan_asked(planning, type, field))
        return true;
    if (field->map && field->message->fields[1].kind == KIND_STRING)
        add_label(type, field, REASON_TEXTS, name);
    else if (!can_be_label(field, FORM_PLAIN))
        return false;
    else if ((field->roles & ROLE_KEY) != 0)
        add_label(type, field, REASON_KEY, name);
    else if (field->kind == KIND_STRING)
        add_label(type, field, REASON_TEXT, name);
    else if (field->kind == KIND_ENUM)
        add_label(type, field, REASON_ENUM, name);
    else
        return false;
    return true;
}

/* --- fields ----------------------------------------------------------------------------------- */

static bool is_other(const struct wildcard_others *others, const struct message_type *type,
                     const struct field_type *field)
{
    for (size_t i = 0; i < others->count; i++)
        if (wildcard_is_other(&others->fields[i], type, field))
            return true;
    return false;
}

/* Returns true if the field can be a sample's value: a number, but not an enum. */
static bool is_value(const struct field_type *field)
{
    return field_is_number(field) && field->kind != KIND_ENUM;
}

static const struct wildcard_time *time_of(const struct wildcard_type *type,
                                           const struct field_type *field)
{
    for (size_t i = 0; i < type->time_count; i++)
        if (type->times[i].field == field || type->times[i].second == field)
            return &type->times[i];
    return NULL;
}

static bool use_of(const struct field_type *field, enum wildcard_use *use,
                   const struct message_type **inside)
{
    bool repeated = field->presence == PRESENCE_REPEATED;
    const struct field_type *value = field->map ? &field->message->fields[1] : field;
    *inside = value->message;
    if (value->message != NULL)
        *use = repeated ? USE_ELEMENTS : USE_INSIDE;
    else if (!is_value(value))
        return false;
    else if (field->map)
        *use = USE_NUMBERS;
    else
        *use = repeated ? USE_VALUES : USE_VALUE;
    return true;
}

static bool plan_field(struct planning *planning, struct wildcard_type *type,
                       const struct field_type *field)
{
    struct wildcard_field planned = {.field = field, .name = wildcard_last_name(field)};
    const struct message_type *inside;
    size_t labels = type->label_count;
    if (plan_label(planning, type, field) || is_other(planning->others, type->type, field) ||
        !use_of(field, &planned.use, &inside))
        return true;
    planned.counter = (field->roles & ROLE_COUNTER) != 0;
    planned.begins = field->extension || field->embedded != EMBEDDED_NOT;
    planned.time = time_of(type, field);
    if (type->label_count != labels)
        planned.label = &type->labels[labels];
    if (field->embedded == EMBEDDED_CHOSEN) {
        const char *name = field->message->descriptor->short_name;
        planned.name = (struct text){name, strlen(name)};
    }
    if (planned.use == USE_VALUE && field->oneof != NULL)
        planned.name = (struct text){field->oneof, strlen(field->oneof)};
    if (inside != NULL && inside->well_known == WELL_KNOWN_TIMESTAMP && is_time(type, field))
        return true;
    if (inside != NULL) {
        struct wildcard_type *of = plan_of(planning, inside);
        planned.type = of;
        if (of == NULL)
            return false;
        struct wildcard_named named;
        if (!field->map && wildcard_is_named(inside, &named)) {
            planned.use = USE_NAMED;
            planning->found.named = true;
        }
    }
    type->fields[type->field_count++] = planned;
    return true;
}

/*
 * Returns true if all fields of this field's oneof are scalars: then they are alternatives for one
 * value, and have the same name.
 */
static bool is_scalar_oneof(const struct message_type *type, const struct field_type *field)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].presence == PRESENCE_ONEOF &&
            type->fields[i].quantifier == field->quantifier && type->fields[i].message != NULL)
            return false;
    return true;
}

static bool plan_type(struct planning *planning, struct wildcard_type *type)
{
    size_t count = type->type->field_count;
    type->fields = plan_allocate(planning, count, sizeof *type->fields);
    type->labels =
        plan_allocate(planning, most_labels(planning->plan, type->type) + 1, sizeof *type->labels);
    if (type->fields == NULL || type->labels == NULL || !wildcard_find_times(planning->plan, type))
        return false;
    type->is_named = wildcard_is_named(type->type, &type->named);
    for (size_t i = 0; i < count; i++)
        if (!plan_field(planning, type, &type->type->fields[i]))
            return false;
    for (size_t i = 0; i < type->field_count; i++) {
        struct wildcard_field *field = &type->fields[i];
        if (field->use == USE_VALUE && field->field->oneof != NULL &&
            !is_scalar_oneof(type->type, field->field))
            field->name = wildcard_last_name(field->field);
    }
    return true;
}

/*
 * Sets has_key of all types. A key of a singular message also counts for the enclosing message, so
 * this is repeated until nothing changes.
 */
static void find_keys(struct wildcard_plan *plan)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (struct wildcard_type *at = plan->types; at != NULL; at = at->next) {
            bool has_key = at->has_key;
            for (size_t i = 0; i < at->label_count && !has_key; i++)
                has_key = at->labels[i].reason == REASON_KEY;
            for (size_t i = 0; i < at->field_count && !has_key; i++)
                has_key = at->fields[i].use == USE_INSIDE && at->fields[i].type->has_key;
            changed = changed || has_key != at->has_key;
            at->has_key = has_key;
        }
    }
}

/* --- the whole -------------------------------------------------------------------------------- */

static bool plan_root(struct planning *planning, struct wildcard_root *root,
                      const struct message_type *type)
{
    root->type = plan_of(planning, type);
    if (root->type != NULL)
        return wildcard_parse_root(planning->plan, root, type, planning->options, &planning->found,
                                   planning->error);
    error_no_memory(planning->error);
    return false;
}

static bool plan_types(struct planning *planning)
{
    for (struct wildcard_type *at = planning->plan->types; at != NULL; at = at->next) {
        if (plan_type(planning, at))
            continue;
        error_no_memory(planning->error);
        return false;
    }
    find_keys(planning->plan);
    if (wildcard_make_keys(planning->plan))
        return true;
    error_no_memory(planning->error);
    return false;
}

static bool make(struct planning *planning, const struct message_type *const *roots, size_t count)
{
    struct wildcard_plan *plan = planning->plan;
    planning->end = &plan->types;
    plan->texts = planning->options->text_samples;
    plan->named = planning->options->name != NULL;
    plan->root_count = count;
    plan->roots = plan_allocate(planning, count, sizeof *plan->roots);
    if (plan->roots == NULL) {
        error_no_memory(planning->error);
        return false;
    }
    if (!wildcard_parse_options(plan, planning->options, planning->error))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!plan_root(planning, &plan->roots[i], roots[i]))
            return false;
    return plan_types(planning) &&
           wildcard_check_found(planning->options, &planning->found, roots[0], planning->error);
}

int wildcard_plan_make(const struct message_type *const *roots, size_t count,
                       const struct schema_options *options, const struct wildcard_others *others,
                       struct wildcard_plan **out, struct error *error)
{
    struct planning planning = {.plan = calloc(1, sizeof *planning.plan),
                                .options = options,
                                .others = others,
                                .error = error};
    if (planning.plan == NULL) {
        error_no_memory(error);
        return -1;
    }
    if (!make(&planning, roots, count)) {
        wildcard_plan_destroy(planning.plan);
        return -1;
    }
    *out = planning.plan;
    return 0;
}

void wildcard_plan_destroy(struct wildcard_plan *plan)
{
    if (plan == NULL)
        return;
    growing_arena_free(&plan->memory);
    free(plan);
}
