/* Makes the steps of the fast decoder (proto/message/fast_path.h), one for each field of a type. */
#include "collector/base/wire.h"
#include "collector/contract/schema.h"
#include "proto/message/fast_path.h"
#include "proto/types/loader.h"

static enum plain_act act_of_one(const struct field_type *field)
{
    switch (field->kind) {
    case KIND_DOUBLE:
    case KIND_FIXED64:
    case KIND_SFIXED64:
        return PLAIN_FIXED64;
    case KIND_FLOAT:
    case KIND_FIXED32:
    case KIND_SFIXED32:
        return PLAIN_FIXED32;
    case KIND_INT64:
    case KIND_UINT64:
        return PLAIN_VARINT64;
    case KIND_INT32:
    case KIND_UINT32:
    case KIND_ENUM:
        return PLAIN_VARINT32;
    case KIND_SINT32:
        return PLAIN_SINT32;
    case KIND_SINT64:
        return PLAIN_SINT64;
    case KIND_BOOL:
        return PLAIN_BOOL;
    case KIND_STRING:
    case KIND_BYTES:
        return field->utf8 ? PLAIN_TEXT : PLAIN_BYTES;
    case KIND_MESSAGE:
        return field->presence == PRESENCE_ONEOF ? PLAIN_MESSAGE_IN_ONEOF : PLAIN_MESSAGE;
    default:
        return PLAIN_GIVE_UP;
    }
}

static enum plain_act act_of(const struct field_type *field)
{
    enum plain_act one = act_of_one(field);
    if (one == PLAIN_GIVE_UP || field->closed_values)
        return PLAIN_GIVE_UP;
    if (field->presence == PRESENCE_REQUIRED)
        return PLAIN_REQUIRED;
    if (field->presence != PRESENCE_REPEATED)
        return field->closed ? PLAIN_CLOSED : one;
    if (field->message != NULL)
        return field->map ? PLAIN_MAP : PLAIN_MESSAGES;
    if (one == PLAIN_TEXT || one == PLAIN_BYTES)
        return PLAIN_TEXTS;
    return field->packed ? PLAIN_PACKED : PLAIN_NUMBERS;
}

static void fill_step(struct plain_step *step, const struct field_type *field)
{
    step->act = (uint8_t)act_of(field);
    step->element = (uint8_t)act_of_one(field);
    step->wire_type = step->act == PLAIN_PACKED ? WIRE_LENGTH : field->wire_type;
    step->size = field->size;
    step->required = field->required;
    step->offset = field->offset;
    step->closed = field->closed;
    if (field->closed)
        step->enumeration = field->enumeration;
    else
        step->message = field->message;
    step->mark = field->offset;
    if (field->presence == PRESENCE_REPEATED || field->presence == PRESENCE_FLAG ||
        field->presence == PRESENCE_ONEOF)
        step->mark = field->quantifier;
    if (field->presence == PRESENCE_FLAG)
        step->mark_value = 1;
    if (field->presence == PRESENCE_ONEOF)
        step->mark_value = field->number;
}

/*
 * Enters the field's step in the table of one-byte tags. A repeated number may arrive packed or
 * not. The step is for the declared form; the fast decoder gives up at the other form.
 */
static void index_tags(struct message_type *type, const struct field_type *field, size_t place)
{
    if (field->number >= ONE_BYTE_TAGS >> 3)
        return;
    uint8_t *step_of = &type->step_of[field->number << 3];
    if (field->packable) {
        step_of[field->wire_type] = PLAIN_GIVE_UP;
        step_of[WIRE_LENGTH] = PLAIN_GIVE_UP;
    }
    step_of[type->steps[place].wire_type] = (uint8_t)place;
}

/* Returns true if the field is a string without a presence mark and with a tag of one byte. */
static bool is_bare_text(const struct message_type *type, size_t field)
{
    const struct plain_step *step = &type->steps[PLAIN_FIRST_FIELD + field];
    return step->act == PLAIN_TEXT && step->mark == step->offset &&
           type->fields[field].number < ONE_BYTE_TAGS >> 3;
}

static void find_pair(struct message_type *type)
{
    type->pair = type->field_count == 2 && is_bare_text(type, 0) && is_bare_text(type, 1) &&
                 type->fields[0].offset == offsetof(struct pair, text[0]) &&
                 type->fields[1].offset == offsetof(struct pair, text[1]);
    for (size_t i = 0; type->pair && i < 2; i++)
        type->pair_tags[i] = (uint8_t)WIRE_TAG(type->fields[i].number, WIRE_LENGTH);
}

bool loader_make_steps(struct growing_arena *memory, struct message_type *type)
{
    struct plain_step *steps =
        growing_arena_allocate(memory, type->field_count + PLAIN_FIRST_FIELD, sizeof *steps);
    if (steps == NULL)
        return false;
    steps[PLAIN_UNKNOWN].act = PLAIN_UNKNOWN;
    steps[PLAIN_GIVE_UP].act = PLAIN_GIVE_UP;
    type->steps = steps;
    type->plain = !type->message_set;
    for (size_t i = 0; i < type->field_count; i++) {
        struct plain_step *step = &steps[PLAIN_FIRST_FIELD + i];
        fill_step(step, &type->fields[i]);
        index_tags(type, &type->fields[i], PLAIN_FIRST_FIELD + i);
        type->plain = type->plain && step->act != PLAIN_GIVE_UP;
    }
    find_pair(type);
    return true;
}

bool loader_holds_plain_ones(const struct message_type *type)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].message != NULL && !type->fields[i].message->plain)
            return false;
    return true;
}

/*
 * A type that contains a type that is not plain is not plain, either. The loop ends at
 * SCHEMA_MAX_DEPTH, because messages cannot be nested deeper.
 */
void loader_mark_plain(const struct loader *loader)
{
    bool changed = true;
    for (unsigned level = 0; changed && level < SCHEMA_MAX_DEPTH; level++) {
        changed = false;
        for (const struct message_definition *at = loader->messages; at != NULL; at = at->next) {
            if (!at->type->plain || loader_holds_plain_ones(at->type))
                continue;
            at->type->plain = false;
            changed = true;
        }
    }
}
