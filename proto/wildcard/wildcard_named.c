/*
 * Reads samples from messages with a name and a value. The type of such a message has a text called
 * name or key, and a oneof with at least two kinds of numbers. The oneof is in the message itself,
 * or in the only other field, which is a message. Examples are Cisco's TelemetryField, Sparkplug's
 * Metric and OpenTelemetry's KeyValue. Such messages can contain messages of their own type, whose
 * names are appended after a slash, and maps to texts, which are labels.
 */
#include <string.h>

#include "proto/message/order.h"
#include "proto/message/text_of.h"
#include "proto/wildcard/wildcard_plan.h"

#define KEYS "keys" /* a message with this name contains labels for its siblings */

/* --- the form --------------------------------------------------------------------------------- */

/* Returns a field of a oneof that has at least two kinds of numbers, or NULL. */
static const struct field_type *find_oneof(const struct message_type *type)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const struct field_type *one = &type->fields[i];
        if (one->presence != PRESENCE_ONEOF || !field_is_number(one))
            continue;
        for (size_t k = i + 1; k < type->field_count; k++) {
            const struct field_type *other = &type->fields[k];
            if (other->presence == PRESENCE_ONEOF && other->quantifier == one->quantifier &&
                field_is_number(other) && other->kind != one->kind)
                return one;
        }
    }
    return NULL;
}

static bool is_name(const struct field_type *field)
{
    const char *name = field->descriptor->name;
    return field->kind == KIND_STRING &&
           (field->presence == PRESENCE_IMPLICIT || field->presence == PRESENCE_FLAG ||
            field->presence == PRESENCE_REQUIRED) &&
           (strcmp(name, "name") == 0 || strcmp(name, "key") == 0);
}

bool wildcard_is_named(const struct message_type *type, struct wildcard_named *named)
{
    *named = (struct wildcard_named){.values = type, .one = find_oneof(type)};
    for (size_t i = 0; i < type->field_count; i++) {
        const struct field_type *field = &type->fields[i];
        if (named->name == NULL && is_name(field))
            named->name = field;
        else if (field->presence == PRESENCE_REPEATED && field->message == type)
            named->children = field;
        else if (named->one == NULL && field->presence == PRESENCE_POINTER &&
                 type->field_count == 2 && field->message != type) {
            named->holder = field;
            named->values = field->message;
        }
    }
    if (named->holder != NULL)
        named->one = find_oneof(named->values);
    return named->name != NULL && named->one != NULL && !type->map_entry;
}

/* --- reading ---------------------------------------------------------------------------------- */

static struct text name_of(const struct wildcard_named *named, const ProtobufCMessage *message)
{
    return text_of(*(const ProtobufCBinaryData *)field_value(named->name, message));
}

/*
 * Returns the field of the oneof that is set, or NULL. *holder becomes the message with the oneof.
 */
static const struct field_type *value_of(const struct wildcard_named *named,
                                         const ProtobufCMessage *message,
                                         const ProtobufCMessage **holder)
{
    *holder = named->holder == NULL
                  ? message
                  : *(const ProtobufCMessage *const *)field_value(named->holder, message);
    if (*holder == NULL)
        return NULL;
    const void *at = (const char *)*holder + named->one->quantifier;
    return message_type_find(named->values, *(const uint32_t *)at);
}

static struct wildcard_list children_of(const struct wildcard_named *named,
                                        const ProtobufCMessage *message)
{
    if (named->children == NULL)
        return (struct wildcard_list){0};
    return (struct wildcard_list){
        .messages = *(const ProtobufCMessage *const *const *)field_value(named->children, message),
        .count = field_elements(named->children, message)};
}

/* Returns true for a message "keys": the values in it are labels of its siblings. */
static bool is_keys(const struct wildcard_named *named, const ProtobufCMessage *message)
{
    struct text name = name_of(named, message);
    return text_is(name.data, name.size, KEYS) && children_of(named, message).count != 0;
}

static bool has_keys(const struct wildcard_named *named, const ProtobufCMessage *message)
{
    struct wildcard_list children = children_of(named, message);
    for (size_t i = 0; i < children.count; i++)
        if (is_keys(named, children.messages[i]))
            return true;
    return false;
}

/* --- finding the elements --------------------------------------------------------------------- */

/* Up to this length, a list's messages are compared with each other; longer lists are sorted. */
#define FEW ((size_t)16)

static void mark_few(const struct wildcard_named *named, const struct wildcard_list *list,
                     uint8_t *same)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = i + 1; k < list->count; k++)
            if (message_compare(named->name, list->messages[i], list->messages[k]) == 0)
                same[i] = same[k] = 1;
}

