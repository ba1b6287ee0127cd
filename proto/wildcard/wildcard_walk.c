/*
 * Lists the parts of a message. The recursion is as deep as messages are nested, which the decoder
 * has limited.
 */
#include "proto/wildcard/wildcard_plan.h"

/* --- places ----------------------------------------------------------------------------------- */

static struct wildcard_list messages_of(const struct wildcard_field *field,
                                        const ProtobufCMessage *message)
{
    const void *at = field_value(field->field, message);
    struct wildcard_list list = {.field = field};
    if (field->field->presence == PRESENCE_REPEATED) {
        list.messages = *(const ProtobufCMessage *const *const *)at;
        list.count = field_elements(field->field, message);
    } else if (field_is_present(field->field, message)) {
        list.messages = at;
        list.count = 1;
    }
    return list;
}

/*
 * Sets *to to the place one level below `from`, in its field `index`. For an element of a list or
 * map, walk_element changes the keys afterwards. Returns false if the arena is full.
 */
static bool enter(struct wildcard_walk *walk, const struct wildcard_place *from, size_t index,
                  struct wildcard_place *to)
{
    static const struct text empty = {"", 0};
    const struct wildcard_field *field = &from->keys->type->fields[index];
    *to = *from;
    to->depth++;
    to->paths = 0;
    if (field->use == USE_INSIDE) {
        const struct wildcard_field_keys *keys = &from->keys->fields[index];
        to->keys = keys->is.message;
        to->again = from->again || keys->again;
    }
    for (size_t i = 0; !from->selected && i < walk->root->path_count; i++) {
        const struct field_path *path = &walk->root->paths[i];
        if ((from->paths >> i & 1) == 0 || path->steps[from->depth] != field->field)
            continue;
        if (path->count == to->depth)
            to->selected = true;
        else
            to->paths |= UINT32_C(1) << i;
    }
    if (!wildcard_join(walk, field->begins ? &empty : &from->path, '.', &field->name, &to->path))
        return false;
    to->name = to->path;
    return field->begins || !walk->plan->named ||
           wildcard_join(walk, &from->name, '.', &field->name, &to->name);
}

static bool leads_on(const struct wildcard_place *place)
{
    return place->selected || place->paths != 0;
}

/* --- labels of an element --------------------------------------------------------------------- */

/*
 * Adds the labels of a message, and of the singular messages in it, which belong to the same
 * element. Sets the element's time to the first one found.
 */
