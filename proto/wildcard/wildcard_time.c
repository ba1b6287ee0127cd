/* Finds the fields that can be the time of a message, and reads their values. */
#include <math.h>
#include <string.h>

#include "proto/sample_time.h"
#include "proto/wildcard/wildcard_plan.h"

#define SECOND INT64_C(1000000000)

/* A number can be a time if it is between the years 2000 and 2100 in one of the units. */
#define YEAR_2000 INT64_C(946684800)
#define YEAR_2100 INT64_C(4102444800)

/* The order in which the fields of a message are tried. */
enum { RANK_ASKED, RANK_ROLE, RANK_NAME, RANK_TIMESTAMP, RANK_MESSAGE, RANK_PAIR };

/* --- names ------------------------------------------------------------------------------------ */

/* Copies a name without underscores, in lower case. A longer name is cut. */
static void plain_name(const struct field_type *field, char out[64])
{
    const char *name = wildcard_last_name(field).data;
    size_t used = 0;
    for (; *name != '\0' && used < 63; name++)
        if (*name != '_')
            out[used++] = (char)(*name >= 'A' && *name <= 'Z' ? *name + ('a' - 'A') : *name);
    out[used] = '\0';
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool is_called_time(const struct field_type *field)
{
    static const char *const names[] = {"timestamp", "time", "ts", "msgtimestamp"};
    char name[64];
    plain_name(field, name);
    return is_one_of(name, names, sizeof names / sizeof names[0]);
}

static bool is_singular_integer(const struct field_type *field)
{
    return field->presence != PRESENCE_REPEATED && field_is_integer(field);
}

/* --- messages of two numbers ------------------------------------------------------------------ */

/* Returns true if messages of the type are seconds and nanoseconds, in this order. */
static bool is_seconds_and_nanos(const struct message_type *type)
{
    static const char *const seconds[] = {"sec", "secs", "seconds"};
    static const char *const nanos[] = {"nsec", "nsecs", "nanos", "nanoseconds"};
    char first[64];
    char second[64];
    if (type->field_count != 2 || !is_singular_integer(&type->fields[0]) ||
        !is_singular_integer(&type->fields[1]))
        return false;
    plain_name(&type->fields[0], first);
    plain_name(&type->fields[1], second);
    return is_one_of(first, seconds, sizeof seconds / sizeof seconds[0]) &&
           is_one_of(second, nanos, sizeof nanos / sizeof nanos[0]);
}

/* --- pairs ------------------------------------------------------------------------------------ */

/*
 * If the name ends with a unit, returns the unit in nanoseconds and sets *length to the length
 * before it. Otherwise returns 0.
 */
static int64_t unit_at_end(const char *name, size_t *length)
{
    static const struct {
        const char *end;
        int64_t unit;
    } units[] = {{"msec", 1000000}, {"usec", 1000}, {"nsec", 1}, {"sec", SECOND}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (!text_ends(name, strlen(name), units[i].end))
            continue;
        *length = strlen(name) - strlen(units[i].end);
        return units[i].unit;
    }
    return 0;
}

/* Finds the field with the fraction of the time in `seconds`: its name differs only in the unit. */
static const struct field_type *rest_of(const struct message_type *type,
                                        const struct field_type *seconds, int64_t *unit)
{
    char name[64];
    char other[64];
    size_t length;
    size_t other_length;
    plain_name(seconds, name);
    if (unit_at_end(name, &length) != SECOND)
        return NULL;
    for (size_t i = 0; i < type->field_count; i++) {
        const struct field_type *field = &type->fields[i];
        if (!is_singular_integer(field))
            continue;
        plain_name(field, other);
        *unit = unit_at_end(other, &other_length);
        if (*unit != 0 && *unit != SECOND && length == other_length &&
            memcmp(name, other, length) == 0)
            return field;
    }
    return NULL;
}

/* --- the times of a type ---------------------------------------------------------------------- */

static bool time_of_field(const struct wildcard_plan *plan, const struct message_type *type,
                          const struct field_type *field, struct wildcard_time *time)
{
    *time = (struct wildcard_time){.field = field};
    for (const struct wildcard_asked_time *asked = plan->times; asked != NULL;
         asked = asked->next) {
        if (!wildcard_is_other(&asked->field, type, field))
            continue;
        time->kind = field->message != NULL ? TIME_MESSAGE : TIME_NUMBER;
        time->rank = RANK_ASKED;
        time->unit = asked->unit;
        if (asked->second == NULL)
            return true;
        time->kind = TIME_SUM;
        time->second = message_type_find(type, asked->second->number);
        time->second_unit = asked->second_unit;
        return true;
    }
    bool named = is_called_time(field);
    if (field->presence == PRESENCE_REPEATED)
        return false;
    if (field->message != NULL) {
        time->kind = TIME_MESSAGE;
        bool timestamp = field->message->well_known == WELL_KNOWN_TIMESTAMP;
        time->rank = named ? RANK_NAME : timestamp ? RANK_TIMESTAMP : RANK_MESSAGE;
        return timestamp || is_seconds_and_nanos(field->message);
    }
    if (!field_is_number(field) || field->kind == KIND_BOOL || field->kind == KIND_ENUM)
        return false;
    time->rank = (field->roles & ROLE_TIMESTAMP) != 0 ? RANK_ROLE : RANK_NAME;
    if (time->rank == RANK_ROLE || named)
        return true;
    if (!is_singular_integer(field))
        return false;
    time->kind = TIME_PAIR;
    time->rank = RANK_PAIR;
    time->second = rest_of(type, field, &time->unit);
    return time->second != NULL;
}

bool wildcard_find_times(struct wildcard_plan *plan, struct wildcard_type *type)
{
    size_t count = type->type->field_count;
    struct wildcard_time time;
    type->times = growing_arena_allocate(&plan->memory, count, sizeof *type->times);
    if (type->times == NULL)
        return false;
    for (int rank = RANK_ASKED; rank <= RANK_PAIR; rank++)
        for (size_t i = 0; i < count; i++)
            if (time_of_field(plan, type->type, &type->type->fields[i], &time) && time.rank == rank)
                type->times[type->time_count++] = time;
    return true;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Returns the number as an integer, or 0 if it does not fit. */
static int64_t whole_of(const struct field_type *field, const ProtobufCMessage *message)
{
    struct field_number number = field_read_number(field, field_value(field, message));
    if (number.type == FIELD_SIGNED)
        return number.is.as_signed;
    if (number.type == FIELD_UNSIGNED)
        return sample_time_unsigned(number.is.as_unsigned);
    return fabs(number.is.as_double) < 9.2e18 ? (int64_t)number.is.as_double : 0;
}

static int64_t units_of(const struct field_type *field, const ProtobufCMessage *message,
                        int64_t unit)
{
    struct field_number number = field_read_number(field, field_value(field, message));
    if (number.type == FIELD_SIGNED || number.type == FIELD_UNSIGNED)
        return sample_time_in_units(whole_of(field, message), unit);
    return sample_time_in_real_units(number.is.as_double, unit);
}

static int64_t time_of_seconds(int64_t seconds, int64_t rest, int64_t unit)
{
    if (seconds < YEAR_2000 || seconds >= YEAR_2100 || rest < 0 || rest >= SECOND / unit)
        return 0;
    return seconds * SECOND + rest * unit;
}

/*
 * Tries the unit in which the number is between 2000 and 2100. The ranges of the units do not
 * overlap.
 */
static int64_t time_of_number(const struct field_type *field, const ProtobufCMessage *message)
{
    int64_t number = whole_of(field, message);
    for (int64_t unit = SECOND; unit != 0; unit /= 1000)
        if (number >= YEAR_2000 * (SECOND / unit) && number / (SECOND / unit) < YEAR_2100)
            return units_of(field, message, unit);
    return 0;
}

int64_t wildcard_read_time(const struct wildcard_time *time, const ProtobufCMessage *message)
{
    const struct field_type *field = time->field;
    if (field->presence != PRESENCE_IMPLICIT && !field_is_present(field, message))
        return 0;
    if (time->kind == TIME_NUMBER && time->unit != 0)
        return units_of(field, message, time->unit);
    if (time->kind == TIME_NUMBER)
        return time_of_number(field, message);
    if (time->kind == TIME_SUM)
        return sample_time_sum(units_of(field, message, time->unit),
                               units_of(time->second, message, time->second_unit));
    if (time->kind == TIME_PAIR)
        return time_of_seconds(whole_of(field, message), whole_of(time->second, message),
                               time->unit);
    const ProtobufCMessage *inside = *(const ProtobufCMessage *const *)field_value(field, message);
    const struct field_type *parts = field->message->fields;
    return time_of_seconds(whole_of(&parts[0], inside), whole_of(&parts[1], inside), 1);
}

static bool is_zero(const struct field_type *field, const ProtobufCMessage *message)
{
    struct field_number number = field_read_number(field, field_value(field, message));
    bool real = number.type == FIELD_DOUBLE || number.type == FIELD_FLOAT;
    return real ? number.is.as_double == 0 : number.is.as_unsigned == 0;
}

bool wildcard_is_time(const struct wildcard_time *time, const ProtobufCMessage *message)
{
    if (time->kind == TIME_SUM || wildcard_read_time(time, message) != 0)
        return true;
    return time->kind != TIME_MESSAGE && is_zero(time->field, message) &&
           (time->second == NULL || is_zero(time->second, message));
}

int64_t wildcard_time_of(const struct wildcard_type *type, const ProtobufCMessage *message)
{
    for (size_t i = 0; i < type->time_count; i++) {
        int64_t time = wildcard_read_time(&type->times[i], message);
        if (time != 0)
            return time;
    }
    return 0;
}
