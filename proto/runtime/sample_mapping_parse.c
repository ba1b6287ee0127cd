#include <stdlib.h>
#include <string.h>

#include "proto/runtime/field_value.h"
#include "proto/runtime/sample_mapping.h"

/*
 * Returns the path as text up to its N-th repeated field, where N is the smaller number of repeated
 * fields in both paths.
 */
static const char *list_text(const struct field_path *path, const struct field_path *other,
                             char buffer[FIELD_PATH_TEXT])
{
    size_t least = path->list_count < other->list_count ? path->list_count : other->list_count;
    return field_path_text(path, path->lists[least - 1] + 1, buffer);
}

/*
 * Notes the repeated fields that a path leads through. Refuses a path whose repeated fields differ
 * from those of the other paths.
 */
static bool note_lists(struct sample_mapping *mapping, const char *option,
                       const struct field_path *path, struct error *error)
{
    char list[FIELD_PATH_TEXT];
    char other[FIELD_PATH_TEXT];
    struct field_path *way = &mapping->way;
    if (!field_path_same_lists(path, way)) {
        error_set(error, EXIT_CODE_CONFIG,
                  "%s: \"%s\" is in another repeated field than \"%s\": \"%s\", not \"%s\"; they "
                  "must be the same, or lie one in the other",
                  option, field_path_last(path)->descriptor->name,
                  field_path_last(way)->descriptor->name, list_text(path, way, list),
                  list_text(way, path, other));
        return false;
    }
    if (path->list_count > way->list_count)
        *way = *path;
    return true;
}

struct parsing {
    const struct message_type *type;
    struct mapping_paths *paths; /* NULL: every path must exist */
    struct sample_mapping *mapping;
    bool has_wildcard; /* `value` also has paths that end with "*" */
    struct error *error;
};

/* Indexes in mapping_paths.led: the first one for values and for labels. */
enum {
    PLACE_VALUES,
    PLACE_LABELS = MAPPING_VALUES,
    PLACE_NAME = PLACE_LABELS + MAPPING_LABELS,
    PLACE_TIME,
};

/* Parses a path. A missing path that may be skipped has 0 steps afterwards. */
static bool parse_path(const struct parsing *parsing, size_t place, const char *option,
                       const char *text, size_t length, struct field_path *path)
{
    struct mapping_paths *paths = parsing->paths;
    bool led = field_path_parse_option(parsing->type, option, text, length, path, parsing->error);
    if (led && paths != NULL)
        paths->led[place] = true;
    if (led)
        return note_lists(parsing->mapping, option, path, parsing->error);
    *path = (struct field_path){0};
    return paths != NULL && (paths->probing || paths->led[place]);
}

/* --- names ------------------------------------------------------------------------------------ */

static bool name_path(struct named_path *named, const char *name, size_t size, struct error *error)
{
    named->name = malloc(size + 1);
    if (named->name == NULL) {
        error_no_memory(error);
        return false;
    }
    memcpy(named->name, name, size);
    named->name[size] = '\0';
    named->name_size = size;
    return true;
}

/* Parses "PATH" or "NAME:PATH". An extension's name in brackets cannot contain a colon. */
static bool parse_named(const struct parsing *parsing, size_t place, const char *option,
                        const char *text, size_t length, struct named_path *named)
{
    const char *colon = memchr(text, ':', length);
    size_t at = colon == NULL ? 0 : (size_t)(colon - text) + 1;
    if (!parse_path(parsing, place, option, text + at, length - at, &named->path))
        return false;
    if (named->path.count == 0)
        return true;
    if (colon == text)
        return field_path_refuse(option, &named->path, "has no name before its colon",
                                 parsing->error);
    const char *last = field_path_last(&named->path)->descriptor->name;
    return colon != NULL ? name_path(named, text, at - 1, parsing->error)
                         : name_path(named, last, strlen(last), parsing->error);
}

static bool is_label(const struct field_type *field)
{
    return field->message == NULL || (field->map && field->message->fields[0].kind == KIND_STRING &&
                                      field->message->fields[1].message == NULL);
}

