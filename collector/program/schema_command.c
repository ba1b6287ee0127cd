#include "collector/program/schema_command.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/base/suggestion.h"
#include "collector/log/log.h"
#include "collector/text/json_writer.h"
#include "proto/outline/outline.h"
#include "proto/outline/tops.h"
#include "proto/runtime/descriptor_file.h"
#include "proto/schemas.h"

/* The greatest width of a column. A longer text is not cut; it moves the next column. */
#define COLUMN_MAX 56

struct showing {
    const char *path;
    struct schema_options options;
    bool json, all, help;
    const char *texts;
};

/* --- the command line ------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t at; /* offset of a const char * in struct showing */
} valued[] = {
    {"--message", offsetof(struct showing, options.message)},
    {"--value", offsetof(struct showing, options.value)},
    {"--labels", offsetof(struct showing, options.labels)},
    {"--name", offsetof(struct showing, options.name)},
    {"--time", offsetof(struct showing, options.time)},
    {"--nested", offsetof(struct showing, options.nested)},
    {"--texts", offsetof(struct showing, texts)},
};
#define VALUED (sizeof valued / sizeof valued[0])

static const char *const flags[] = {"--json", "--all", "--help"};
#define FLAGS (sizeof flags / sizeof flags[0])

static bool show_unknown_option(const char *text, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    suggestion_begin(&suggestion, text, strlen(text));
    for (size_t i = 0; i < VALUED; i++)
        suggestion_offer(&suggestion, valued[i].name);
    for (size_t i = 0; i < FLAGS; i++)
        suggestion_offer(&suggestion, flags[i]);
    parse_error_set(fault, 0, "unknown option %s", quoted(text, strlen(text), given));
    parse_error_suggest(fault, suggestion_found(&suggestion));
    return false;
}

static bool show_parse_valued(int argc, char *const *argv, int *at, struct showing *showing,
                              struct parse_error *fault)
{
    for (size_t i = 0; i < VALUED; i++) {
        size_t length = strlen(valued[i].name);
        const char *option = argv[*at];
        const char **to = (const char **)(void *)((char *)showing + valued[i].at);
        if (strncmp(option, valued[i].name, length) != 0)
            continue;
        if (option[length] == '=') {
            *to = option + length + 1;
            return true;
        }
        if (option[length] != '\0')
            continue;
        if (*at + 1 == argc)
            return parse_error_set(fault, 0, "%s: its value is missing", valued[i].name);
        *to = argv[++*at];
        return true;
    }
    return show_unknown_option(argv[*at], fault);
}

static bool show_parse_option(int argc, char *const *argv, int *at, struct showing *showing,
                              struct parse_error *fault)
{
    const char *option = argv[*at];
    if (strcmp(option, "--json") == 0)
        return showing->json = true;
    if (strcmp(option, "--all") == 0)
        return showing->all = true;
    if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0)
        return showing->help = true;
    return show_parse_valued(argc, argv, at, showing, fault);
}

static bool show_check(struct showing *showing, struct parse_error *fault)
{
    if (showing->help)
        return true;
    if (showing->path == NULL)
        return parse_error_set(fault, 0, "write sluice schema FILE|FOLDER [--message TYPE]");
    if (showing->options.message != NULL && showing->all)
        return parse_error_set(fault, 0, "--all is for the list; remove --message");
    for (size_t i = 1; showing->options.message == NULL && i < VALUED; i++)
        if (*(const char **)(void *)((char *)showing + valued[i].at) != NULL)
            return parse_error_set(fault, 0, "%s needs --message TYPE", valued[i].name);
    if (showing->texts != NULL && strcmp(showing->texts, "info") != 0 &&
        strcmp(showing->texts, "drop") != 0)
        return parse_error_set(fault, 0, "--texts is drop or info");
    showing->options.text_samples = showing->texts != NULL && strcmp(showing->texts, "info") == 0;
    showing->options.source = showing->path;
    if (showing->options.value == NULL)
        showing->options.value = "*";
    return true;
}

static bool show_parse(int argc, char *const *argv, struct showing *showing,
                       struct parse_error *fault)
{
    bool options = true;
    for (int at = 1; at < argc; at++) {
        if (options && strcmp(argv[at], "--") == 0)
            options = false;
        else if (options && argv[at][0] == '-' && argv[at][1] != '\0') {
            if (!show_parse_option(argc, argv, &at, showing, fault))
                return false;
        } else if (showing->path != NULL) {
            return parse_error_set(fault, 0, "write one FILE or FOLDER");
        } else {
            showing->path = argv[at];
        }
    }
    return show_check(showing, fault);
}

