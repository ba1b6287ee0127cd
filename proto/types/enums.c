/* Makes a protobuf-c enum descriptor from an enum's definition. */
#include <stdlib.h>
#include <string.h>

#include "proto/types/loader.h"

/*
 * Sorts by number and, for equal numbers, in the order of declaration (the address in c_name): of
 * several names for a number, the first one is kept.
 */
static int by_number(const void *a, const void *b)
{
    const ProtobufCEnumValue *left = a;
    const ProtobufCEnumValue *right = b;
    if (left->value != right->value)
        return left->value < right->value ? -1 : 1;
    return left->c_name < right->c_name ? -1 : 1;
}

static int by_name(const void *a, const void *b)
{
    const ProtobufCEnumValueIndex *left = a;
    const ProtobufCEnumValueIndex *right = b;
    return strcmp(left->name, right->name);
}

/*
 * Fills `values`, sorted by number. Sorting needs the order of declaration, so c_name temporarily
 * points to byte `i` of `declared` for value `i`.
 */
static bool read_values(struct loader *loader, const Enum *from, ProtobufCEnumValue *values)
{
    const char *declared = growing_arena_allocate(&loader->set->memory, from->n_value, 1);
    if (declared == NULL)
        return loader_no_memory(loader);
    for (size_t i = 0; i < from->n_value; i++) {
        values[i].value = from->value[i]->number;
        values[i].name = loader_text(loader, from->value[i]->name);
        values[i].c_name = declared + i;
        if (values[i].name == NULL)
            return loader_no_memory(loader);
    }
    qsort(values, from->n_value, sizeof *values, by_number);
    return true;
}

static unsigned drop_aliases(ProtobufCEnumValue *values, size_t count)
{
    unsigned kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || values[i].value != values[kept - 1].value)
            values[kept++] = values[i];
    for (unsigned i = 0; i < kept; i++)
        values[i].c_name = values[i].name;
    return kept;
}

/* Lists the ranges of consecutive numbers, and the end marker that protobuf-c expects. */
static unsigned list_ranges(const ProtobufCEnumValue *values, unsigned count,
                            ProtobufCIntRange *ranges)
{
    unsigned used = 0;
    for (unsigned i = 0; i < count; i++)
        if (i == 0 || (int64_t)values[i].value != (int64_t)values[i - 1].value + 1)
            ranges[used++] = (ProtobufCIntRange){values[i].value, i};
    ranges[used] = (ProtobufCIntRange){0, count};
    return used;
}

static unsigned enums_place_of(const ProtobufCEnumDescriptor *descriptor, int32_t number)
{
    return (unsigned)(enum_find(descriptor, number) - descriptor->values);
}

bool loader_make_enum(struct loader *loader, struct enum_definition *definition)
{
    struct growing_arena *memory = &loader->set->memory;
    const Enum *from = definition->from;
    size_t count = from->n_value;
    if (count == 0)
        return loader_refuse(loader, "enum \"%s\" has no values", definition->name);
    for (size_t i = 0; i < count; i++)
        if (!loader_is_name(from->value[i]->name, false))
            return loader_refuse(loader, "the name of a value of enum \"%s\" is not a valid name",
                                 definition->name);
    ProtobufCEnumDescriptor *made = growing_arena_allocate(memory, 1, sizeof *made);
    ProtobufCEnumValue *values = growing_arena_allocate(memory, count, sizeof *values);
    ProtobufCEnumValueIndex *names = growing_arena_allocate(memory, count, sizeof *names);
    ProtobufCIntRange *ranges = growing_arena_allocate(memory, count + 1, sizeof *ranges);
    if (made == NULL || values == NULL || names == NULL || ranges == NULL)
        return loader_no_memory(loader);
    if (!read_values(loader, from, values))
        return false;
    const char *dot = strrchr(definition->name, '.');
    made->magic = PROTOBUF_C__ENUM_DESCRIPTOR_MAGIC;
    made->name = definition->name;
    made->short_name = dot == NULL ? definition->name : dot + 1;
    made->c_name = made->short_name;
    made->package_name = definition->package;
    made->values = values;
    made->n_values = drop_aliases(values, count);
    made->value_ranges = ranges;
    made->n_value_ranges = list_ranges(values, made->n_values, ranges);
    for (size_t i = 0; i < count; i++) {
        names[i].name = loader_text(loader, from->value[i]->name);
        names[i].index = enums_place_of(made, from->value[i]->number);
        if (names[i].name == NULL)
            return loader_no_memory(loader);
    }
    qsort(names, count, sizeof *names, by_name);
    made->values_by_name = names;
    made->n_value_names = (unsigned)count;
    definition->descriptor = made;
    return true;
}
