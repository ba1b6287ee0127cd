/* Chooses the keys of labels when the plan is made. */
#include "proto/wildcard/wildcard_keys.h"

#include <stdlib.h>

#include "proto/wildcard/wildcard_plan.h"
#include "proto/wildcard/wildcard_where.h"

/* --- tables ----------------------------------------------------------------------------------- */

/*
 * The table of an element, and data that are needed only while it is made. Equal elements share it.
 */
struct keyed_element {
    struct wildcard_element_keys keys;
    struct wildcard_type *type;
    struct wildcard_where where;
    struct text list; /* name of the field; empty for a root */
    bool map;
    bool in_root; /* its field is in the outermost message, so its path is its name */
    struct keyed_message *messages, **end; /* in the order of their labels */
    struct keyed_list *lists;
    struct keyed_element *next;            /* in the order in which they were found */
    const struct keyed_element *found_for; /* the last element whose inner elements were listed */
    struct keyed_element *next_found;      /* in that list */
    struct keyed_element *next_of_type;
};

/*
 * A list in an element: of elements, or of numbers. In a list of numbers, the label for the
 * position has the list's name.
 */
struct keyed_list {
    const struct wildcard_name *numbers; /* NULL: a list of elements */
    struct keyed_element *elements;
    struct keyed_list *next;
};

struct keyed_message {
    struct wildcard_message_keys keys;
    struct wildcard_label_keys *labels;
    struct wildcard_field_keys *fields;
    const struct keyed_element *element;
    const struct keyed_message *around; /* the enclosing message; NULL: it is the element itself */
    const struct field_type *field;     /* of the enclosing message */
    size_t depth;                       /* number of enclosing messages in the element */
    struct wildcard_where where;
    struct keyed_message *next;         /* in the same element */
    struct keyed_message *next_of_type; /* the newest first: those of one element are consecutive */
};

/* A label whose key is its name. */
struct keyed_label {
    const struct keyed_message *message; /* NULL: the position, or the key in a map */
    const struct keyed_label *next;
};

/*
 * The most tables of messages in a plan: types that contain each other can have many. Beyond this,
 * the messages inside an element share the tables that their type has in other elements, and their
 * labels have paths as keys.
 */
#define MOST_MESSAGES ((size_t)32768)

struct making {
    struct wildcard_plan *plan;
    struct keyed_element *elements, **end;
    struct wildcard_name **names; /* of the labels of the element that is being made */
    size_t name_count, name_capacity;
    size_t message_count; /* in all elements */
};

static void *making_allocate(struct making *making, size_t count, size_t size)
{
    return growing_arena_allocate(&making->plan->memory, count, size);
}

/*
 * Returns the table for elements of the type, and adds it if it is new. Returns NULL if memory is
 * short.
 */
static struct keyed_element *element_of(struct making *making, struct wildcard_type *type,
                                        const struct wildcard_where *where, struct text list,
                                        bool map, bool in_root)
{
    for (struct keyed_element *at = type->elements; at != NULL; at = at->next_of_type)
        if (at->map == map && at->in_root == in_root && text_equal(&at->list, &list) &&
            wildcard_where_equal(&at->where, where))
            return at;
    struct keyed_element *element = making_allocate(making, 1, sizeof *element);
    if (element == NULL)
        return NULL;
    *element = (struct keyed_element){.type = type,
                                      .where = *where,
                                      .list = list,
                                      .in_root = in_root,
                                      .map = map,
                                      .next_of_type = type->elements};
    element->end = &element->messages;
    type->elements = element;
    *making->end = element;
    making->end = &element->next;
    return element;
}

/* --- names ------------------------------------------------------------------------------------ */

static bool keep_name(struct making *making, struct wildcard_name *name)
{
    if (making->name_count == making->name_capacity) {
        size_t capacity = 2 * making->name_capacity + 64;
        struct wildcard_name **names = realloc(making->names, capacity * sizeof(void *));
        if (names == NULL)
            return false;
        making->names = names;
        making->name_capacity = capacity;
    }
    making->names[making->name_count++] = name;
    return true;
}