/* Returns true if proto/wildcard/, which reads paths that end with "*", reads this entry. */
static bool is_for_wildcard(const struct parsing *parsing, size_t first, const char *text,
                            size_t length)
{
    struct field_path path;
    struct error ignored;
    const char *colon = memchr(text, ':', length);
    size_t at = colon == NULL ? 0 : (size_t)(colon - text) + 1;
    if (first == PLACE_VALUES)
        return field_path_is_wildcard(text, length);
    return parsing->has_wildcard &&
           !(field_path_parse(parsing->type, text + at, length - at, &path, &ignored) &&
             field_path_same_lists(&path, &parsing->mapping->way) &&
             is_label(field_path_last(&path)));
}

/*
 * Allocates a list with room for all entries of the option, although proto/wildcard/ may read some
 * of them.
 */
static struct named_path *list_for(const char *text, struct error *error)
{
    size_t count = 1;
    for (; *text != '\0'; text++)
        count += *text == ',';
    struct named_path *list = calloc(count, sizeof *list);
    if (list == NULL)
        error_no_memory(error);
    return list;
}

static bool parse_list(const struct parsing *parsing, size_t first, const char *option,
                       const char *text, struct named_path **out, size_t most, size_t *count)
{
    struct named_path *list = NULL;
    for (size_t i = 0; text != NULL; i++) {
        text += strspn(text, " "); /* a line break in a configuration file becomes a blank */
        size_t length = strcspn(text, ",");
        if (i == most) {
            error_set(parsing->error, EXIT_CODE_CONFIG, "%s: more than %zu paths", option, most);
            return false;
        }
        const char *entry = text;
        text = text[length] == ',' ? text + length + 1 : NULL;
        if (is_for_wildcard(parsing, first, entry, length))
            continue;
        if (list == NULL && (*out = list = list_for(entry, parsing->error)) == NULL)
            return false;
        /* Counted before it is parsed, so that its name is freed after an error. */
        struct named_path *next = &list[(*count)++];
        if (!parse_named(parsing, first + i, option, entry, length, next))
            return false;
        if (next->path.count == 0) {
            --*count;
            continue;
        }
        for (struct named_path *other = list; other != next; other++)
            if (strcmp(other->name, next->name) == 0)
                return field_path_refuse(option, &next->path,
                                         "has a name that is there already; write NAME:PATH",
                                         parsing->error);
    }
    return true;
}

/* --- fields that the paths lead to ------------------------------------------------------------ */

static bool check_values(const struct sample_mapping *mapping, struct error *error)
{
    for (size_t i = 0; i < mapping->value_count; i++) {
        const struct field_path *path = &mapping->values[i].path;
        const struct field_type *field = field_path_last(path);
        if (field->map && field_is_number(&field->message->fields[1]))
            return field_path_refuse("value", path, "is a map; append .value for its values",
                                     error);
        if (!field_is_number(field))
            return field_path_refuse("value", path, "is not a number", error);
    }
    return true;
}

static bool check_labels(const struct sample_mapping *mapping, struct error *error)
{
    for (size_t i = 0; i < mapping->label_count; i++) {
        const struct field_path *path = &mapping->labels[i].path;
        if (!is_label(field_path_last(path)))
            return field_path_refuse("labels", path,
                                     "is neither a value nor a map of text to values", error);
    }
    return true;
}