static bool add_labels(struct wildcard_walk *walk, const ProtobufCMessage *message,
                       const struct wildcard_place *place)
{
    const struct wildcard_type *type = place->keys->type;
    struct wildcard_element *element = place->element;
    if (element->time_ns == 0)
        element->time_ns = wildcard_time_of(type, message);
    if (!wildcard_add_labels(walk, message, place))
        return false;
    for (size_t i = 0; i < type->field_count; i++) {
        const struct wildcard_field *field = &type->fields[i];
        if (field->use != USE_INSIDE && field->use != USE_NAMED)
            continue;
        struct wildcard_list list = messages_of(field, message);
        struct wildcard_place inside;
        if (list.count == 0)
            continue;
        if (!enter(walk, place, i, &inside) ||
            !(field->use == USE_NAMED ? wildcard_named_labels(walk, field->type, &list, &inside)
                                      : add_labels(walk, list.messages[0], &inside)))
            return false;
    }
    return true;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static bool walk_message(struct wildcard_walk *walk, const ProtobufCMessage *message,
                         struct wildcard_place *place);

static bool walk_numbers(struct wildcard_walk *walk, size_t index, const ProtobufCMessage *message,
                         const struct wildcard_place *place)
{
    const struct wildcard_field *field = &place->keys->type->fields[index];
    const struct wildcard_name *name = place->keys->fields[index].is.name;
    struct wildcard_place inside;
    if (field_elements(field->field, message) == 0 || !leads_on(place))
        return true;
    if (!enter(walk, place, index, &inside))
        return false;
    if (!inside.selected)
        return true;
    struct wildcard_part *part = wildcard_add_part(walk, &inside);
    if (part == NULL)
        return false;
    part->field = field;
    part->message = message;
    part->key = wildcard_is_reserved(place->element, name) ? inside.path : field->name;
    return true;
}

/* Walks an element of a list, which may be the entry of a map. `keys` are its keys. */
static bool walk_element(struct wildcard_walk *walk, const struct wildcard_list *list,
                         size_t position, const struct wildcard_element_keys *keys,
                         const struct wildcard_place *around, const struct wildcard_place *inside)
{
    const struct wildcard_field *field = list->field;
    const ProtobufCMessage *message = list->messages[position];
    struct wildcard_place place = *inside;
    place.element = wildcard_add_element(walk, around->element, keys);
    place.keys = keys->message;
    place.again = false;
    struct wildcard_part **begun = walk->end;
    if (place.element == NULL)
        return false;
    if (field->field->map) {
        const struct field_type *key = &field->field->message->fields[0];
        const struct field_type *value = &field->field->message->fields[1];
        if (!wildcard_add_entry(walk, place.element, &around->path, key, message))
            return false;
        message = *(const ProtobufCMessage *const *)field_value(value, message);
    }
    return add_labels(walk, message, &place) &&
           wildcard_add_position(walk, place.element, &around->path, position) &&
           walk_message(walk, message, &place) && wildcard_end_element(walk, &place, begun);
}

static bool walk_field(struct wildcard_walk *walk, size_t index, const ProtobufCMessage *message,
                       const struct wildcard_place *place)
{
    const struct wildcard_field *field = &place->keys->type->fields[index];
    const struct wildcard_field_keys *keys = &place->keys->fields[index];
    struct wildcard_place inside;
    struct wildcard_list list = messages_of(field, message);
    if (list.count == 0)
        return true;
    if (!enter(walk, place, index, &inside))
        return false;
    if (!leads_on(&inside))
        return true;
    if (field->use == USE_NAMED)
        return wildcard_named_walk(walk, field->type, &list, &inside);
    if (field->use == USE_INSIDE)
        return walk_message(walk, list.messages[0], &inside);
    for (size_t i = 0; i < list.count; i++)
        if (!walk_element(walk, &list, i, keys->is.element, place, &inside))
            return false;
    return true;
}

static bool add_samples(struct wildcard_walk *walk, const ProtobufCMessage *message,
                        const struct wildcard_place *place)
{
    const struct wildcard_type *type = place->keys->type;
    const struct wildcard_part numbers = {
        .type = type, .keys = place->keys->fields, .message = message};
    size_t i = 0;
    while (i < type->field_count && !wildcard_has_sample(&numbers, &type->fields[i]))
        i++;
    if (i == type->field_count)
        return true;
    struct wildcard_part *part = wildcard_add_part(walk, place);
    if (part == NULL)
        return false;
    part->type = type;
    part->keys = place->keys->fields;
    part->message = message;
    return true;
}

/*
 * Lists the parts of a message and of the messages in it. The element's labels were added before.
 */
static bool walk_message(struct wildcard_walk *walk, const ProtobufCMessage *message,
                         struct wildcard_place *place)
{
    const struct wildcard_type *type = place->keys->type;
    int64_t time = wildcard_time_of(type, message);
    if (time == 0)
        time = place->element->time_ns;
    if (time != 0)
        place->time_ns = time;
    if (place->selected && !add_samples(walk, message, place))
        return false;
    for (size_t i = 0; i < type->field_count; i++) {
        const struct wildcard_field *field = &type->fields[i];
        bool numbers = field->use == USE_VALUES || field->use == USE_NUMBERS;
        if (field->use == USE_VALUE)
            continue;
        if (!(numbers ? walk_numbers(walk, i, message, place)
                      : walk_field(walk, i, message, place)))
            return false;
    }
    return true;
}

/* --- the whole -------------------------------------------------------------------------------- */

/* Makes the text that all names begin with: the value of the option `name`. */
static bool begin_names(struct wildcard_walk *walk, const ProtobufCMessage *message,
                        struct text *name)
{
    const struct field_path *path = walk->root->name;
    const void *at = path == NULL ? NULL : field_path_follow(path, message, NULL);
    *name = (struct text){"", 0};
    if (at == NULL)
        return true;
    return wildcard_write_text(walk, field_path_last(path), at, name);
}

bool wildcard_walk(const struct wildcard_plan *plan, size_t root, const ProtobufCMessage *message,
                   struct arena *arena, const struct wildcard_part **parts, struct decoded *out)
{
    struct wildcard_part *first = NULL;
    struct wildcard_walk walk = {
        .plan = plan, .root = &plan->roots[root], .arena = arena, .end = &first};
    struct wildcard_place place = {.path = {"", 0},
                                   .keys = walk.root->keys->message,
                                   .paths = UINT32_MAX,
                                   .selected = plan->all};
    place.element = wildcard_add_element(&walk, NULL, walk.root->keys);
    bool done = place.element != NULL && begin_names(&walk, message, &place.name) &&
                add_labels(&walk, message, &place) && walk_message(&walk, message, &place) &&
                wildcard_end_element(&walk, &place, &first) &&
                wildcard_find_repeated(&walk, first, out);
    *parts = first;
    return done;
}
