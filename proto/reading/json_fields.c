/*
 * Reads messages whose JSON is an object of fields: repeated fields, maps, oneofs, groups, message
 * sets.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/base/suggestion.h"
#include "collector/contract/schema.h"
#include "collector/text/json_writer.h"
#include "proto/reading/json_reading.h"
#include "proto/reading/wire.h"

/* Returns true if the key is `wanted`, a name in quotes, followed by a colon. */
static bool is_key(const char *key, size_t key_size, const struct output *wanted)
{
    return key_size == wanted->used + 1 && memcmp(key, wanted->data, wanted->used) == 0;
}

static const struct field_type *find_field(const struct message_type *type,
                                           const struct json_node *member)
{
    char quoted[1024]; /* a field with a longer name is not found */
    struct output wanted = {.data = quoted, .capacity = sizeof quoted};
    json_string(&wanted, member->name, member->name_size);
    for (size_t i = 0; !wanted.overflow && i < type->field_count; i++) {
        const struct field_type *field = &type->fields[i];
        if (is_key(field->json_key, field->json_key_size, &wanted) ||
            is_key(field->proto_key, field->proto_key_size, &wanted))
            return field;
    }
    return NULL;
}

static bool refuse_name(struct json_reading *reading, const struct message_type *type,
                        const char *name)
{
    struct suggestion suggestion;
    suggestion_begin(&suggestion, name, strlen(name));
    for (size_t i = 0; i < type->field_count; i++)
        suggestion_offer(&suggestion, type->fields[i].descriptor->name);
    const char *found = suggestion_found(&suggestion);
    return found != NULL
               ? json_refuse(reading, "%s has no field \"%s\"; did you mean \"%s\"?",
                             type->descriptor->name, name, found)
               : json_refuse(reading, "%s has no field \"%s\"", type->descriptor->name, name);
}

static bool put_array(struct json_reading *reading, const struct field_type *field,
                      const struct json_node *array)
{
    if (array->type != JSON_ARRAY)
        return json_refuse(reading, "a repeated field is an array");
    size_t i = 0;
    for (const struct json_node *each = array->first; each != NULL; each = each->next) {
        size_t entered = json_enter_element(reading, i++);
        if (!json_put_value(reading, field, each))
            return false;
        json_leave(reading, entered);
    }
    return true;
}

static bool put_map(struct json_reading *reading, const struct field_type *field,
                    const struct json_node *object)
{
    const struct message_type *entry = field->message;
    if (object->type != JSON_OBJECT)
        return json_refuse(reading, "a map is an object");
    for (const struct json_node *at = object->first; at != NULL; at = at->next) {
        size_t entered = json_enter(reading, at->name);
        size_t begun = wire_begin(reading->out, field->number);
        reading->value = at;
        if (!json_put_key(reading, &entry->fields[0], at) ||
            !json_put_value(reading, &entry->fields[1], at))
            return false;
        wire_end(reading->out, begun);
        json_leave(reading, entered);
    }
    return true;
}

/*
 * Returns true if null is a value of the field. In all other fields null means that the field is
 * absent.
 */
static bool takes_null(const struct field_type *field)
{
    if (field->presence == PRESENCE_REPEATED)
        return false;
    return field->null_value ||
           (field->message != NULL && field->message->well_known == WELL_KNOWN_VALUE);
}

static bool put_field(struct json_reading *reading, const struct field_type *field,
                      const struct json_node *value)
{
    if (field->map)
        return put_map(reading, field, value);
    return field->presence == PRESENCE_REPEATED ? put_array(reading, field, value)
                                                : json_put_value(reading, field, value);
}

/*
 * Notes that the field occurs. Refuses it if it has occurred before, or another field of its oneof
 * has.
 */
static bool see(struct json_reading *reading, const struct message_type *type,
                const struct field_type *field, bool *seen)
{
    size_t place = (size_t)(field - type->fields);
    if (seen[place])
        return json_refuse(reading, "the field is there twice");
    seen[place] = true;
    for (size_t i = 0; field->presence == PRESENCE_ONEOF && i < type->field_count; i++)
        if (i != place && seen[i] && type->fields[i].presence == PRESENCE_ONEOF &&
            type->fields[i].quantifier == field->quantifier)
            return json_refuse(reading, "\"%s\" is of the same oneof",
                               type->fields[i].descriptor->name);
    return true;
}