/*
 * Returns true if the messages cannot both be present, because they are in different fields of a
 * oneof.
 */
static bool are_exclusive(const struct keyed_message *a, const struct keyed_message *b)
{
    if (a == NULL || b == NULL)
        return false;
    while (a->depth > b->depth)
        a = a->around;
    while (b->depth > a->depth)
        b = b->around;
    while (a->around != b->around) {
        a = a->around;
        b = b->around;
    }
    return a != b && a->field->presence == PRESENCE_ONEOF && b->field->presence == PRESENCE_ONEOF &&
           a->field->quantifier == b->field->quantifier;
}

/* Returns true if one of the labels can be present together with a label of the message. */
static bool is_among(const struct keyed_label *labels, const struct keyed_message *message)
{
    while (labels != NULL && are_exclusive(labels->message, message))
        labels = labels->next;
    return labels != NULL;
}

/* Sets the name of the message's label, and notes if another label of the element has this name. */
static bool name_label(struct making *making, const struct keyed_element *element,
                       const struct keyed_message *message, struct text text,
                       struct wildcard_label_keys *label)
{
    struct wildcard_plan *plan = making->plan;
    struct wildcard_name *name = wildcard_name_add(&plan->names, &plan->memory, &text);
    if (name == NULL)
        return false;
    if (name->element != element) {
        name->element = element;
        name->labels = name->texts = NULL;
    }
    name->is_label = true;
    label->name = name;
    label->is_taken =
        is_among(name->labels, message) || (label->is_text && is_among(name->texts, message));
    if (label->is_taken)
        return true;
    struct keyed_label **list = label->is_text ? &name->texts : &name->labels;
    struct keyed_label *added = making_allocate(making, 1, sizeof *added);
    if (added == NULL)
        return false;
    bool is_first = *list == NULL;
    *added = (struct keyed_label){.message = message, .next = *list};
    *list = added;
    return label->is_text || !is_first || keep_name(making, name);
}

static bool add_list(struct making *making, struct keyed_element *element,
                     const struct wildcard_name *numbers, struct keyed_element *elements)
{
    struct keyed_list *list = making_allocate(making, 1, sizeof *list);
    if (list == NULL)
        return false;
    *list = (struct keyed_list){numbers, elements, element->lists};
    element->lists = list;
    return true;
}

static bool name_numbers(struct making *making, struct keyed_element *element, struct text list,
                         struct wildcard_field_keys *keys)
{
    struct wildcard_plan *plan = making->plan;
    struct wildcard_name *name = wildcard_name_add(&plan->names, &plan->memory, &list);
    if (name == NULL)
        return false;
    name->is_label = true;
    keys->is.name = name;
    return add_list(making, element, name, NULL);
}

/* Returns true if a message of the element can have a label that makes the position unnecessary. */
static bool can_be_told(const struct keyed_element *element)
{
    for (const struct keyed_message *at = element->messages; at != NULL; at = at->next) {
        for (size_t i = 0; i < at->keys.label_count; i++)
            if (!at->labels[i].is_text && at->labels[i].label->reason != REASON_ENUM)
                return true;
        for (size_t i = 0; i < at->keys.type->field_count; i++)
            if (at->keys.type->fields[i].use == USE_NAMED)
                return true;
    }
    return false;
}

/* Sets the name of the element's position in a list, or of its key in a map. */
static bool name_position(struct making *making, struct keyed_element *element)
{
    struct wildcard_plan *plan = making->plan;
    struct wildcard_element_keys *keys = &element->keys;
    keys->gives_way = !element->map && !element->in_root && can_be_told(element);
    if (!keys->gives_way)
        return name_label(making, element, NULL, element->list, &keys->position);
    keys->position.name = wildcard_name_add(&plan->names, &plan->memory, &element->list);
    return keys->position.name != NULL;
}

