/*
 * Reads the types of google.protobuf that have a special JSON form (protobuf.dev, "ProtoJSON
 * Format").
 */
#include <stdlib.h>
#include <string.h>

#include "collector/text/calendar.h"
#include "collector/text/digit.h"
#include "proto/reading/json_reading.h"
#include "proto/reading/wire.h"
#include "proto/types/type_set.h"

#define NANOS_DIGITS    9
#define DURATION_MOST   INT64_C(315576000000) /* seconds, of either sign */
#define SECONDS_PER_DAY 86400

/* --- times ------------------------------------------------------------------------------------ */

static bool read_digits(const char **at, int count, uint32_t *value)
{
    *value = 0;
    for (int i = 0; i < count; i++, ++*at) {
        if (!is_digit(**at))
            return false;
        *value = 10 * *value + (uint32_t)(**at - '0');
    }
    return true;
}

static bool read_after(const char **at, char before, int count, uint32_t *value)
{
    if (**at != before)
        return false;
    ++*at;
    return read_digits(at, count, value);
}

static bool read_fraction(const char **at, uint32_t *nanos)
{
    *nanos = 0;
    if (**at != '.')
        return true;
    ++*at;
    int digits = 0;
    for (; is_digit(**at) && digits < NANOS_DIGITS; digits++, ++*at)
        *nanos = 10 * *nanos + (uint32_t)(**at - '0');
    bool good = digits > 0 && !is_digit(**at);
    for (; digits < NANOS_DIGITS; digits++)
        *nanos *= 10;
    return good;
}

/*
 * Returns the days since 1970-01-01. Computes with years that begin in March, whose last day is a
 * leap day.
 */
static int64_t days_of(uint32_t year, uint32_t month, uint32_t day)
{
    uint32_t from_march = month > 2 ? month - 3 : month + 9;
    uint32_t years = month > 2 ? year : year - 1;
    uint32_t of_year = (153 * from_march + 2) / 5 + day - 1;
    return (int64_t)365 * years + years / 4 - years / 100 + years / 400 + of_year -
           CALENDAR_DAYS_BEFORE_1970;
}

static uint32_t days_in(uint32_t year, uint32_t month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && calendar_is_leap(year));
}

/* Reads "Z", "+01:00" or "-01:00". *offset becomes the seconds east of UTC. */
static bool read_offset(const char **at, int64_t *offset)
{
    uint32_t hours;
    uint32_t minutes;
    *offset = 0;
    if (**at == 'Z') {
        ++*at;
        return true;
    }
    bool west = **at == '-';
    if (!read_after(at, west ? '-' : '+', 2, &hours) || !read_after(at, ':', 2, &minutes) ||
        hours > 23 || minutes > 59)
        return false;
    *offset = (west ? -1 : 1) * (int64_t)(3600 * hours + 60 * minutes);
    return true;
}

/* Reads a time of RFC 3339, in the years 1 to 9999 of UTC, without leap seconds. */
static bool read_timestamp(const char *text, int64_t *seconds, uint32_t *nanos)
{
    uint32_t year, month, day, hour, minute, second;
    int64_t offset;
    const char *at = text;
    if (!read_digits(&at, 4, &year) || !read_after(&at, '-', 2, &month) ||
        !read_after(&at, '-', 2, &day) || !read_after(&at, 'T', 2, &hour) ||
        !read_after(&at, ':', 2, &minute) || !read_after(&at, ':', 2, &second) ||
        !read_fraction(&at, nanos) || !read_offset(&at, &offset) || *at != '\0')
        return false;
    if (year == 0 || month < 1 || month > 12 || day < 1 || day > days_in(year, month) ||
        hour > 23 || minute > 59 || second > 59)
        return false;
    *seconds =
        days_of(year, month, day) * SECONDS_PER_DAY + 3600 * hour + 60 * minute + second - offset;
    return *seconds >= days_of(1, 1, 1) * SECONDS_PER_DAY &&
           *seconds < days_of(10000, 1, 1) * SECONDS_PER_DAY;
}

