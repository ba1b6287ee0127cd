#include "proto/runtime/sample_mapping.h"

#include <string.h>

#include "proto/made_text.h"
#include "proto/message/text_of.h"
#include "proto/runtime/field_value.h"
#include "proto/sample_time.h"

/* Returns a value as text: a string itself, another value as a text that is made for this step. */
static struct text text_of_value(const struct field_type *field, const void *value,
                                 struct schema_cursor *cursor)
{
    if (field->kind == KIND_STRING)
        return text_of(*(const ProtobufCBinaryData *)value);
    struct output out = made_text_begin(cursor);
    field_write_text(field, value, &out);
    return made_text_end(cursor, &out);
}

/* --- samples ---------------------------------------------------------------------------------- */

static void read_value(const struct field_type *field, const void *at, struct sample *sample)
{
    struct field_number number = field_read_number(field, at);
    switch (number.type) {
    case FIELD_SIGNED:
        sample->type = SAMPLE_INT64;
        sample->value.int64 = number.is.as_signed;
        break;
    case FIELD_UNSIGNED:
        sample->type = SAMPLE_UINT64;
        sample->value.uint64 = number.is.as_unsigned;
        break;
    case FIELD_DOUBLE:
    case FIELD_FLOAT:
        sample->type = number.type == FIELD_FLOAT ? SAMPLE_FLOAT : SAMPLE_DOUBLE;
        sample->value.number = number.is.as_double;
        break;
    }
}

static int64_t read_timestamp(const struct message_type *type, const ProtobufCMessage *timestamp)
{
    int64_t seconds = *(const int64_t *)field_value(&type->fields[0], timestamp);
    int32_t nanos = *(const int32_t *)field_value(&type->fields[1], timestamp);
    int64_t whole = sample_time_in_units(seconds, 1000000000);
    if (nanos < 0 || nanos > 999999999 || (whole == 0 && seconds != 0) || whole > INT64_MAX - nanos)
        return 0;
    return whole + nanos;
}

/* Returns a number of units in nanoseconds, or 0 if that does not fit into 64 bits. */
static int64_t read_units(const struct field_type *field, const void *at, int64_t unit)
{
    struct field_number number = field_read_number(field, at);
    if (number.type == FIELD_SIGNED)
        return sample_time_in_units(number.is.as_signed, unit);
    if (number.type == FIELD_UNSIGNED)
        return sample_time_in_units(sample_time_unsigned(number.is.as_unsigned), unit);
    return sample_time_in_real_units(number.is.as_double, unit);
}

/*
 * Returns the sum of the time's parts. Returns 0 (not given) if the first part is 0 or absent; a
 * later part that is absent counts as 0.
 */
static int64_t read_time(const struct sample_mapping *mapping, const ProtobufCMessage *message,
                         const struct field_place *place)
{
    int64_t sum = 0;
    for (size_t i = 0; i < mapping->time_count; i++) {
        const struct sample_time *time = &mapping->times[i];
        const struct field_type *field = field_path_last(&time->path);
        const void *at = field_path_follow(&time->path, message, place);
        if (at != NULL && time->unit == 0)
            return read_timestamp(field->message, *(const ProtobufCMessage *const *)at);
        int64_t part = at == NULL ? 0 : read_units(field, at, time->unit);
        sum = i == 0 ? part : sample_time_sum(sum, part);
    }
    return sum;
}

/*
 * Returns the name of a sample: the text at the path `name`. If the mapping has several values, a
 * dot and the value's name follow.
 */
static struct text read_name(const struct sample_mapping *mapping, const struct named_path *value,
                             const ProtobufCMessage *message, const struct field_place *place,
                             struct schema_cursor *cursor)
{
    const void *at =
        mapping->name.count == 0 ? NULL : field_path_follow(&mapping->name, message, place);
    if (at == NULL)
        return (struct text){value->name, value->name_size};
    if (mapping->value_count == 1)
        return text_of_value(field_path_last(&mapping->name), at, cursor);
    struct output out = made_text_begin(cursor);
    field_write_text(field_path_last(&mapping->name), at, &out);
    output_char(&out, '.');
    output_bytes(&out, value->name, value->name_size);
    return made_text_end(cursor, &out);
}

/* --- the walk --------------------------------------------------------------------------------- */

_Static_assert(sizeof((struct sample){0}.outer) + sizeof((struct sample){0}.index) ==
                   sizeof(struct field_place),
               "a sample and a cursor have room for a place");

/*
 * The position of a walk over the samples: an element in each of the first `lists` repeated fields,
 * and the index of the next value. All zero at the beginning. A cursor stores it.
 */
struct walk {
    struct field_place place; /* NO_ELEMENT from index `lists` on */
    size_t lists;
    size_t value;
};

#define WALK_STAGES ((size_t)MAPPING_VALUES + 1) /* `value` is below this */
#define WALK_ENDED  SIZE_MAX