static bool put_item(struct json_reading *reading, const struct field_type *field,
                     const struct json_node *value)
{
    wire_group_begin(reading->out, 1);
    wire_varint(reading->out, 2, field->number);
    size_t begun = wire_begin(reading->out, 3);
    if (!json_put_content(reading, field->message, value))
        return false;
    wire_end(reading->out, begun);
    wire_group_end(reading->out, 1);
    return true;
}

/* Appends the items of a message set; its fields are all extensions. */
static bool put_set(struct json_reading *reading, const struct message_type *type,
                    const struct json_node *object, const char *skipped)
{
    for (const struct json_node *at = object->first; at != NULL; at = at->next) {
        if (skipped != NULL && strcmp(at->name, skipped) == 0)
            continue;
        reading->value = at;
        const struct field_type *field = find_field(type, at);
        if (field == NULL)
            return refuse_name(reading, type, at->name);
        size_t entered = json_enter(reading, at->name);
        if (!put_item(reading, field, at))
            return false;
        json_leave(reading, entered);
    }
    return true;
}

static bool check_required(struct json_reading *reading, const struct message_type *type,
                           const bool *seen)
{
    for (size_t i = 0; i < type->field_count; i++)
        if (type->fields[i].presence == PRESENCE_REQUIRED && !seen[i])
            return json_refuse(reading, "the required field \"%s\" is missing",
                               type->fields[i].descriptor->name);
    return true;
}

static bool put_each(struct json_reading *reading, const struct message_type *type,
                     const struct json_node *object, const char *skipped, bool *seen)
{
    for (const struct json_node *at = object->first; at != NULL; at = at->next) {
        if (skipped != NULL && strcmp(at->name, skipped) == 0)
            continue;
        reading->value = at;
        const struct field_type *field = find_field(type, at);
        if (field == NULL)
            return refuse_name(reading, type, at->name);
        if (at->type == JSON_NULL && !takes_null(field))
            continue;
        size_t entered = json_enter(reading, at->name);
        if (!see(reading, type, field, seen) || !put_field(reading, field, at))
            return false;
        json_leave(reading, entered);
    }
    reading->value = object;
    return check_required(reading, type, seen);
}

bool json_put_fields(struct json_reading *reading, const struct message_type *type,
                     const struct json_node *object, const char *skipped)
{
    if (object->type != JSON_OBJECT)
        return json_refuse(reading, "a %s is an object", type->descriptor->name);
    if (type->message_set)
        return put_set(reading, type, object, skipped);
    bool *seen = calloc(type->field_count + 1, sizeof *seen);
    if (seen == NULL) {
        error_no_memory(reading->error);
        return false;
    }
    bool good = put_each(reading, type, object, skipped, seen);
    free(seen);
    return good;
}

bool json_put_content(struct json_reading *reading, const struct message_type *type,
                      const struct json_node *value)
{
    reading->value = value;
    if (reading->level > SCHEMA_MAX_DEPTH)
        return json_refuse(reading, "messages nest deeper than %d", SCHEMA_MAX_DEPTH);
    reading->level++;
    bool good = type->well_known != WELL_KNOWN_NOT ? reading->put_well_known(reading, type, value)
                                                   : json_put_fields(reading, type, value, NULL);
    reading->level--;
    return good;
}

static bool put_message(struct json_reading *reading, const struct field_type *field,
                        const struct json_node *value)
{
    size_t begun = wire_begin(reading->out, field->number);
    if (!json_put_content(reading, field->message, value))
        return false;
    wire_end(reading->out, begun);
    return true;
}

static bool put_group(struct json_reading *reading, const struct field_type *field,
                      const struct json_node *value)
{
    wire_group_begin(reading->out, field->number);
    if (!json_put_content(reading, field->message, value))
        return false;
    wire_group_end(reading->out, field->number);
    return true;
}

bool json_put_value(struct json_reading *reading, const struct field_type *field,
                    const struct json_node *value)
{
    reading->value = value;
    if (field->kind == KIND_GROUP)
        return put_group(reading, field, value);
    if (field->kind == KIND_MESSAGE)
        return put_message(reading, field, value);
    return json_put_scalar(reading, field, value);
}
