/* Adds labels to elements. */
#include <string.h>

#include "proto/wildcard/wildcard_plan.h"

static bool is_in(const struct wildcard_label *labels, const struct text *key)
{
    for (; labels != NULL; labels = labels->next)
        if (text_equal(&labels->key, key))
            return true;
    return false;
}

bool wildcard_is_reserved(const struct wildcard_element *element, const struct wildcard_name *name)
{
    for (; element != NULL; element = element->around)
        if (element->keys != NULL && wildcard_name_set_has(&element->keys->names, name))
            return true;
    return false;
}

bool wildcard_is_taken(const struct wildcard_walk *walk, const struct wildcard_element *element,
                       const struct text *key)
{
    bool taken = wildcard_name_exists(&walk->plan->names, key) || is_in(element->texts, key);
    for (; element != NULL && !taken; element = element->around)
        taken = is_in(element->labels, key);
    return taken;
}

static bool append(struct wildcard_walk *walk, struct wildcard_element *element,
                   const struct wildcard_label *label, const struct wildcard_label ***end)
{
    if (element->label_count == WILDCARD_ELEMENT_LABELS)
        return true;
    element->label_count++;
    struct wildcard_label *added = arena_allocate(walk->arena, sizeof *added);
    if (added == NULL)
        return false;
    *added = *label;
    added->next = NULL;
    **end = added;
    *end = &added->next;
    return true;
}

/* Appends a label of a field, with the key that the plan has chosen. */
static bool append_field(struct wildcard_walk *walk, struct wildcard_element *element,
                         const struct text *path, const struct wildcard_label_keys *keys,
                         bool is_taken, struct wildcard_label *label)
{
    label->key = keys->name->text;
    if ((is_taken || keys->is_taken || wildcard_is_reserved(element->around, keys->name)) &&
        !wildcard_join(walk, path, '.', &keys->name->text, &label->key))
        return false;
    return append(walk, element, label, keys->is_text ? &element->texts_end : &element->end);
}

/* Appends a label whose key is in the message. */
static bool append_other(struct wildcard_walk *walk, struct wildcard_element *element,
                         const struct text *path, const struct wildcard_label *label,
                         const struct wildcard_label ***end)
{
    struct wildcard_label other = *label;
    if (wildcard_is_taken(walk, element, &label->key) &&
        !wildcard_join(walk, path, '.', &label->key, &other.key))
        return false;
    return append(walk, element, &other, end);
}

bool wildcard_add_text(struct wildcard_walk *walk, struct wildcard_element *element,
                       const struct text *path, const struct wildcard_label *label)
{
    return !walk->plan->texts || append_other(walk, element, path, label, &element->texts_end);
}

bool wildcard_add_label(struct wildcard_walk *walk, struct wildcard_element *element,
                        const struct text *path, const struct wildcard_label *label)
{
    return append_other(walk, element, path, label, &element->end);
}

/* The type of wildcard_add_label and wildcard_add_text. */
typedef bool label_adder(struct wildcard_walk *walk, struct wildcard_element *element,
                         const struct text *path, const struct wildcard_label *label);

/*
 * Adds a label for each entry of a map to texts. The map's keys may be numbers. The path of an
 * entry includes the name of the map.
 */
static bool add_entries(struct wildcard_walk *walk, const struct wildcard_label_field *map,
                        const ProtobufCMessage *message, const struct wildcard_place *place,
                        label_adder *add)
{
    struct wildcard_element *element = place->element;
    const struct field_type *fields = map->field->message->fields;
    const ProtobufCMessage *const *entries =
        *(const ProtobufCMessage *const *const *)field_value(map->field, message);
    size_t count = field_elements(map->field, message);
    struct text path;
    if (count != 0 && !wildcard_join(walk, &place->path, '.', &map->name, &path))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct wildcard_label label = {.field = &fields[1],
                                       .value = field_value(&fields[1], entries[i])};
        if (!wildcard_write_text(walk, &fields[0], field_value(&fields[0], entries[i]),
                                 &label.key) ||
            !add(walk, element, &path, &label))
            return false;
        element->is_told = element->is_told || add == wildcard_add_label;
    }
    return true;
}

/* Returns true if the label's value is present and, if it is a text, not empty. */
static bool has_content(const struct field_type *field, const ProtobufCMessage *message,
                        const void *value)
{
    if (field->presence != PRESENCE_IMPLICIT && !field_is_present(field, message))
        return false;
    if (field->kind == KIND_STRING || field->kind == KIND_BYTES)
        return ((const ProtobufCBinaryData *)value)->len != 0;
    return true;
}

static bool add_field(struct wildcard_walk *walk, const struct wildcard_label_keys *keys,
                      const ProtobufCMessage *message, const struct wildcard_place *place)
{
    const struct wildcard_label_field *field = keys->label;
    struct wildcard_label label = {
        .field = field->field, .value = field_value(field->field, message), .form = field->form};
    if (!has_content(field->field, message, label.value))
        return true;
    if (field->reason != REASON_ENUM && !keys->is_text)
        place->element->is_told = true;
    return append_field(walk, place->element, &place->path, keys, place->again, &label);
}

bool wildcard_add_labels(struct wildcard_walk *walk, const ProtobufCMessage *message,
                         const struct wildcard_place *place)
{
    for (size_t i = 0; i < place->keys->label_count; i++) {
        const struct wildcard_label_keys *keys = &place->keys->labels[i];
        label_adder *add = keys->is_text ? wildcard_add_text : wildcard_add_label;
        if (!(keys->name == NULL ? add_entries(walk, keys->label, message, place, add)
                                 : add_field(walk, keys, message, place)))
            return false;
    }
    return true;
}

bool wildcard_has_texts(const struct wildcard_type *type, const ProtobufCMessage *message)
{
    for (size_t i = 0; i < type->label_count; i++)
        if (type->labels[i].reason == REASON_TEXTS &&
            field_elements(type->labels[i].field, message) != 0)
            return true;
    return false;
}

bool wildcard_add_texts(struct wildcard_walk *walk, const struct wildcard_type *type,
                        const ProtobufCMessage *message, const struct wildcard_place *place)
{
    for (size_t i = 0; i < type->label_count; i++)
        if (type->labels[i].reason == REASON_TEXTS &&
            !add_entries(walk, &type->labels[i], message, place, wildcard_add_label))
            return false;
    return true;
}

/* Returns true if an enclosing element is in a list of the same name. */
static bool is_in_list(const struct wildcard_element *around, const struct wildcard_name *list)
{
    while (around != NULL && (around->keys == NULL || around->keys->position.name != list))
        around = around->around;
    return around != NULL;
}

bool wildcard_add_position(struct wildcard_walk *walk, struct wildcard_element *element,
                           const struct text *path, size_t position)
{
    struct wildcard_label label = {.number = position};
    if (element->is_told)
        return true;
    const struct wildcard_label_keys *keys = &element->keys->position;
    return append_field(walk, element, path, keys, is_in_list(element->around, keys->name), &label);
}

bool wildcard_add_entry(struct wildcard_walk *walk, struct wildcard_element *element,
                        const struct text *path, const struct field_type *key,
                        const ProtobufCMessage *entry)
{
    struct wildcard_label label = {.field = key, .value = field_value(key, entry)};
    element->is_told = true;
    return append_field(walk, element, path, &element->keys->position, false, &label);
}
