/* Prints the configuration as a configuration file, for --print-config. */
#include <stdlib.h>
#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/config/config_walk.h"
#include "collector/config/option_table.h"
#include "collector/config/options.h"
#include "collector/config/yaml_text.h"
#include "collector/text/secret_query.h"
#include "collector/text/secret_url.h"

static void put_origin(FILE *to, const struct config_origin *origin)
{
    char name[PROVENANCE_VARIABLE_SIZE];
    switch (origin->by) {
    case PROVENANCE_ARGUMENT:
        fputs(" # command line\n", to);
        break;
    case PROVENANCE_ENVIRONMENT:
        provenance_variable(origin->option, name);
        fprintf(to, " # environment: %s\n", name);
        break;
    case PROVENANCE_FILE: {
        char path[256];
        copy_printable(path, sizeof path, origin->file, strlen(origin->file));
        fprintf(to, " # %s:%zu\n", path, origin->line);
        break;
    }
    case PROVENANCE_DEFAULT:
        fputs(" # default\n", to);
        break;
    }
}

static void begin_place(FILE *to, const struct config_value *value)
{
    bool first = value->index == 0;
    switch (value->part) {
    case CONFIG_OF_LISTENER:
        fprintf(to, "%s  - address: ", first ? "listeners:\n" : "");
        break;
    case CONFIG_OF_SINK:
        fprintf(to, "%s  - to: ", first ? "sinks:\n" : "");
        break;
    case CONFIG_OF_DEAD_LETTERS:
        fprintf(to, "%s:\n  to: ", value->origin.option->setting.name);
        break;
    case CONFIG_OF_PROGRAM:
        break;
    }
}

static void begin_schema_key(FILE *to, const struct config_value *value)
{
    bool begins = value->setting->type == SETTING_SCHEMA;
    if (begins && value->schema == 1)
        fputs("    schemas:\n", to);
    fprintf(to, "      %s%s: ", begins ? "- " : "  ", value->setting->name);
}

static void begin_key(FILE *to, const struct config_value *value)
{
    static const char *const indents[] = {[CONFIG_OF_PROGRAM] = "",
                                          [CONFIG_OF_LISTENER] = "    ",
                                          [CONFIG_OF_SINK] = "    ",
                                          [CONFIG_OF_DEAD_LETTERS] = "  "};
    fprintf(to, "%s%.*s: ", indents[value->part], (int)value->name_length, value->name);
}

typedef size_t masker(const char *text, size_t length, char *to);

_Static_assert(SECRET_URL_ROOM(7) == SECRET_QUERY_ROOM(7), "one room is enough for both");

/* Writes the value with its secrets masked; masks all of it if memory is short. */
static void put_masked(FILE *to, const struct config_value *value, masker *mask)
{
    char *masked = malloc(SECRET_URL_ROOM(value->length));
    size_t length = masked == NULL ? 0 : mask(value->text, value->length, masked);
    yaml_text_write(to, masked == NULL ? "***" : masked, masked == NULL ? 3 : length);
    free(masked);
}

static void print_value(void *context, const struct config_value *value)
{
    FILE *to = context;
    if (value->setting == NULL)
        begin_place(to, value);
    else if (value->schema != 0)
        begin_schema_key(to, value);
    else
        begin_key(to, value);
    if (value->setting == NULL && value->part == CONFIG_OF_SINK)
        put_masked(to, value, secret_url_mask);
    else if (value->setting != NULL && value->setting->secret)
        put_masked(to, value, secret_query_mask);
    else
        yaml_text_write(to, value->text, value->length);
    put_origin(to, &value->origin);
}

void options_print_config(FILE *to, const struct config *config,
                          const struct config_registry *registry)
{
    config_walk(config, registry, print_value, to);
}
