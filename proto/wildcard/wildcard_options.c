/* Parses the options value=, labels=, time= and name= for `value=*`, and finds their paths. */
#include <string.h>

#include "collector/base/parse_error.h"
#include "proto/runtime/sample_mapping.h"
#include "proto/wildcard/wildcard_plan.h"

/* --- lists ------------------------------------------------------------------------------------ */

static bool next_entry(const char **list, struct text *entry)
{
    if (*list == NULL)
        return false;
    *list += strspn(*list, " "); /* a line break in a configuration file becomes a blank */
    *entry = (struct text){*list, strcspn(*list, ",")};
    *list = entry->data[entry->size] == ',' ? entry->data + entry->size + 1 : NULL;
    return true;
}

static bool options_refuse(struct error *error, const char *option, const struct text *entry,
                           const char *why)
{
    char given[QUOTED_SIZE];
    error_set(error, EXIT_CODE_CONFIG, "%s: %s %s", option, quoted(entry->data, entry->size, given),
              why);
    return false;
}

/* --- value ------------------------------------------------------------------------------------ */

/* Notes if all numbers are samples, and checks the number of paths. */
static bool parse_values(struct wildcard_plan *plan, const char *list, struct error *error)
{
    struct text entry;
    for (size_t i = 0; next_entry(&list, &entry);) {
        if (!field_path_is_wildcard(entry.data, entry.size))
            continue; /* read by proto/runtime/sample_mapping.h */
        if (i++ == WILDCARD_PATHS) {
            error_set(error, EXIT_CODE_CONFIG, "value: more than %d paths with \"*\"",
                      WILDCARD_PATHS);
            return false;
        }
        plan->all = plan->all || entry.size == 1;
    }
    return true;
}

/*
 * Removes the step from a map's entry to its value: the walk treats the map and the value as one
 * step.
 */
static void join_map_steps(struct field_path *path)
{
    size_t count = 0;
    for (size_t i = 0; i < path->count; i++)
        if (i == 0 || !path->steps[i - 1]->map)
            path->steps[count++] = path->steps[i];
    path->count = count;
}

static bool add_path(struct wildcard_root *root, const struct message_type *type,
                     const struct text *entry, bool *found, struct error *error)
{
    struct field_path *path = &root->paths[root->path_count];
    struct error missing;
    if (!field_path_parse(type, entry->data, entry->size - 2, path, &missing))
        return true;
    const struct field_type *last = field_path_last(path);
    if (last->message == NULL)
        return field_path_refuse("value", path, "is not a message; write it without \".*\"", error);
    join_map_steps(path);
    *found = true;
    root->path_count++;
    return true;
}

static bool find_values(struct wildcard_plan *plan, struct wildcard_root *root,
                        const struct message_type *type, const char *list,
                        struct wildcard_found *found, struct error *error)
{
    struct text entry;
    size_t count = 0;
    for (const char *rest = list; next_entry(&rest, &entry);)
        count += field_path_is_wildcard(entry.data, entry.size);
    root->paths = growing_arena_allocate(&plan->memory, count, sizeof *root->paths);
    if (root->paths == NULL) {
        error_no_memory(error);
        return false;
    }
    for (size_t i = 0; next_entry(&list, &entry);) {
        if (!field_path_is_wildcard(entry.data, entry.size))
            continue;
        if (entry.size == 1)
            found->values[i] = true;
        else if (!add_path(root, type, &entry, &found->values[i], error))
            return false;
        i++;
    }
    return true;
}

/* --- labels ----------------------------------------------------------------------------------- */

static enum wildcard_form cut_form(struct text *entry)
{
    static const struct {
        const char *end;
        enum wildcard_form form;
    } forms[] = {{":ip", FORM_IP}, {":text", FORM_TEXT}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (!text_ends(entry->data, entry->size, forms[i].end))
            continue;
        entry->size -= strlen(forms[i].end);
        return forms[i].form;
    }
    return FORM_PLAIN;
}

/* Splits a path at its last separator. An extension in brackets is one name. */
static void split_path(struct text path, struct text *before, struct text *last)
{
    size_t at = path.size;
    bool bracket = at != 0 && path.data[at - 1] == ']';
    while (at != 0 && (bracket ? path.data[at - 1] != '['
                               : path.data[at - 1] != '.' && path.data[at - 1] != '/'))
        at--;
    if (bracket && at != 0)
        at--;
    *last = (struct text){path.data + at, path.size - at};
    *before = (struct text){path.data, at == 0 ? 0 : at - 1};
}

static bool keep(struct wildcard_plan *plan, struct text *text)
{
    text->data = growing_arena_text(&plan->memory, text->data, text->size);
    return text->data != NULL;
}

