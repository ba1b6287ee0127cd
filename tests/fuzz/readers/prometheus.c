#include "tests/fuzz/readers/prometheus.h"

#include <string.h>

#include "collector/text/utf8.h"
#include "tests/fuzz/readers/reading.h"

static bool is_letter(char c, bool colon)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (colon && c == ':');
}

static size_t pass_name(struct reading *reading, bool colon)
{
    const char *start = reading->at;
    if (!is_letter(reading_peek(reading), colon))
        return 0;
    while (is_letter(reading_peek(reading), colon) ||
           (reading_peek(reading) >= '0' && reading_peek(reading) <= '9'))
        reading->at++;
    return (size_t)(reading->at - start);
}

static bool pass_quoted(struct reading *reading)
{
    if (!reading_pass(reading, '"'))
        return false;
    while (reading->at != reading->end && *reading->at != '"') {
        if (*reading->at++ == '\\') {
            if (reading->at == reading->end || strchr("\\\"n", *reading->at) == NULL)
                return false;
            reading->at++;
        }
    }
    return reading_pass(reading, '"');
}

static const char *read_labels(struct reading *reading)
{
    if (!reading_pass(reading, '{'))
        return NULL;
    reading_names_begin();
    do {
        const char *name = reading->at;
        size_t size = pass_name(reading, false);
        if (size == 0)
            return "a label without a name";
        if (!reading_name_is_new(name, size))
            return "a label twice";
        if (size == 8 && memcmp(name, "__name__", size) == 0)
            return "a label that is the metric's name";
        if (!reading_pass(reading, '=') || !pass_quoted(reading))
            return "a label without a value in quotes";
    } while (reading_pass(reading, ','));
    return reading_pass(reading, '}') ? NULL : "labels without an end";
}

static bool pass_value(struct reading *reading)
{
    return reading_pass_word(reading, "NaN") || reading_pass_word(reading, "+Inf") ||
           reading_pass_word(reading, "-Inf") || reading_pass_double(reading);
}

/* Sets *name to the length of the metric's name. */
static const char *read_sample(struct reading *reading, bool seconds, size_t *name)
{
    const char *wrong;
    *name = pass_name(reading, true);
    if (*name == 0)
        return "no metric's name";
    if ((wrong = read_labels(reading)) != NULL)
        return wrong;
    if (!reading_pass(reading, ' ') || !pass_value(reading))
        return "no value";
    if (!reading_pass(reading, ' '))
        return "no time";
    if (!(seconds ? reading_pass_double(reading) : reading_pass_integer(reading)))
        return "a time that is not a number";
    return reading->at == reading->end ? NULL : "something after the time";
}

const char *prometheus_wrong(const char *line, size_t size)
{
    struct reading reading = {line, line + size};
    size_t name;
    return utf8_valid(line, size) ? read_sample(&reading, false, &name) : "no UTF-8";
}

/* --- OpenMetrics ------------------------------------------------------------------------------ */

static const struct type {
    const char *name;
    const char *suffixes[4];
} types[] = {
    {"gauge", {""}},
    {"counter", {"_total"}},
    {"unknown", {""}},
    {"histogram", {"_bucket", "_count", "_sum"}},
    {"gaugehistogram", {"_bucket", "_gcount", "_gsum"}},
    {"summary", {"", "_count", "_sum"}},
};

struct family {
    const char *name;
    size_t size;
    const struct type *type;
};

static bool is_of(const struct family *family, const char *name, size_t size)
{
    if (family->type == NULL || size < family->size ||
        memcmp(name, family->name, family->size) != 0)
        return false;
    for (size_t i = 0; i < 4 && family->type->suffixes[i] != NULL; i++) {
        const char *suffix = family->type->suffixes[i];
        if (strlen(suffix) == size - family->size &&
            memcmp(suffix, name + family->size, size - family->size) == 0)
            return true;
    }
    return false;
}

static const char *read_type(struct reading *line, struct family *family)
{
    family->name = line->at;
    family->size = pass_name(line, true);
    family->type = NULL;
    if (family->size == 0 || !reading_pass(line, ' '))
        return "a type without a name";
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i].name) == (size_t)(line->end - line->at) &&
            memcmp(types[i].name, line->at, strlen(types[i].name)) == 0)
            family->type = &types[i];
    return family->type == NULL ? "a type that there is not" : NULL;
}

static const char *read_unit(struct reading *line, const struct family *family)
{
    if (family->size == 0 || (size_t)(line->end - line->at) <= family->size ||
        memcmp(line->at, family->name, family->size) != 0)
        return "a unit of another family";
    line->at += family->size;
    size_t unit = (size_t)(line->end - line->at) - 1;
    if (!reading_pass(line, ' ') || unit == 0 || unit >= family->size)
        return "no unit";
    if (memcmp(family->name + family->size - unit, line->at, unit) != 0 ||
        family->name[family->size - unit - 1] != '_')
        return "a unit that the name does not end with";
    return NULL;
}

static const char *read_line(struct reading *line, struct family *family)
{
    const char *start = line->at;
    size_t name;
    if (reading_pass_word(line, "# TYPE "))
        return read_type(line, family);
    if (reading_pass_word(line, "# UNIT "))
        return read_unit(line, family);
    const char *wrong = read_sample(line, true, &name);
    if (wrong == NULL && !is_of(family, start, name))
        wrong = "a sample that is not of its family";
    return wrong;
}

static bool are_different(const char *text, size_t size)
{
    static const char type[] = "# TYPE ";
    const char *end = text + size;
    reading_names_begin();
    for (const char *line = text; line < end;
         line = (const char *)memchr(line, '\n', (size_t)(end - line)) + 1) {
        struct reading reading = {line, end};
        if (!reading_pass_word(&reading, type))
            continue;
        const char *name = reading.at;
        if (!reading_name_is_new(name, pass_name(&reading, true)))
            return false;
    }
    return true;
}

const char *openmetrics_wrong(const char *text, size_t size)
{
    static const char eof[] = "# EOF\n";
    const size_t eof_size = sizeof eof - 1;
    struct family family = {0};
    if (!utf8_valid(text, size))
        return "no UTF-8";
    if (size < eof_size || memcmp(text + size - eof_size, eof, eof_size) != 0)
        return "no end";
    const char *last = text + size - eof_size;
    for (const char *line = text; line != last;) {
        const char *end = memchr(line, '\n', (size_t)(last - line));
        if (end == NULL)
            return "a line without its end";
        struct reading reading = {line, end};
        const char *wrong = read_line(&reading, &family);
        if (wrong != NULL)
            return wrong;
        line = end + 1;
    }
    return are_different(text, (size_t)(last - text)) ? NULL : "a family twice";
}