static int64_t unit_of(const struct text *text)
{
    static const struct {
        struct text name;
        int64_t nanoseconds;
    } units[] = {{{"s", 1}, 1000000000}, {{"ms", 2}, 1000000}, {{"us", 2}, 1000}, {{"ns", 2}, 1}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (text_equal(&units[i].name, text))
            return units[i].nanoseconds;
    return 0;
}

size_t sample_time_split(const char *option, struct time_part parts[SAMPLE_TIMES],
                         struct error *error)
{
    for (size_t count = 0; count < SAMPLE_TIMES;) {
        size_t size = strcspn(option, "+");
        struct time_part *part = &parts[count++];
        *part = (struct time_part){.path = {option, size}};
        const char *colon = memchr(option, ':', size);
        if (colon != NULL) {
            part->path.size = (size_t)(colon - option);
            part->unit = (struct text){colon + 1, size - part->path.size - 1};
        }
        if (option[size] == '\0')
            return count;
        option += size + 1;
    }
    error_set(error, EXIT_CODE_CONFIG, "time: more than %zu parts", SAMPLE_TIMES);
    return 0;
}

bool sample_time_check(const struct field_path *path, const struct text *unit, size_t count,
                       int64_t *nanoseconds, struct error *error)
{
    const struct field_type *field = field_path_last(path);
    *nanoseconds = 0;
    if (field->message != NULL && field->message->well_known == WELL_KNOWN_TIMESTAMP) {
        if (count != 1)
            return field_path_refuse("time", path, "is a Timestamp and cannot be added", error);
        return unit->data == NULL ||
               field_path_refuse("time", path, "is a Timestamp and needs no unit", error);
    }
    if (!field_is_number(field) || field->kind == KIND_BOOL || field->kind == KIND_ENUM)
        return field_path_refuse("time", path, "is neither a number nor a Timestamp", error);
    *nanoseconds = unit_of(unit);
    return *nanoseconds != 0 ||
           field_path_refuse("time", path, "needs a unit: PATH:s, ms, us or ns", error);
}

static bool parse_time(const struct parsing *parsing, const char *text)
{
    struct sample_mapping *mapping = parsing->mapping;
    struct time_part parts[SAMPLE_TIMES];
    size_t count = sample_time_split(text, parts, parsing->error);
    for (size_t i = 0; i < count; i++) {
        struct sample_time *time = &mapping->times[i];
        if (!parse_path(parsing, PLACE_TIME + i, "time", parts[i].path.data, parts[i].path.size,
                        &time->path))
            return false;
        if (time->path.count == 0)
            return true;
        if (!sample_time_check(&time->path, &parts[i].unit, count, &time->unit, parsing->error))
            return false;
    }
    mapping->time_count = count;
    return count != 0;
}

static bool parse_name(const struct parsing *parsing, const char *text)
{
    struct field_path *path = &parsing->mapping->name;
    if (!parse_path(parsing, PLACE_NAME, "name", text, strlen(text), path))
        return false;
    return path->count == 0 || field_path_last(path)->message == NULL ||
           field_path_refuse("name", path, "is a message, not a value", parsing->error);
}

bool sample_mapping_parse(const struct message_type *type, const struct schema_options *options,
                          struct mapping_paths *paths, struct sample_mapping *mapping,
                          struct error *error)
{
    const struct parsing parsing = {type, paths, mapping, field_path_has_wildcard(options->value),
                                    error};
    *mapping = (struct sample_mapping){0};
    if (options->value == NULL &&
        (options->name != NULL || options->time != NULL || options->labels != NULL)) {
        error_set(error, EXIT_CODE_CONFIG, "value is missing: which field is a sample's value");
        return false;
    }
    return parse_list(&parsing, PLACE_VALUES, "value", options->value, &mapping->values,
                      MAPPING_VALUES, &mapping->value_count) &&
           check_values(mapping, error) &&
           parse_list(&parsing, PLACE_LABELS, "labels", options->labels, &mapping->labels,
                      MAPPING_LABELS, &mapping->label_count) &&
           check_labels(mapping, error) &&
           (options->name == NULL || parse_name(&parsing, options->name)) &&
           (options->time == NULL || parse_time(&parsing, options->time));
}

void sample_mapping_clear(struct sample_mapping *mapping)
{
    for (size_t i = 0; i < mapping->value_count; i++)
        free(mapping->values[i].name);
    for (size_t i = 0; i < mapping->label_count; i++)
        free(mapping->labels[i].name);
    free(mapping->values);
    free(mapping->labels);
    *mapping = (struct sample_mapping){0};
}
