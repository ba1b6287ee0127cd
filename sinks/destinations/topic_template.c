#include "sinks/destinations/topic_template.h"

#include <stdio.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/contract/listener.h"
#include "collector/contract/record.h"
#include "collector/contract/schema.h"
#include "collector/text/calendar.h"

#define HOUR_NS      INT64_C(3600000000000)
#define HOURS_OF_DAY 24

/* --- fields ----------------------------------------------------------------------------------- */

enum field {
    FIELD_TEXT,
    FIELD_PERCENT,
    FIELD_TIME,
    FIELD_LISTENER,
    FIELD_SCHEMA,
    FIELD_SENDER,
    FIELD_WRONG
};

static const struct value_name {
    const char *text;
    enum field field;
} value_names[] = {
    {"%{listener}", FIELD_LISTENER},
    {"%{schema}", FIELD_SCHEMA},
    {"%{sender}", FIELD_SENDER},
};

/* The values of a record for the fields. `sender` is NULL if the sender has no name. */
struct topic_values {
    const char *listener, *schema, *sender;
    int64_t hour;
};

static enum field next_field(const char *at, size_t *size)
{
    *size = *at == '%' ? 2 : strcspn(at, "%");
    if (*at != '%')
        return FIELD_TEXT;
    if (at[1] == '%')
        return FIELD_PERCENT;
    if (at[1] != '\0' && strchr("YmdHF", at[1]) != NULL)
        return FIELD_TIME;
    for (size_t i = 0; i < sizeof value_names / sizeof value_names[0]; i++) {
        *size = strlen(value_names[i].text);
        if (strncmp(at, value_names[i].text, *size) == 0)
            return value_names[i].field;
    }
    return FIELD_WRONG;
}

int topic_template_read(struct topic_template *topic, const char *text, bool dots_part,
                        struct error *error)
{
    *topic = (struct topic_template){.text = text, .dots_part = dots_part};
    size_t size;
    for (const char *at = text; *at != '\0'; at += size) {
        switch (next_field(at, &size)) {
        case FIELD_WRONG:
            error_set(error, EXIT_CODE_CONFIG,
                      "\"%.40s\" begins no field; the fields are %%{listener}, %%{schema}, "
                      "%%{sender}, %%Y, %%m, %%d, %%H, %%F and %%%%",
                      at);
            return -1;
        case FIELD_TIME:
            topic->has_time = true;
            break;
        case FIELD_LISTENER:
        case FIELD_SCHEMA:
        case FIELD_SENDER:
            topic->has_values = true;
            break;
        case FIELD_TEXT:
        case FIELD_PERCENT:
            break;
        }
    }
    return 0;
}

/* --- names ------------------------------------------------------------------------------------ */

struct name {
    char *text; /* DELIVERY_ROUTE_SIZE bytes */
    size_t size;
    bool too_long;
};

static void name_append(struct name *name, const char *bytes, size_t size)
{
    if (size >= DELIVERY_ROUTE_SIZE - name->size) {
        name->too_long = true;
        return;
    }
    memcpy(name->text + name->size, bytes, size);
    name->size += size;
}

static bool is_kept(char byte, bool dots_part)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-' ||
           (byte == '.' && !dots_part);
}

static void append_value(struct name *name, const char *value, bool dots_part)
{
    if (value == NULL || *value == '\0')
        name_append(name, "_", 1);
    for (; value != NULL && *value != '\0' && !name->too_long; value++)
        name_append(name, is_kept(*value, dots_part) ? value : "_", 1);
}

static void append_time(struct name *name, char letter, int64_t hour)
{
    /* The year has four digits, because 64-bit nanoseconds cover only 1677 to 2262. */
    int64_t day = hour >= 0 ? hour / HOURS_OF_DAY : -((HOURS_OF_DAY - 1 - hour) / HOURS_OF_DAY);
    struct calendar_date date = calendar_date_of((uint32_t)(day + CALENDAR_DAYS_BEFORE_1970));
    char text[32];
    int size = 0;
    switch (letter) {
    case 'Y':
        size = snprintf(text, sizeof text, "%04u", (unsigned)date.year);
        break;
    case 'm':
        size = snprintf(text, sizeof text, "%02u", (unsigned)date.month);
        break;
    case 'd':
        size = snprintf(text, sizeof text, "%02u", (unsigned)date.day);
        break;
    case 'H':
        size = snprintf(text, sizeof text, "%02u", (unsigned)(hour - day * HOURS_OF_DAY));
        break;
    default:
        size = snprintf(text, sizeof text, "%04u-%02u-%02u", (unsigned)date.year,
                        (unsigned)date.month, (unsigned)date.day);
        break;
    }
    name_append(name, text, (size_t)size);
}

static size_t write_name(const struct topic_template *topic, const struct topic_values *values,
                         char *text)
{
    struct name name = {.text = text};
    size_t size;
    for (const char *at = topic->text; *at != '\0' && !name.too_long; at += size) {
        switch (next_field(at, &size)) {
        case FIELD_TEXT:
            name_append(&name, at, size);
            break;
        case FIELD_PERCENT:
            name_append(&name, at, 1);
            break;
        case FIELD_TIME:
            append_time(&name, at[1], values->hour);
            break;
        case FIELD_LISTENER:
            append_value(&name, values->listener, topic->dots_part);
            break;
        case FIELD_SCHEMA:
            append_value(&name, values->schema, topic->dots_part);
            break;
        case FIELD_SENDER:
            append_value(&name, values->sender, topic->dots_part);
            break;
        case FIELD_WRONG: /* topic_template_read has refused it */
            break;
        }
    }
    RULE(name.size < DELIVERY_ROUTE_SIZE, "a name has room for its NUL");
    text[name.size] = '\0';
    return name.too_long ? 0 : name.size;
}

/* Rounds down, even for times before 1970. */
static int64_t hour_of(int64_t time_ns)
{
    return time_ns / HOUR_NS - (time_ns % HOUR_NS < 0);
}

size_t topic_template_expand(struct topic_template *topic, const struct listener *listener,
                             const struct record *record, char *name)
{
    const struct topic_values values = {
        .listener = listener->name,
        .schema = record->schema == NULL ? NULL : record->schema->name,
        .sender = record->sender == NULL ? "" : record->sender,
        .hour = topic->has_time ? hour_of(record->received_ns) : 0,
    };
    if (topic->size == 0 || values.hour != topic->hour ||
        (topic->has_values && (listener != topic->listener || record->schema != topic->schema ||
                               strcmp(values.sender, topic->sender) != 0))) {
        RULE(strlen(values.sender) <= SENDER_NAME_MAX, "a sender's name has a limit");
        topic->listener = listener;
        topic->schema = record->schema;
        strcpy(topic->sender, values.sender);
        topic->hour = values.hour;
        topic->size = write_name(topic, &values, topic->name);
    }
    memcpy(name, topic->name, topic->size + 1);
    return topic->size;
}

size_t topic_template_example(const struct topic_template *topic, char *name)
{
    static const struct topic_values values = {.listener = "x", .schema = "x", .sender = "x"};
    return write_name(topic, &values, name);
}
