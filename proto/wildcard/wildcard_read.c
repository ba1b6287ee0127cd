/* Reads samples and labels from the parts of a message. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/address.h"
#include "collector/text/base64.h"
#include "collector/text/json_reader.h"
#include "collector/text/number.h"
#include "collector/text/utf8.h"
#include "proto/made_text.h"
#include "proto/message/text_of.h"
#include "proto/wildcard/wildcard_plan.h"

/* --- numbers ---------------------------------------------------------------------------------- */

/* The most bytes of a number as text. */
#define NUMBER_TEXT ((size_t)64)

static bool is_number_text(const ProtobufCBinaryData *text, bool *is_whole)
{
    return text->len <= NUMBER_TEXT &&
           json_is_number((const char *)text->data, text->len, is_whole);
}

bool wildcard_is_number(const struct field_type *field, const ProtobufCMessage *message)
{
    bool is_whole;
    if (field->kind == KIND_STRING)
        return is_number_text(field_value(field, message), &is_whole);
    return field_is_number(field) && field->kind != KIND_ENUM;
}

static void set_number(struct field_number number, struct sample *sample)
{
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

/* Reads a text that is a number in JSON. A whole number becomes an integer if it fits. */
static struct field_number number_of_text(const ProtobufCBinaryData *text)
{
    char copy[NUMBER_TEXT + 1];
    bool is_whole;
    struct field_number number = {.type = FIELD_DOUBLE};
    is_number_text(text, &is_whole);
    memcpy(copy, text->data, text->len);
    copy[text->len] = '\0';
    errno = 0;
    if (is_whole && copy[0] == '-') {
        number.is.as_signed = strtoll(copy, NULL, 10);
        number.type = FIELD_SIGNED;
    } else if (is_whole) {
        number.is.as_unsigned = strtoull(copy, NULL, 10);
        number.type = FIELD_UNSIGNED;
    }
    if (!is_whole || errno != 0)
        number = (struct field_number){FIELD_DOUBLE, {.as_double = strtod(copy, NULL)}};
    return number;
}

static void set_value(const struct field_type *field, const void *at, struct sample *sample)
{
    set_number(field->kind == KIND_STRING ? number_of_text(at) : field_read_number(field, at),
               sample);
}

/* --- samples ---------------------------------------------------------------------------------- */

/*
 * The second and last stage of a cursor of samples. outer[0] is then the part, and `index` the
 * number in the part.
 */
#define STAGE_PART (WILDCARD_BEGIN + 1)

static const struct wildcard_part *part_at(size_t place)
{
    return (const struct wildcard_part *)place;
}

static void begin_sample(const struct wildcard_part *part, size_t index, struct sample *sample)
{
    *sample = (struct sample){.kind = SAMPLE_GAUGE,
                              .name = part->name,
                              .time_ns = part->time_ns,
                              .index = index,
                              .outer = {(size_t)part, WILDCARD_BEGIN}};
}

static void set_kind(const struct wildcard_field *field, struct sample *sample)
{
    if (!field->counter)
        return;
    sample->kind = SAMPLE_COUNTER;
    sample->temporality = SAMPLE_CUMULATIVE;
}

/* Returns the name of a number's sample: the message's path, a dot and the field's name. */
static struct text name_of(const struct wildcard_part *part, const struct wildcard_field *field,
                           struct schema_cursor *cursor)
{
    if (part->name.size == 0)
        return field->name;
    struct output out = made_text_begin(cursor);
    output_bytes(&out, part->name.data, part->name.size);
    output_char(&out, '.');
    output_bytes(&out, field->name.data, field->name.size);
    return made_text_end(cursor, &out);
}

static bool is_present(const struct field_type *field, const ProtobufCMessage *message)
{
    return field->presence == PRESENCE_IMPLICIT || field_is_present(field, message);
}

bool wildcard_has_sample(const struct wildcard_part *part, const struct wildcard_field *field)
{
    return field->use == USE_VALUE && is_present(field->field, part->message) &&
           (field->time == NULL || !wildcard_is_time(field->time, part->message)) &&
           (field->label == NULL || !part->keys[field - part->type->fields].is_label);
}

static bool next_of_message(const struct wildcard_part *part, struct schema_cursor *cursor,
                            struct sample *sample)
{
    while (cursor->index < part->type->field_count) {
        const struct wildcard_field *field = &part->type->fields[cursor->index++];
        if (!wildcard_has_sample(part, field))
            continue;
        begin_sample(part, cursor->index - 1, sample);
        sample->name = name_of(part, field, cursor);
        set_kind(field, sample);
        set_value(field->field, field_value(field->field, part->message), sample);
        return true;
    }
    return false;
}

static bool next_of_list(const struct wildcard_part *part, struct schema_cursor *cursor,
                         struct sample *sample)
{
    const struct field_type *field = part->field->field;
    const void *elements = *(const void *const *)field_value(field, part->message);
    size_t index = cursor->index;
    if (index >= field_elements(field, part->message))
        return false;
    cursor->index++;
    begin_sample(part, index, sample);
    set_kind(part->field, sample);
    if (field->map) {
        const struct field_type *value = &field->message->fields[1];
        set_value(value, field_value(value, ((const ProtobufCMessage *const *)elements)[index]),
                  sample);
    } else {
        set_value(field, (const char *)elements + index * field->size, sample);
    }
    return true;
}

static bool next_of_info(const struct wildcard_part *part, struct schema_cursor *cursor,
                         struct sample *sample)
{
    if (cursor->index != 0)
        return false;
    begin_sample(part, cursor->index++, sample);
    sample->type = SAMPLE_INT64;
    sample->value.int64 = 1;
    return true;
}

static bool next_of_named(const struct wildcard_part *part, struct schema_cursor *cursor,
                          struct sample *sample)
{
    if (cursor->index != 0)
        return false;
    begin_sample(part, cursor->index++, sample);
    set_value(part->value, field_value(part->value, part->message), sample);
    return true;
}

static bool next_in(const struct wildcard_part *part, struct schema_cursor *cursor,
                    struct sample *sample)
{
    if (part->type != NULL)
        return next_of_message(part, cursor, sample);
    if (part->field != NULL)
        return next_of_list(part, cursor, sample);
    return part->value != NULL ? next_of_named(part, cursor, sample)
                               : next_of_info(part, cursor, sample);
}

bool wildcard_next_sample(const struct wildcard_part *parts, struct schema_cursor *cursor,
                          struct sample *sample)
{
    made_text_forget(cursor);
    if (cursor->stage == WILDCARD_BEGIN) {
        cursor->outer[0] = (size_t)parts;
        cursor->stage = STAGE_PART;
    }
    for (const struct wildcard_part *part; (part = part_at(cursor->outer[0])) != NULL;) {
        if (next_in(part, cursor, sample))
            return true;
        cursor->outer[0] = (size_t)part->next;
        cursor->index = 0;
    }
    return false;
}

/* --- labels ----------------------------------------------------------------------------------- */

/* Writes 4 or 16 bytes as an address, other bytes in base64. */
static void write_address(const ProtobufCBinaryData *bytes, struct output *out)
{
    char text[ADDRESS_TEXT_SIZE];
    struct address address;
    if (bytes->len == 4)
        address = address_from_ipv4(bytes->data, 0);
    else if (bytes->len == 16)
        address = address_from_ipv6(bytes->data, 0, 0);
    else {
        base64_put(out, bytes->data, bytes->len);
        return;
    }
    output_bytes(out, text, address_format_host(&address, text));
}

struct text wildcard_label_value(const struct wildcard_label *label, struct output *out)
{
    const ProtobufCBinaryData *bytes = label->value;
    if (label->field != NULL && (label->field->kind == KIND_STRING ||
                                 (label->form == FORM_TEXT && label->field->kind == KIND_BYTES &&
                                  utf8_valid(bytes->data, bytes->len))))
        return text_of(*bytes);
    if (label->field == NULL)
        number_uint64(out, label->number);
    else if (label->form == FORM_IP && label->field->kind == KIND_BYTES)
        write_address(bytes, out);
    else
        field_write_text(label->field, label->value, out);
    return (struct text){out->data, out->used};
}

/*
 * Returns a label's value: a string in the message itself, another value as a text that is valid
 * until the next step.
 */
static struct text value_of(const struct wildcard_label *label, struct schema_cursor *cursor)
{
    struct output out = made_text_begin(cursor);
    struct text value = wildcard_label_value(label, &out);
    return value.data == out.data ? made_text_end(cursor, &out) : value;
}

/* Reads the label that only this number of a list has: its position, or its key in a map. */
static void own_label(const struct wildcard_part *part, size_t index, struct schema_cursor *cursor,
                      struct label *label)
{
    const struct field_type *field = part->field->field;
    struct wildcard_label own = {.key = part->key, .number = index};
    if (field->map) {
        const ProtobufCMessage *const *entries =
            *(const ProtobufCMessage *const *const *)field_value(field, part->message);
        own.field = &field->message->fields[0];
        own.value = field_value(own.field, entries[index]);
    }
    label->key = own.key;
    label->value = value_of(&own, cursor);
}

/*
 * The stages of a cursor of labels, in order: the sample's own label; the texts of an info sample;
 * then, for the element and each enclosing one, STAGE_ELEMENT before its first label and
 * STAGE_LABELS after it. outer[0] is the element, and outer[1] the next label.
 */
enum { STAGE_OWN, STAGE_TEXTS, STAGE_ELEMENT, STAGE_LABELS };

static bool next_in_list(struct schema_cursor *cursor, struct label *label)
{
    const struct wildcard_label *at = (const struct wildcard_label *)cursor->outer[1];
    if (at == NULL)
        return false;
    cursor->outer[1] = (size_t)at->next;
    label->key = at->key;
    label->value = value_of(at, cursor);
    return true;
}

/* Reads the next label of the cursor's element or of the enclosing ones. */
static bool next_of_elements(struct schema_cursor *cursor, struct label *label)
{
    for (const struct wildcard_element *element;
         (element = (const struct wildcard_element *)cursor->outer[0]) != NULL;) {
        bool first = cursor->stage == STAGE_ELEMENT;
        if (first)
            cursor->outer[1] = (size_t)element->labels;
        cursor->stage = STAGE_LABELS;
        if (next_in_list(cursor, label)) {
            if (first)
                label->shared = element;
            return true;
        }
        cursor->outer[0] = (size_t)element->around;
        cursor->stage = STAGE_ELEMENT;
    }
    return false;
}

bool wildcard_next_label(const struct sample *sample, struct schema_cursor *cursor,
                         struct label *label)
{
    const struct wildcard_part *part = part_at(sample->outer[0]);
    made_text_forget(cursor);
    if (cursor->stage == STAGE_OWN) {
        cursor->outer[0] = (size_t)part->element;
        cursor->outer[1] = wildcard_is_info(part) ? (size_t)part->element->texts : 0;
        cursor->stage = STAGE_TEXTS;
        if (part->field != NULL) {
            own_label(part, sample->index, cursor, label);
            return true;
        }
    }
    if (cursor->stage == STAGE_TEXTS) {
        if (next_in_list(cursor, label))
            return true;
        cursor->stage = STAGE_ELEMENT;
    }
    return next_of_elements(cursor, label);
}