static bool read_duration(const char *text, int64_t *seconds, int64_t *nanos)
{
    const char *at = text + (text[0] == '-');
    uint32_t fraction;
    if (!is_digit(*at))
        return false;
    for (*seconds = 0; is_digit(*at); at++) {
        *seconds = 10 * *seconds + (*at - '0');
        if (*seconds > DURATION_MOST)
            return false;
    }
    if (!read_fraction(&at, &fraction) || strcmp(at, "s") != 0)
        return false;
    *nanos = text[0] == '-' ? -(int64_t)fraction : fraction;
    *seconds = text[0] == '-' ? -*seconds : *seconds;
    return true;
}

static const char *text_of_value(const struct json_node *value)
{
    return value->type == JSON_STRING && strlen(value->text) == value->size ? value->text : NULL;
}

static bool put_timestamp(struct json_reading *reading, const struct json_node *value)
{
    const char *text = text_of_value(value);
    int64_t seconds;
    uint32_t nanos;
    if (text == NULL || !read_timestamp(text, &seconds, &nanos))
        return json_refuse(reading, "a Timestamp is a string such as \"2026-01-31T12:00:00.5Z\"");
    wire_varint(reading->out, 1, (uint64_t)seconds);
    wire_varint(reading->out, 2, nanos);
    return true;
}

static bool put_duration(struct json_reading *reading, const struct json_node *value)
{
    const char *text = text_of_value(value);
    int64_t seconds;
    int64_t nanos;
    if (text == NULL || !read_duration(text, &seconds, &nanos))
        return json_refuse(reading, "a Duration is a string such as \"1.5s\"");
    wire_varint(reading->out, 1, (uint64_t)seconds);
    wire_varint(reading->out, 2, (uint64_t)nanos);
    return true;
}

/* --- field masks ------------------------------------------------------------------------------ */

/* Appends a path in lowerCamelCase as snake_case. `snake` has room for twice the path's length. */
static bool put_path(struct json_reading *reading, const char *path, size_t length, char *snake)
{
    size_t size = 0;
    for (size_t i = 0; i < length; i++) {
        bool upper = path[i] >= 'A' && path[i] <= 'Z';
        if (path[i] == '_')
            return json_refuse(reading, "a path of a FieldMask is in lowerCamelCase");
        if (upper)
            snake[size++] = '_';
        snake[size++] = upper ? (char)(path[i] - 'A' + 'a') : path[i];
    }
    wire_bytes(reading->out, 1, snake, size);
    return true;
}

/* Appends the paths, which commas separate. An empty string has no paths. */
static bool put_paths(struct json_reading *reading, const struct json_node *value, char *snake)
{
    const char *at = value->text;
    const char *end = at + value->size;
    while (value->size != 0) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        if (!put_path(reading, at, (size_t)((comma != NULL ? comma : end) - at), snake))
            return false;
        if (comma == NULL)
            break;
        at = comma + 1;
    }
    return true;
}

static bool put_field_mask(struct json_reading *reading, const struct json_node *value)
{
    if (value->type != JSON_STRING)
        return json_refuse(reading, "a FieldMask is a string such as \"user.name,photo\"");
    char *snake = malloc(2 * value->size + 1);
    if (snake == NULL) {
        error_no_memory(reading->error);
        return false;
    }
    bool good = put_paths(reading, value, snake);
    free(snake);
    return good;
}

/* --- Struct, Value, ListValue ----------------------------------------------------------------- */

static bool put_list(struct json_reading *reading, const struct message_type *type,
                     const struct json_node *array)
{
    if (array->type != JSON_ARRAY)
        return json_refuse(reading, "a ListValue is an array");
    size_t i = 0;
    for (const struct json_node *each = array->first; each != NULL; each = each->next) {
        size_t entered = json_enter_element(reading, i++);
        if (!json_put_value(reading, &type->fields[0], each))
            return false;
        json_leave(reading, entered);
    }
    return true;
}

