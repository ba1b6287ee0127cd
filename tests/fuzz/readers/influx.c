#include "tests/fuzz/readers/influx.h"

#include <string.h>

#include "collector/text/utf8.h"
#include "tests/fuzz/readers/reading.h"

/* Skips a name up to an unescaped character of `ends`. */
static size_t pass_name(struct reading *reading, const char *ends)
{
    const char *start = reading->at;
    while (reading->at != reading->end && strchr(ends, *reading->at) == NULL) {
        bool escapes = *reading->at == '\\' && reading->end - reading->at > 1;
        reading->at += escapes ? 2 : 1;
    }
    return (size_t)(reading->at - start);
}

static const char *read_tags(struct reading *reading)
{
    reading_names_begin();
    while (reading_pass(reading, ',')) {
        const char *key = reading->at;
        size_t size = pass_name(reading, ",= ");
        if (size == 0)
            return "a tag without a key";
        if (!reading_name_is_new(key, size))
            return "a tag twice";
        if ((size == 4 && memcmp(key, "time", size) == 0) ||
            (size == 6 && memcmp(key, "_field", size) == 0) ||
            (size == 12 && memcmp(key, "_measurement", size) == 0))
            return "a tag whose name is reserved";
        if (!reading_pass(reading, '='))
            return "a tag without '='";
        if (pass_name(reading, ",= ") == 0)
            return "a tag without a value";
        if (reading_peek(reading) == '=')
            return "'=' in a tag's value";
    }
    return NULL;
}

static const char *read_value(struct reading *reading)
{
    const char *start = reading->at;
    if (reading_pass_integer(reading)) {
        if (reading_pass(reading, 'i'))
            return NULL;
        if (reading_pass(reading, 'u'))
            return *start == '-' ? "an unsigned integer below zero" : NULL;
    }
    reading->at = start;
    return reading_pass_double(reading) ? NULL : "a field that is not a number";
}

static const char *read_fields(struct reading *reading)
{
    reading_names_begin();
    do {
        const char *key = reading->at;
        size_t size = pass_name(reading, ",= ");
        if (size == 0)
            return "a field without a key";
        if (!reading_name_is_new(key, size))
            return "a field twice";
        if (!reading_pass(reading, '='))
            return "a field without '='";
        const char *wrong = read_value(reading);
        if (wrong != NULL)
            return wrong;
    } while (reading_pass(reading, ','));
    return NULL;
}

const char *influx_wrong(const char *line, size_t size)
{
    struct reading reading = {line, line + size};
    const char *wrong;
    if (!utf8_valid(line, size))
        return "no UTF-8";
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            return "a control character";
    if (reading_peek(&reading) == '#')
        return "a comment";
    if (pass_name(&reading, ", ") == 0)
        return "no measurement";
    if ((wrong = read_tags(&reading)) != NULL)
        return wrong;
    if (!reading_pass(&reading, ' '))
        return "no space before the fields";
    if ((wrong = read_fields(&reading)) != NULL)
        return wrong;
    if (!reading_pass(&reading, ' ') || !reading_pass_integer(&reading))
        return "no time";
    return reading.at == reading.end ? NULL : "something after the time";
}