static void show_help(void)
{
    puts("Usage: sluice schema [--all] [--json] FILE|FOLDER\n"
         "       sluice schema --message TYPE [--json] [KEYS] FILE|FOLDER\n"
         "Shows a schema: a descriptor set, a .proto file, or a folder of .proto files.\n"
         "\n"
         "Without --message: the message types that no other message contains, and so may be\n"
         "what a datagram has, with their fields and the number of message types inside. --all\n"
         "lists all types. With --message: the samples that value=* reads from the message, each\n"
         "with its kind, the field of its time and its labels. A word in braces is the text of\n"
         "that field.\n"
         "\n"
         "KEYS are those of a listener: --value, --labels, --name, --time, --nested and --texts,\n"
         "each with its value. --json writes JSON. Exit code 78 if the schema or a key is wrong.");
}

/* --- output ----------------------------------------------------------------------------------- */

static void show_text(const char *text, int width)
{
    char shown[600];
    copy_printable(shown, sizeof shown, text, strlen(text));
    printf("%-*s", width, shown);
}

static int wider(int width, const char *text)
{
    size_t size = strlen(text);
    return size <= COLUMN_MAX && (int)size > width ? (int)size : width;
}

/*
 * Prints one row as a JSON object; `write` appends its members. Prints a comma before it unless it
 * is the first row.
 */
static bool show_json(void (*write)(struct output *out, const void *row), const void *row,
                      bool first)
{
    size_t capacity = (size_t)1 << 20;
    struct output out = {.data = malloc(capacity), .capacity = capacity};
    if (out.data == NULL)
        return false;
    json_object_begin(&out);
    write(&out, row);
    json_object_end(&out);
    if (!out.overflow)
        printf("%s\n%.*s", first ? "" : ",", (int)out.used, out.data);
    free(out.data);
    return !out.overflow;
}

/* --- the list --------------------------------------------------------------------------------- */

static const char *package_of(const struct top *top)
{
    return top->type->descriptor->package_name;
}

static void write_top(struct output *out, const void *row)
{
    const struct top *top = row;
    json_member_text(out, "message", top->type->descriptor->name);
    json_member_text(out, "package", package_of(top));
    json_member_text(out, "file", top->file);
    json_member_uint64(out, "fields", top->type->field_count);
    json_member_uint64(out, "types_inside", top->inside);
    if (top->type->not_supported != NULL)
        json_member_text(out, "not_supported", top->type->not_supported);
}

static bool list_json(const struct top *tops, size_t count)
{
    bool good = true;
    fputs("{\"messages\":[", stdout);
    for (size_t i = 0; i < count && good; i++)
        good = show_json(write_top, &tops[i], i == 0);
    puts("]}");
    return good;
}

static void list_text(const struct showing *showing, const struct top *tops, size_t count)
{
    int width = 7, file_width = 4;
    for (size_t i = 0; i < count; i++) {
        width = wider(width, tops[i].type->descriptor->name);
        file_width = wider(file_width, tops[i].file);
    }
    printf("%-*s  FIELDS  TYPES INSIDE  %-*s  PACKAGE\n", width, "MESSAGE", file_width, "FILE");
    for (size_t i = 0; i < count; i++) {
        show_text(tops[i].type->descriptor->name, width);
        printf("  %6zu  %12zu  ", tops[i].type->field_count, tops[i].inside);
        show_text(tops[i].file, file_width);
        fputs("  ", stdout);
        show_text(package_of(&tops[i])[0] == '\0' ? "-" : package_of(&tops[i]), 0);
        if (tops[i].type->not_supported != NULL)
            fputs("  (not supported)", stdout);
        putchar('\n');
    }
    if (count != 0)
        printf("\n%s contains these; sluice schema %s --message TYPE shows the samples of one.\n",
               showing->all ? "The schema" : "No other message", showing->path);
    else
        puts("No message has a field.");
}

static void show_warning(const struct type_set *set, const char *path)
{
    size_t more;
    const char *warning = type_set_warning(set, &more);
    if (warning != NULL)
        log_line(LOG_WARNING, "%s: %s", path, warning);
}