static bool parse_asked(struct wildcard_plan *plan, const char *option, struct text entry,
                        struct wildcard_asked *asked, struct error *error)
{
    const char *colon = memchr(entry.data, ':', entry.size);
    struct text path = entry;
    if (colon != NULL) {
        size_t size = (size_t)(colon - entry.data);
        asked->name = (struct text){entry.data, size};
        path = (struct text){colon + 1, entry.size - size - 1};
        if (size == 0)
            return options_refuse(error, option, &entry, "has no name before its colon");
    }
    asked->path = path;
    if (!keep(plan, &asked->name) || !keep(plan, &asked->path)) {
        error_no_memory(error);
        return false;
    }
    split_path(asked->path, &asked->before, &asked->last);
    return asked->last.size != 0 ||
           options_refuse(error, option, &entry, "is not a path of fields");
}

static bool parse_labels(struct wildcard_plan *plan, const char *list, struct error *error)
{
    struct text entry;
    while (next_entry(&list, &entry)) {
        if (plan->label_count == WILDCARD_LABELS) {
            error_set(error, EXIT_CODE_CONFIG, "labels: more than %d paths", WILDCARD_LABELS);
            return false;
        }
        struct wildcard_asked *asked = &plan->labels[plan->label_count++];
        asked->form = cut_form(&entry);
        if (!parse_asked(plan, "labels", entry, asked, error))
            return false;
    }
    return true;
}

/* --- whether a field is chosen ---------------------------------------------------------------- */

static bool is_separator(char c)
{
    return c == '.' || c == '/';
}

bool wildcard_path_ends(const struct text *text, const struct text *end)
{
    if (end->size == 0)
        return true;
    if (end->size > text->size)
        return false;
    size_t from = text->size - end->size;
    for (size_t i = 0; i < end->size; i++)
        if (text->data[from + i] != end->data[i] &&
            !(is_separator(text->data[from + i]) && is_separator(end->data[i])))
            return false;
    return from == 0 || is_separator(text->data[from - 1]);
}

bool wildcard_asks_for(const struct wildcard_asked *asked, const struct message_type *type,
                       const struct field_type *field, const struct text *name)
{
    if (asked->is_whole)
        return wildcard_is_other(&asked->field, type, field);
    /* a key is "name": with quotes and a colon; an extension's name is in brackets */
    const struct text whole = {field->proto_key + 1, field->proto_key_size - 3};
    return text_equal(&asked->last, name) || text_equal(&asked->last, &whole);
}

bool wildcard_asks_for_name(const struct wildcard_asked *asked, const struct text *name,
                            const struct text *path)
{
    return !asked->is_whole && text_equal(&asked->last, name) &&
           wildcard_path_ends(path, &asked->before);
}

/*
 * Writes the path of the message with the path's last field, as the walk writes names: it begins
 * again at an extension or at a message in bytes. Returns false if memory is short.
 */
static bool name_of_path(struct wildcard_plan *plan, const struct field_path *path,
                         struct text *name)
{
    char text[FIELD_PATH_TEXT];
    size_t used = 0;
    for (size_t i = 0; i + 1 < path->count; i++) {
        const struct field_type *field = path->steps[i];
        const struct text last = wildcard_last_name(field);
        if (field->extension || field->embedded != EMBEDDED_NOT)
            used = 0;
        if (last.size + 1 > sizeof text - used)
            break;
        if (used != 0)
            text[used++] = '.';
        memcpy(text + used, last.data, last.size);
        used += last.size;
    }
    *name = (struct text){text, used};
    return keep(plan, name);
}

/*
 * Returns true if a type on the path depends on a text in the message (nested.h): the path then
 * leads to different fields.
 */
static bool is_chosen(const struct field_path *path)
{
    for (size_t i = 0; i < path->count; i++)
        if (path->steps[i]->embedded == EMBEDDED_CHOSEN)
            return true;
    return false;
}

/* Finds the entries of the option `labels` that are full paths of fields in a root. */
static bool find_labels(struct wildcard_plan *plan, const struct message_type *type,
                        struct error *error)
{
    for (size_t i = 0; i < plan->label_count; i++) {
        struct wildcard_asked *asked = &plan->labels[i];
        struct field_path path;
        struct error missing;
        if (asked->is_whole || (asked->name.size == 0 && asked->before.size == 0) ||
            !field_path_parse(type, asked->path.data, asked->path.size, &path, &missing) ||
            is_chosen(&path))
            continue;
        asked->is_whole = true;
        asked->field = wildcard_other_of(type, &path);
        if (!name_of_path(plan, &path, &asked->before)) {
            error_no_memory(error);
            return false;
        }
    }
    return true;
}