static struct field_place mapping_place_of(const size_t outer[3], size_t index)
{
    return (struct field_place){{outer[0], outer[1], outer[2], index}};
}

static struct walk walk_resume(const struct schema_cursor *cursor)
{
    struct walk walk = {.place = mapping_place_of(cursor->outer, cursor->index),
                        .lists = cursor->stage / WALK_STAGES,
                        .value = cursor->stage % WALK_STAGES};
    for (size_t i = walk.lists; i < FIELD_PATH_LISTS; i++)
        walk.place.elements[i] = NO_ELEMENT;
    return walk;
}

static void walk_keep(const struct walk *walk, struct schema_cursor *cursor)
{
    memcpy(cursor->outer, walk->place.elements, sizeof cursor->outer);
    cursor->index = walk->place.elements[FIELD_PATH_LISTS - 1];
    cursor->stage = walk->lists * WALK_STAGES + walk->value;
}

/*
 * Advances to the next element: the first one inside the present element, or else the next one at
 * the same or an outer level. Returns false at the end.
 */
static bool walk_on(const struct field_path *way, const ProtobufCMessage *message,
                    struct walk *walk)
{
    size_t *elements = walk->place.elements;
    walk->value = 0;
    if (walk->lists < way->list_count &&
        field_path_elements(way, walk->lists, message, &walk->place) != 0) {
        elements[walk->lists++] = 0;
        return true;
    }
    while (walk->lists != 0) {
        size_t list = walk->lists - 1;
        if (++elements[list] < field_path_elements(way, list, message, &walk->place))
            return true;
        elements[list] = NO_ELEMENT;
        walk->lists = list;
    }
    return false;
}

/*
 * Reads the value at the walk's position. Returns false if the value is absent, or if its path has
 * another number of repeated fields.
 */
static bool read_sample(const struct sample_mapping *mapping, const struct named_path *value,
                        const ProtobufCMessage *message, const struct walk *walk,
                        struct schema_cursor *cursor, struct sample *sample)
{
    if (value->path.list_count != walk->lists)
        return false;
    const struct field_place *place = &walk->place;
    const void *at = field_path_follow(&value->path, message, place);
    if (at == NULL)
        return false;
    *sample = (struct sample){.kind = SAMPLE_GAUGE, .index = place->elements[FIELD_PATH_LISTS - 1]};
    memcpy(sample->outer, place->elements, sizeof sample->outer);
    read_value(field_path_last(&value->path), at, sample);
    sample->time_ns = read_time(mapping, message, place);
    sample->name = read_name(mapping, value, message, place, cursor);
    return true;
}

/*
 * Values outside of a repeated field come before those of its elements. Their samples lack the
 * name, time and labels whose paths lead into the elements.
 */
bool sample_mapping_next(const struct sample_mapping *mapping, const ProtobufCMessage *message,
                         struct schema_cursor *cursor, struct sample *sample)
{
    made_text_forget(cursor);
    if (cursor->stage == WALK_ENDED)
        return false;
    struct walk walk = walk_resume(cursor);
    do {
        while (walk.value < mapping->value_count) {
            const struct named_path *value = &mapping->values[walk.value++];
            if (read_sample(mapping, value, message, &walk, cursor, sample)) {
                walk_keep(&walk, cursor);
                return true;
            }
        }
    } while (walk_on(&mapping->way, message, &walk));
    cursor->stage = WALK_ENDED;
    return false;
}

/* --- labels ----------------------------------------------------------------------------------- */

static bool next_entry(const struct field_type *map, const void *holder,
                       struct schema_cursor *cursor, struct label *label)
{
    if (cursor->outer[0] >= field_elements(map, holder))
        return false;
    const ProtobufCMessage *const *entries =
        *(const ProtobufCMessage *const *const *)field_value(map, holder);
    const ProtobufCMessage *entry = entries[cursor->outer[0]++];
    const struct field_type *fields = map->message->fields;
    label->key = text_of(*(const ProtobufCBinaryData *)field_value(&fields[0], entry));
    label->value = text_of_value(&fields[1], field_value(&fields[1], entry), cursor);
    return true;
}

bool sample_mapping_next_label(const struct sample_mapping *mapping,
                               const ProtobufCMessage *message, const struct sample *sample,
                               struct schema_cursor *cursor, struct label *label)
{
    const struct field_place place = mapping_place_of(sample->outer, sample->index);
    made_text_forget(cursor);
    for (; cursor->index < mapping->label_count; cursor->index++) {
        const struct named_path *named = &mapping->labels[cursor->index];
        const struct field_type *field = field_path_last(&named->path);
        const void *at = field_path_follow(&named->path, message, &place);
        if (at != NULL && field->map) {
            if (next_entry(field, at, cursor, label))
                return true;
            cursor->outer[0] = 0;
        } else if (at != NULL) {
            label->key = (struct text){named->name, named->name_size};
            label->value = text_of_value(field, at, cursor);
            cursor->index++;
            return true;
        }
    }
    return false;
}