static bool mark_many(struct wildcard_walk *walk, const struct wildcard_named *named,
                      const struct wildcard_list *list, uint8_t *same)
{
    size_t used = walk->arena->used;
    const uint32_t *order = message_order(named->name, list->messages, list->count, walk->arena);
    if (order == NULL)
        return false;
    for (size_t i = 0; i + 1 < list->count; i++)
        if (message_compare(named->name, list->messages[order[i]], list->messages[order[i + 1]]) ==
            0)
            same[order[i]] = same[order[i + 1]] = 1;
    walk->arena->used = used;
    return true;
}

/*
 * Returns, for each message, 1 if another one in the list has the same name. The result is in the
 * arena. Returns NULL if the arena is full.
 */
static uint8_t *mark_same(struct wildcard_walk *walk, const struct wildcard_named *named,
                          const struct wildcard_list *list)
{
    uint8_t *same = arena_allocate(walk->arena, list->count);
    if (same == NULL)
        return NULL;
    memset(same, 0, list->count);
    if (list->count > FEW)
        return mark_many(walk, named, list, same) ? same : NULL;
    mark_few(named, list, same);
    return same;
}

/*
 * Returns true if a message is an element, with labels that its siblings do not share: it has the
 * name of another message in the list, or it has no name and is in a field, or it contains "keys"
 * or entries of a map to texts.
 */
static bool is_element(const struct wildcard_type *type, const struct wildcard_list *list,
                       size_t position, const uint8_t *same)
{
    const struct wildcard_named *named = &type->named;
    const ProtobufCMessage *message = list->messages[position];
    return same[position] != 0 || (list->field != NULL && name_of(named, message).size == 0) ||
           has_keys(named, message) || wildcard_has_texts(type, message);
}

/* --- labels ----------------------------------------------------------------------------------- */

static struct wildcard_label label_of(struct text key, const struct field_type *field,
                                      const ProtobufCMessage *holder)
{
    return (struct wildcard_label){.key = key, .field = field, .value = field_value(field, holder)};
}

/*
 * Adds all values in `list`, at any depth, as labels. `path` is the path of names from the message
 * "keys" to `list`. `keys` is the place of that message.
 */
static bool add_keys(struct wildcard_walk *walk, const struct wildcard_named *named,
                     const struct wildcard_list *list, const struct wildcard_place *keys,
                     const struct text *path)
{
    struct wildcard_element *element = keys->element;
    for (size_t i = 0; i < list->count; i++) {
        const ProtobufCMessage *message = list->messages[i];
        const ProtobufCMessage *holder;
        const struct field_type *value = value_of(named, message, &holder);
        struct text name = name_of(named, message);
        struct text below;
        if (value != NULL && value->message == NULL && name.size != 0) {
            struct wildcard_label label = label_of(name, value, holder);
            if (wildcard_is_taken(walk, element, &name) &&
                !wildcard_join(walk, path, '/', &name, &label.key))
                return false;
            if (!wildcard_add_label(walk, element, &keys->path, &label))
                return false;
            element->is_told = true;
        }
        struct wildcard_list children = children_of(named, message);
        if (children.count != 0 && (!wildcard_join(walk, path, '/', &name, &below) ||
                                    !add_keys(walk, named, &children, keys, &below)))
            return false;
    }
    return true;
}

static bool add_asked(struct wildcard_walk *walk, const struct wildcard_named *named,
                      const ProtobufCMessage *message, const struct wildcard_place *place)
{
    const ProtobufCMessage *holder;
    const struct field_type *value = value_of(named, message, &holder);
    const struct text name = name_of(named, message);
    for (size_t i = 0; value != NULL && value->message == NULL && i < walk->plan->label_count;
         i++) {
        const struct wildcard_asked *asked = &walk->plan->labels[i];
        if (!wildcard_asks_for_name(asked, &name, &place->path))
            continue;
        struct wildcard_label label =
            label_of(asked->name.size != 0 ? asked->name : name, value, holder);
        label.form = asked->form;
        place->element->is_told = true;
        return wildcard_add_label(walk, place->element, &place->path, &label);
    }
    return true;
}

static bool enter_named(struct wildcard_walk *walk, const struct wildcard_place *from,
                        const struct text *name, struct wildcard_place *to)
{
    *to = *from;
    to->named = from->named || name->size != 0;
    char separator = from->named ? '/' : '.';
    if (!wildcard_join(walk, &from->path, separator, name, &to->path))
        return false;
    to->name = to->path;
    return !walk->plan->named || wildcard_join(walk, &from->name, separator, name, &to->name);
}