/* --- time and name ---------------------------------------------------------------------------- */

static bool find_name(struct wildcard_plan *plan, struct wildcard_root *root,
                      const struct message_type *type, const char *option, struct error *error)
{
    if (option == NULL)
        return true;
    struct field_path *path = growing_arena_allocate(&plan->memory, 1, sizeof *path);
    if (path == NULL) {
        error_no_memory(error);
        return false;
    }
    root->name = path;
    if (!field_path_parse_option(type, "name", option, strlen(option), path, error))
        return false;
    if (path->list_count != 0)
        return field_path_refuse("name", path,
                                 "is in a repeated field, where \"*\" makes the names", error);
    return field_path_last(path)->message == NULL ||
           field_path_refuse("name", path, "is a message, not a value", error);
}

/* Finds the parts of a time in a root. The second one must be in the message of the first. */
static bool find_parts(const struct message_type *type, const char *option,
                       struct wildcard_asked_time *found, struct error *error)
{
    struct time_part parts[SAMPLE_TIMES];
    struct wildcard_other fields[SAMPLE_TIMES];
    int64_t units[SAMPLE_TIMES];
    size_t count = sample_time_split(option, parts, error);
    for (size_t i = 0; i < count; i++) {
        struct field_path path;
        if (!field_path_parse_option(type, "time", parts[i].path.data, parts[i].path.size, &path,
                                     error) ||
            !sample_time_check(&path, &parts[i].unit, count, &units[i], error))
            return false;
        fields[i] = wildcard_other_of(type, &path);
        if (i == 1 && fields[1].message != fields[0].message)
            return field_path_refuse("time", &path, "is in another message than the part before it",
                                     error);
        if (i == 1)
            found->second = field_path_last(&path);
    }
    if (count == 0)
        return false;
    found->field = fields[0];
    found->unit = units[0];
    found->second_unit = count == 1 ? 0 : units[1];
    return true;
}

static bool find_time(struct wildcard_plan *plan, const struct message_type *type,
                      const char *option, struct error *error)
{
    struct wildcard_asked_time found = {.next = plan->times};
    if (option == NULL)
        return true;
    if (!find_parts(type, option, &found, error))
        return false;
    for (const struct wildcard_asked_time *at = plan->times; at != NULL; at = at->next)
        if (wildcard_are_same(&at->field, &found.field))
            return true;
    struct wildcard_asked_time *asked = growing_arena_allocate(&plan->memory, 1, sizeof *asked);
    if (asked == NULL) {
        error_no_memory(error);
        return false;
    }
    *asked = found;
    plan->times = asked;
    return true;
}

/* --- the whole -------------------------------------------------------------------------------- */

bool wildcard_parse_options(struct wildcard_plan *plan, const struct schema_options *options,
                            struct error *error)
{
    return parse_values(plan, options->value, error) && parse_labels(plan, options->labels, error);
}

bool wildcard_parse_root(struct wildcard_plan *plan, struct wildcard_root *root,
                         const struct message_type *type, const struct schema_options *options,
                         struct wildcard_found *found, struct error *error)
{
    return find_values(plan, root, type, options->value, found, error) &&
           find_labels(plan, type, error) && find_time(plan, type, options->time, error) &&
           find_name(plan, root, type, options->name, error);
}

/* --- options that found no field -------------------------------------------------------------- */

static bool refuse_label(const struct message_type *type, struct text entry, struct error *error)
{
    struct field_path path;
    const char *colon = memchr(entry.data, ':', entry.size);
    cut_form(&entry);
    size_t name =
        colon == NULL || colon >= entry.data + entry.size ? 0 : (size_t)(colon - entry.data) + 1;
    return field_path_parse_option(type, "labels", entry.data + name, entry.size - name, &path,
                                   error) &&
           field_path_refuse("labels", &path,
                             "is neither a text nor a number; bytes need :ip or :text after them",
                             error);
}

bool wildcard_check_found(const struct schema_options *options, const struct wildcard_found *found,
                          const struct message_type *type, struct error *error)
{
    struct text entry;
    const char *list = options->value;
    for (size_t i = 0; next_entry(&list, &entry);) {
        struct field_path path;
        if (field_path_is_wildcard(entry.data, entry.size) && !found->values[i++] &&
            !field_path_parse_option(type, "value", entry.data, entry.size - 2, &path, error))
            return false;
    }
    list = options->labels;
    for (size_t i = 0; next_entry(&list, &entry); i++)
        if (!found->labels[i] && !found->named)
            return refuse_label(type, entry, error);
    return true;
}