static int show_list(const struct showing *showing, struct error *error)
{
    struct type_set *set;
    struct top *tops;
    size_t count;
    if (descriptor_file_load(showing->path, &set, error) != 0)
        return -1;
    show_warning(set, showing->path);
    int result = tops_find(set, showing->all, &tops, &count, error);
    if (result == 0) {
        if (!showing->json)
            list_text(showing, tops, count);
        else if (!list_json(tops, count))
            result = error_no_memory(error);
        free(tops);
    }
    type_set_destroy(set);
    return result;
}

/* --- the samples of a message ----------------------------------------------------------------- */

static const char *kind_of(const struct outline_row *row)
{
    static const char *const names[] = {[SAMPLE_GAUGE] = "gauge",
                                        [SAMPLE_COUNTER] = "counter",
                                        [SAMPLE_UPDOWN_COUNTER] = "updown_counter"};
    return names[row->kind];
}

static void write_row(struct output *out, const void *given)
{
    const struct outline_row *row = given;
    json_member_text(out, "name", row->name);
    json_member_text(out, "kind", kind_of(row));
    json_key_literal(out, "time");
    if (row->time == NULL)
        json_null(out);
    else
        json_string(out, row->time, strlen(row->time));
    json_key_literal(out, "labels");
    json_array_begin(out);
    for (size_t i = 0; i < row->label_count; i++)
        json_string(out, row->labels[i], strlen(row->labels[i]));
    json_array_end(out);
}

static bool samples_json(const struct schema *schema, const struct outline *outline)
{
    bool good = true;
    printf("{\"message\":\"%s\",\"complete\":%s,\"samples\":[", schema->name,
           outline->cut ? "false" : "true");
    for (size_t i = 0; i < outline->count && good; i++)
        good = show_json(write_row, outline->rows[i], i == 0);
    puts("]}");
    return good;
}

static void samples_text(const struct showing *showing, const struct schema *schema,
                         const struct outline *outline)
{
    int name = 4, kind = 4, time = 7;
    for (size_t i = 0; i < outline->count; i++) {
        const struct outline_row *row = outline->rows[i];
        name = wider(name, row->name);
        kind = wider(kind, kind_of(row));
        time = row->time == NULL ? time : wider(time, row->time);
    }
    printf("%s with value=%s\n\n", schema->name, showing->options.value);
    if (outline->count == 0) {
        puts("No number is read from this message.");
        return;
    }
    printf("%-*s  %-*s  %-*s  LABELS\n", name, "NAME", kind, "KIND", time, "TIME");
    for (size_t i = 0; i < outline->count; i++) {
        const struct outline_row *row = outline->rows[i];
        show_text(row->name, name);
        printf("  %-*s  ", kind, kind_of(row));
        show_text(row->time == NULL ? "arrival" : row->time, row->label_count == 0 ? 0 : time);
        for (size_t k = 0; k < row->label_count; k++) {
            fputs(k == 0 ? "  " : ",", stdout);
            show_text(row->labels[k], 0);
        }
        putchar('\n');
    }
    if (outline->cut)
        puts("\nThis is only a part: the message has more fields. A --value=PATH.* shows a part.");
}

static int show_samples(const struct showing *showing, struct error *error)
{
    struct schema *schema;
    struct outline outline;
    if (schema_file.create(&showing->options, &schema, error) != 0)
        return -1;
    if (schema->warning != NULL)
        log_line(LOG_WARNING, "%s", schema->warning);
    int result = outline_make(schema, &outline, error);
    if (result == 0 && !showing->json)
        samples_text(showing, schema, &outline);
    else if (result == 0 && !samples_json(schema, &outline))
        result = error_no_memory(error);
    outline_clear(&outline);
    schema_file.destroy(schema);
    return result;
}

/* --- the whole command ------------------------------------------------------------------------ */

enum exit_code schema_command(int argc, char *const *argv)
{
    struct showing showing = {.path = NULL};
    struct parse_error fault;
    struct error error;
    if (!show_parse(argc, argv, &showing, &fault)) {
        log_line(LOG_ERROR, "schema: %s", fault.text);
        return EXIT_CODE_USAGE;
    }
    if (showing.help) {
        show_help();
        return EXIT_CODE_OK;
    }
    int result = showing.options.message == NULL ? show_list(&showing, &error)
                                                 : show_samples(&showing, &error);
    if (result == 0)
        return EXIT_CODE_OK;
    log_line(LOG_ERROR, "schema: %s", error.text);
    return error.code;
}