bool wildcard_named_labels(struct wildcard_walk *walk, const struct wildcard_type *type,
                           const struct wildcard_list *list, const struct wildcard_place *place)
{
    static const struct text empty = {"", 0};
    const struct wildcard_named *named = &type->named;
    const uint8_t *same = mark_same(walk, named, list);
    if (same == NULL)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const ProtobufCMessage *message = list->messages[i];
        struct wildcard_list children = children_of(named, message);
        struct wildcard_place inside;
        const struct text name = name_of(named, message);
        if (is_keys(named, message)) {
            if (!add_keys(walk, named, &children, place, &empty))
                return false;
            continue;
        }
        if (is_element(type, list, i, same))
            continue;
        if (!add_asked(walk, named, message, place))
            return false;
        if (children.count != 0 && (!enter_named(walk, place, &name, &inside) ||
                                    !wildcard_named_labels(walk, type, &children, &inside)))
            return false;
    }
    return true;
}

/* --- values ----------------------------------------------------------------------------------- */

/*
 * Returns true if the option `labels` names a message of this name. Its value is then a label
 * and not a sample.
 */
static bool is_asked(const struct wildcard_walk *walk, const struct text *name,
                     const struct wildcard_place *place)
{
    for (size_t i = 0; i < walk->plan->label_count; i++)
        if (wildcard_asks_for_name(&walk->plan->labels[i], name, &place->path))
            return true;
    return false;
}

/*
 * Adds the value of the message: a number as a part, a text as a label of the element's info
 * sample. `around` is the place of the list with the message.
 */
static bool add_value(struct wildcard_walk *walk, const struct wildcard_named *named,
                      const ProtobufCMessage *message, const struct wildcard_place *around,
                      const struct wildcard_place *place)
{
    const ProtobufCMessage *holder;
    const struct field_type *value = value_of(named, message, &holder);
    if (!place->selected || value == NULL || value->message != NULL)
        return true;
    if (!wildcard_is_number(value, holder)) {
        const struct wildcard_label label = label_of(name_of(named, message), value, holder);
        return value->kind != KIND_STRING || label.key.size == 0 ||
               wildcard_add_text(walk, place->element, &around->path, &label);
    }
    struct wildcard_part *part = wildcard_add_part(walk, place);
    if (part == NULL)
        return false;
    part->message = holder;
    part->value = value;
    return true;
}

static struct text last_part(const struct text *path)
{
    size_t at = path->size;
    while (at != 0 && path->data[at - 1] != '/' && path->data[at - 1] != '.')
        at--;
    return (struct text){path->data + at, path->size - at};
}

static bool begin_element(struct wildcard_walk *walk, const struct wildcard_type *type,
                          const struct wildcard_list *list, size_t position,
                          const struct wildcard_place *around, struct wildcard_place *place)
{
    const ProtobufCMessage *message = list->messages[position];
    struct wildcard_list children = children_of(&type->named, message);
    struct text name = name_of(&type->named, message);
    place->element = wildcard_add_element(walk, around->element, NULL);
    if (place->element == NULL || !wildcard_named_labels(walk, type, &children, place) ||
        !wildcard_add_texts(walk, type, message, place))
        return false;
    if (name.size == 0 && list->field != NULL)
        name = list->field->name;
    if (name.size == 0)
        name = last_part(&around->path);
    return place->element->is_told ||
           wildcard_add_label(walk, place->element, &around->path,
                              &(struct wildcard_label){.key = name, .number = position});
}

bool wildcard_named_walk(struct wildcard_walk *walk, const struct wildcard_type *type,
                         const struct wildcard_list *list, const struct wildcard_place *place)
{
    const struct wildcard_named *named = &type->named;
    const uint8_t *same = mark_same(walk, named, list);
    if (same == NULL)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const ProtobufCMessage *message = list->messages[i];
        const struct text name = name_of(named, message);
        struct wildcard_list children = children_of(named, message);
        struct wildcard_place inside;
        bool element = is_element(type, list, i, same);
        if (is_keys(named, message) || (!element && is_asked(walk, &name, place)))
            continue;
        if (!enter_named(walk, place, &name, &inside))
            return false;
        struct wildcard_part **begun = walk->end;
        int64_t time = wildcard_time_of(type, message);
        if (time != 0)
            inside.time_ns = time;
        if ((element && !begin_element(walk, type, list, i, place, &inside)) ||
            !add_value(walk, named, message, place, &inside) ||
            (children.count != 0 && !wildcard_named_walk(walk, type, &children, &inside)) ||
            (element && !wildcard_end_element(walk, &inside, begun)))
            return false;
    }
    return true;
}