/* Sets the names of the labels of the element's info sample, after its other labels. */
static bool name_texts(struct making *making, const struct keyed_element *element)
{
    for (struct keyed_message *at = element->messages; at != NULL; at = at->next)
        for (size_t i = 0; i < at->keys.label_count; i++) {
            struct wildcard_label_keys *label = &at->labels[i];
            if (label->is_text && label->label->reason != REASON_TEXTS &&
                !name_label(making, element, at, label->label->name, label))
                return false;
        }
    return true;
}

/* --- messages --------------------------------------------------------------------------------- */

/* Adds the labels of the message's own fields: for each field the first one that applies here. */
static bool add_labels(struct making *making, struct keyed_message *message)
{
    const struct wildcard_type *type = message->keys.type;
    const struct field_type *added = NULL;
    for (size_t i = 0; i < type->label_count; i++) {
        const struct wildcard_label_field *field = &type->labels[i];
        bool is_label =
            wildcard_is_label_at(field, &message->where, message->element->type->has_key);
        if (field->field == added ||
            (!is_label && (field->reason == REASON_ASKED || !making->plan->texts)))
            continue;
        added = field->field;
        struct wildcard_label_keys *label = &message->labels[message->keys.label_count++];
        *label = (struct wildcard_label_keys){.label = field, .is_text = !is_label};
        if (is_label && field->reason != REASON_TEXTS &&
            !name_label(making, message->element, message, field->name, label))
            return false;
    }
    return true;
}

static bool is_label(const struct keyed_message *message, const struct wildcard_field *field)
{
    for (size_t i = 0; field->label != NULL && i < message->keys.label_count; i++)
        if (message->labels[i].label->field == field->field)
            return true;
    return false;
}

static struct keyed_message *message_of(struct making *making, struct keyed_element *element,
                                        struct wildcard_type *type,
                                        const struct keyed_message *like, bool *again);

/* Adds the table for the messages of a field, which belong to the same element. */
static bool add_message(struct making *making, struct keyed_element *element,
                        const struct keyed_message *around, const struct wildcard_field *field,
                        struct wildcard_field_keys *keys)
{
    struct keyed_message like = {
        .around = around, .field = field->field, .depth = around->depth + 1};
    if (!wildcard_where_inside(making->plan, &around->where, field, &like.where))
        return false;
    const struct keyed_message *message =
        message_of(making, element, field->type, &like, &keys->again);
    if (message == NULL)
        return false;
    keys->is.message = &message->keys;
    return true;
}

static bool add_elements(struct making *making, struct keyed_element *element,
                         const struct keyed_message *around, const struct wildcard_field *field,
                         struct wildcard_field_keys *keys)
{
    struct wildcard_where where;
    bool in_root = around->around == NULL && element->list.size == 0;
    if (!wildcard_where_inside(making->plan, &around->where, field, &where))
        return false;
    struct keyed_element *elements =
        element_of(making, field->type, &where, field->name, field->field->map, in_root);
    if (elements == NULL)
        return false;
    keys->is.element = &elements->keys;
    return add_list(making, element, NULL, elements);
}

static bool add_field(struct making *making, struct keyed_element *element,
                      struct keyed_message *message, size_t index)
{
    const struct wildcard_field *field = &message->keys.type->fields[index];
    struct wildcard_field_keys *keys = &message->fields[index];
    switch (field->use) {
    case USE_VALUE:
        keys->is_label = is_label(message, field);
        return true;
    case USE_VALUES:
    case USE_NUMBERS:
        return name_numbers(making, element, field->name, keys);
    case USE_INSIDE:
        return add_message(making, element, message, field, keys);
    case USE_ELEMENTS:
        return add_elements(making, element, message, field, keys);
    case USE_NAMED: /* the message has the names of their labels */
        return true;
    }
    return true;
}

/*
 * Returns the table for messages of the type in an element, at the place of `like`. If it exists,
 * sets *again; otherwise adds it, with the tables of the messages inside. Returns NULL if memory is
 * short.
 */