static bool put_struct(struct json_reading *reading, const struct message_type *type,
                       const struct json_node *object)
{
    const struct field_type *field = &type->fields[0];
    if (object->type != JSON_OBJECT)
        return json_refuse(reading, "a Struct is an object");
    for (const struct json_node *at = object->first; at != NULL; at = at->next) {
        size_t entered = json_enter(reading, at->name);
        size_t begun = wire_begin(reading->out, field->number);
        wire_bytes(reading->out, 1, at->name, at->name_size);
        if (!json_put_value(reading, &field->message->fields[1], at))
            return false;
        wire_end(reading->out, begun);
        json_leave(reading, entered);
    }
    return true;
}

/*
 * Appends a google.protobuf.Value. Its fields are, in order: null, number, string, bool, struct,
 * list.
 */
static bool put_any_value(struct json_reading *reading, const struct message_type *type,
                          const struct json_node *value)
{
    static const uint8_t indices[] = {
        [JSON_NULL] = 0,  [JSON_NUMBER] = 1, [JSON_STRING] = 2, [JSON_TRUE] = 3,
        [JSON_FALSE] = 3, [JSON_OBJECT] = 4, [JSON_ARRAY] = 5,
    };
    if (value->type == JSON_NULL) {
        wire_varint(reading->out, type->fields[0].number, 0);
        return true;
    }
    return json_put_value(reading, &type->fields[indices[value->type]], value);
}

/* --- Any -------------------------------------------------------------------------------------- */

static const struct json_node *member_of(const struct json_node *object, const char *name)
{
    for (const struct json_node *each = object->first; each != NULL; each = each->next)
        if (strcmp(each->name, name) == 0)
            return each;
    return NULL;
}

static bool put_any_content(struct json_reading *reading, const struct message_type *type,
                            const struct json_node *object)
{
    if (type->well_known == WELL_KNOWN_NOT)
        return json_put_fields(reading, type, object, "@type");
    const struct json_node *value = member_of(object, "value");
    if (value == NULL)
        return json_refuse(reading, "an Any of a %s has its value in \"value\"",
                           type->descriptor->name);
    return json_put_content(reading, type, value);
}

static bool put_any(struct json_reading *reading, const struct message_type *type,
                    const struct json_node *object)
{
    if (object->type != JSON_OBJECT)
        return json_refuse(reading, "an Any is an object");
    if (object->first == NULL)
        return true;
    const struct json_node *url = member_of(object, "@type");
    if (url == NULL || url->type != JSON_STRING)
        return json_refuse(reading, "an Any names its type in \"@type\"");
    const char *end = url->text + url->size;
    const char *name = end;
    while (name > url->text && name[-1] != '/')
        name--;
    const struct message_type *found = type_set_find(type->set, name, (size_t)(end - name));
    if (found == NULL)
        return json_refuse(reading, "there is no type \"%s\"", name);
    wire_bytes(reading->out, 1, url->text, url->size);
    size_t begun = wire_begin(reading->out, 2);
    if (!put_any_content(reading, found, object) || !json_encode_again(reading, found, begun))
        return false;
    wire_end(reading->out, begun);
    return true;
}

/* --- any well-known type ---------------------------------------------------------------------- */

bool json_put_well_known(struct json_reading *reading, const struct message_type *type,
                         const struct json_node *value)
{
    switch (type->well_known) {
    case WELL_KNOWN_ANY:
        return put_any(reading, type, value);
    case WELL_KNOWN_DURATION:
        return put_duration(reading, value);
    case WELL_KNOWN_FIELD_MASK:
        return put_field_mask(reading, value);
    case WELL_KNOWN_LIST_VALUE:
        return put_list(reading, type, value);
    case WELL_KNOWN_STRUCT:
        return put_struct(reading, type, value);
    case WELL_KNOWN_TIMESTAMP:
        return put_timestamp(reading, value);
    case WELL_KNOWN_VALUE:
        return put_any_value(reading, type, value);
    case WELL_KNOWN_WRAPPER:
        return json_put_scalar(reading, &type->fields[0], value);
    case WELL_KNOWN_NOT:
        break;
    }
    return json_put_fields(reading, type, value, NULL);
}
