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

bool wildcard_is_taken(const struct wildcard_element *element, const struct text *key)
{
    bool taken = is_in(element->texts, key);
    for (; element != NULL && !taken; element = element->around)
        taken = is_in(element->labels, key);
    return taken;
}

/*
 * Appends a label to a list. If another label already has its key, the label's key becomes its
 * path.
 */
static bool append(struct wildcard_walk *walk, struct wildcard_element *element,
                   const struct text *path, const struct wildcard_label *label,
                   const struct wildcard_label ***end)
{
    if (element->label_count == WILDCARD_ELEMENT_LABELS)
        return true;
    element->label_count++;
    struct wildcard_label *added = arena_allocate(walk->arena, sizeof *added);
    if (added == NULL)
        return false;
    *added = *label;
    added->next = NULL;
    if (wildcard_is_taken(element, &label->key) &&
        !wildcard_join(walk, path, '.', &label->key, &added->key))
        return false;
    **end = added;
    *end = &added->next;
    return true;
}

bool wildcard_add_text(struct wildcard_walk *walk, struct wildcard_element *element,
                       const struct text *path, const struct wildcard_label *label)
{
    return !walk->plan->texts || append(walk, element, path, label, &element->texts_end);
}

bool wildcard_add_label(struct wildcard_walk *walk, struct wildcard_element *element,
                        const struct text *path, const struct wildcard_label *label)
{
    return append(walk, element, path, label, &element->end);
}

/* Whether the field is a label of this element. */
static bool is_label_here(const struct wildcard_label_field *field, const struct text *path,
                          const struct wildcard_element *element)
{
    if (field->reason == REASON_ASKED && field->exact)
        return text_equal(path, &field->before);
    if (field->reason == REASON_ASKED)
        return wildcard_path_ends(path, &field->before);
    return field->reason == REASON_KEY || !element->keyed;
}

bool wildcard_is_label(const struct wildcard_field *field, const struct text *path,
                       const struct wildcard_element *element)
{
    const struct wildcard_label_field *label = field->label;
    for (; label->field == field->field; label++)
        if (is_label_here(label, path, element))
            return true;
    return false;
}

/* wildcard_add_label or wildcard_add_text. */
typedef bool label_adder(struct wildcard_walk *walk, struct wildcard_element *element,
                         const struct text *path, const struct wildcard_label *label);

/* Adds a label for each entry of a map to texts. Its keys may be numbers. */
static bool add_entries(struct wildcard_walk *walk, const struct wildcard_label_field *map,
                        const ProtobufCMessage *message, const struct wildcard_place *place,
                        label_adder *add)
{
    struct wildcard_element *element = place->element;
    const struct field_type *fields = map->field->message->fields;
    const ProtobufCMessage *const *entries =
        *(const ProtobufCMessage *const *const *)field_value(map->field, message);
    for (size_t i = 0; i < field_elements(map->field, message); i++) {
        struct wildcard_label label = {.field = &fields[1],
                                       .value = field_value(&fields[1], entries[i])};
        if (!wildcard_write_text(walk, &fields[0], field_value(&fields[0], entries[i]),
                                 &label.key) ||
            !add(walk, element, &place->path, &label))
            return false;
        element->is_told = element->is_told || add == wildcard_add_label;
    }
    return true;
}

/* Whether the label's value is a text that is not empty, or another value that is present. */
static bool has_content(const struct field_type *field, const void *value)
{
    if (field->kind == KIND_STRING || field->kind == KIND_BYTES)
        return ((const ProtobufCBinaryData *)value)->len != 0;
    return true;
}

static bool add_field(struct wildcard_walk *walk, const struct wildcard_label_field *field,
                      const ProtobufCMessage *message, const struct wildcard_place *place,
                      label_adder *add)
{
    bool present =
        field->field->presence == PRESENCE_IMPLICIT || field_is_present(field->field, message);
    const void *value = field_value(field->field, message);
    struct wildcard_label label = {.key = field->name, .field = field->field, .form = field->form};
    /*
     * A label without a value is added, too: it reserves its key, so that no other field gets the
     * key.
     */
    if (present && has_content(field->field, value))
        label.value = value;
    if (label.value != NULL && field->reason != REASON_ENUM && add == wildcard_add_label)
        place->element->is_told = true;
    return (label.value == NULL && add == wildcard_add_text) ||
           add(walk, place->element, &place->path, &label);
}

bool wildcard_add_labels(struct wildcard_walk *walk, const struct wildcard_type *type,
                         const ProtobufCMessage *message, const struct wildcard_place *place)
{
    const struct field_type *added = NULL;
    for (size_t i = 0; i < type->label_count; i++) {
        const struct wildcard_label_field *field = &type->labels[i];
        bool is_label = is_label_here(field, &place->path, place->element);
        label_adder *add = is_label ? wildcard_add_label : wildcard_add_text;
        if (field->field == added || (!is_label && field->reason == REASON_ASKED))
            continue;
        added = field->field;
        if (!(field->reason == REASON_TEXTS ? add_entries(walk, field, message, place, add)
                                            : add_field(walk, field, message, place, add)))
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

bool wildcard_add_position(struct wildcard_walk *walk, struct wildcard_element *element,
                           const struct text *path, const struct text *list, size_t position)
{
    if (element->is_told)
        return true;
    return wildcard_add_label(walk, element, path,
                              &(struct wildcard_label){.key = *list, .number = position});
}