static struct keyed_message *message_of(struct making *making, struct keyed_element *element,
                                        struct wildcard_type *type,
                                        const struct keyed_message *like, bool *again)
{
    bool is_full = like->around != NULL && making->message_count >= MOST_MESSAGES;
    struct keyed_message *at = type->messages;
    for (; at != NULL && (is_full || at->element == element); at = at->next_of_type)
        if (wildcard_where_equal(&at->where, &like->where) &&
            (is_full ? at->element->type->has_key == element->type->has_key
                     : !are_exclusive(at, like))) {
            *again = true;
            return at;
        }
    struct keyed_message *message = making_allocate(making, 1, sizeof *message);
    if (message == NULL)
        return NULL;
    *message = *like;
    message->keys.type = type;
    message->labels = making_allocate(making, type->label_count, sizeof *message->labels);
    message->fields = making_allocate(making, type->field_count, sizeof *message->fields);
    message->element = element;
    message->next_of_type = type->messages;
    making->message_count++;
    type->messages = message;
    *element->end = message;
    element->end = &message->next;
    if (message->labels == NULL || message->fields == NULL || !add_labels(making, message))
        return NULL;
    message->keys.labels = message->labels;
    message->keys.fields = message->fields;
    for (size_t i = 0; i < type->field_count; i++)
        if (!add_field(making, element, message, i))
            return NULL;
    return message;
}

/* --- elements --------------------------------------------------------------------------------- */

static bool make_element(struct making *making, struct keyed_element *element)
{
    bool again = false;
    making->name_count = 0;
    if (element->map && !name_position(making, element))
        return false;
    const struct keyed_message like = {.where = element->where};
    const struct keyed_message *message = message_of(making, element, element->type, &like, &again);
    if (message == NULL)
        return false;
    element->keys.message = &message->keys;
    if (!element->map && element->list.size != 0 && !name_position(making, element))
        return false;
    return name_texts(making, element) &&
           wildcard_name_set_make(&element->keys.names, &making->plan->memory, making->names,
                                  making->name_count);
}

/* The most lists that is_label_inside searches. If there are more, it returns true. */
#define MOST_LISTS ((size_t)4096)

/*
 * Returns true if the name of the element's list is also that of a label of the element or of an
 * element inside it. The key of the position must then be a path.
 */
static bool is_label_inside(struct keyed_element *element)
{
    const struct wildcard_name *name = element->keys.position.name;
    struct keyed_element **end = &element->next_found;
    size_t count = 0;
    if (!name->is_label)
        return false;
    *end = NULL;
    element->found_for = element;
    for (struct keyed_element *at = element; at != NULL; at = at->next_found) {
        if (wildcard_name_set_has(&at->keys.names, name))
            return true;
        for (const struct keyed_list *list = at->lists; list != NULL; list = list->next) {
            struct keyed_element *inside = list->elements;
            if (list->numbers == name || ++count == MOST_LISTS)
                return true;
            if (inside == NULL || inside->found_for == element)
                continue;
            inside->found_for = element;
            inside->next_found = NULL;
            *end = inside;
            end = &inside->next_found;
        }
    }
    return false;
}

bool wildcard_make_keys(struct wildcard_plan *plan)
{
    struct making making = {.plan = plan};
    bool made = true;
    making.end = &making.elements;
    for (size_t i = 0; made && i < plan->root_count; i++) {
        const struct wildcard_where where = wildcard_where_root(plan);
        struct keyed_element *root =
            element_of(&making, plan->roots[i].type, &where, (struct text){"", 0}, false, false);
        made = root != NULL;
        if (made)
            plan->roots[i].keys = &root->keys;
    }
    for (struct keyed_element *at = making.elements; made && at != NULL; at = at->next)
        made = make_element(&making, at);
    for (struct keyed_element *at = making.elements; made && at != NULL; at = at->next)
        if (at->keys.gives_way)
            at->keys.position.is_taken = is_label_inside(at);
    free(making.names);
    return made;
}
