/* Makes the parts of a message, its elements and their names. */
#include <string.h>

#include "proto/message/text_of.h"
#include "proto/wildcard/wildcard_plan.h"

struct wildcard_part *wildcard_add_part(struct wildcard_walk *walk,
                                        const struct wildcard_place *place)
{
    struct wildcard_part *part = arena_allocate(walk->arena, sizeof *part);
    if (part == NULL)
        return NULL;
    *part = (struct wildcard_part){
        .element = place->element, .name = place->name, .time_ns = place->time_ns};
    *walk->end = part;
    walk->end = &part->next;
    walk->part_count++;
    return part;
}

struct wildcard_element *wildcard_add_element(struct wildcard_walk *walk,
                                              const struct wildcard_element *around,
                                              const struct wildcard_element_keys *keys)
{
    struct wildcard_element *element = arena_allocate(walk->arena, sizeof *element);
    if (element == NULL)
        return NULL;
    *element = (struct wildcard_element){.around = around, .keys = keys};
    if (around != NULL)
        element->label_count = around->label_count;
    element->end = &element->labels;
    element->texts_end = &element->texts;
    return element;
}

bool wildcard_end_element(struct wildcard_walk *walk, const struct wildcard_place *place,
                          struct wildcard_part **begun)
{
    static const struct text info = {"info", 4};
    struct wildcard_place inside = *place;
    const struct wildcard_element *element = place->element;
    bool has_numbers = walk->end != begun;
    if (!place->selected || (has_numbers && element->texts == NULL) ||
        (!has_numbers && element->labels == NULL && element->texts == NULL))
        return true;
    return wildcard_join(walk, &place->name, '.', &info, &inside.name) &&
           wildcard_add_part(walk, &inside) != NULL;
}

bool wildcard_write_text(struct wildcard_walk *walk, const struct field_type *field,
                         const void *value, struct text *text)
{
    struct arena *arena = walk->arena;
    if (field->kind == KIND_STRING) {
        *text = text_of(*(const ProtobufCBinaryData *)value);
        return true;
    }
    struct output out = {.data = (char *)(arena->base + arena->used),
                         .capacity = arena->capacity - arena->used};
    field_write_text(field, value, &out);
    *text = (struct text){out.data, out.used};
    return !out.overflow && arena_allocate(arena, out.used) != NULL;
}

bool wildcard_join(struct wildcard_walk *walk, const struct text *name, char separator,
                   const struct text *last, struct text *joined)
{
    if (name->size == 0 || last->size == 0) {
        *joined = name->size == 0 ? *last : *name;
        return true;
    }
    size_t size = name->size + 1 + last->size;
    char *text = arena_allocate(walk->arena, size);
    if (text == NULL)
        return false;
    memcpy(text, name->data, name->size);
    text[name->size] = separator;
    memcpy(text + name->size + 1, last->data, last->size);
    *joined = (struct text){text, size};
    return true;
}
