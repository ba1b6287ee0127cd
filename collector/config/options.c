#include "collector/config/options.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/suggestion.h"
#include "collector/config/apply.h"
#include "collector/config/file.h"
#include "collector/config/key_table.h"
#include "collector/config/option_table.h"
#include "collector/config/url.h"
#include "collector/config/variables.h"

struct reading {
    const struct config_registry *registry;
    const struct options_environment *environment; /* NULL: no environment */
    struct config *config;
    struct error *error;
    char *const *rest;       /* the arguments not read yet */
    size_t left;             /* number of arguments in `rest` */
    bool given[OPTIONS_MAX]; /* by row of command_options */
};

static bool options_no_memory(const struct reading *reading)
{
    error_set(reading->error, EXIT_CODE_INTERNAL, "not enough memory");
    return false;
}

static bool is_given(const struct reading *reading, const struct option *option)
{
    return reading->given[option - command_options];
}

/* --- values ----------------------------------------------------------------------------------- */

static struct applying applying_of(const struct reading *reading)
{
    return (struct applying){reading->registry, reading->config->provenance, reading->config,
                             reading->error};
}

/* Adds the value to the provenance and the configuration. Takes ownership of the value. */
static bool store_value(const struct reading *reading, const struct option *option,
                        enum provenance_kind by, struct provenance_text *value)
{
    const struct applying applying = applying_of(reading);
    const struct provenance_entry *entry =
        provenance_add(reading->config->provenance, option, by, value);
    if (entry != NULL)
        return apply_entry(&applying, entry);
    provenance_text_free(value);
    return options_no_memory(reading);
}

static bool take_bytes(const struct reading *reading, const struct option *option,
                       enum provenance_kind by, const char *bytes, size_t length)
{
    struct provenance_text value = {0};
    if (provenance_text_put(&value, bytes, length))
        return store_value(reading, option, by, &value);
    provenance_text_free(&value);
    return options_no_memory(reading);
}

/* --- the environment -------------------------------------------------------------------------- */

static bool take_urls(const struct reading *reading, const struct option *option, const char *text)
{
    static const char blanks[] = " \t\n";
    for (text += strspn(text, blanks); *text != '\0'; text += strspn(text, blanks)) {
        size_t length = strcspn(text, blanks);
        if (!take_bytes(reading, option, PROVENANCE_ENVIRONMENT, text, length))
            return false;
        text += length;
    }
    return true;
}

static bool take_variable(struct reading *reading, const struct option *option)
{
    char name[PROVENANCE_VARIABLE_SIZE];
    char *value = NULL;
    provenance_variable(option, name);
    if (!reading->environment->value(name, &value))
        return options_no_memory(reading);
    bool good = true;
    if (value != NULL && value[strspn(value, " \t\n")] != '\0') {
        reading->given[option - command_options] = true;
        if (option->action == OPTION_LISTEN || option->action == OPTION_SINK)
            good = take_urls(reading, option, value);
        else
            good = take_bytes(reading, option, PROVENANCE_ENVIRONMENT, value, strlen(value));
    }
    free(value);
    return good;
}

/* Returns false, which ends the visit, if the variable's name is probably misspelled. */
static bool refuse_slip(void *context, const char *name)
{
    struct parse_error *fault = context;
    if (variable_use_of(name, fault) == VARIABLE_SLIP)
        return false;
    fault->text[0] = '\0';
    return true;
}

static bool check_names(const struct reading *reading)
{
    struct parse_error fault = {.text = ""};
    if (!reading->environment->each(VARIABLE_PREFIX, refuse_slip, &fault))
        return options_no_memory(reading);
    if (fault.text[0] == '\0')
        return true;
    error_set(reading->error, EXIT_CODE_CONFIG, "%s", fault.text);
    return false;
}

static bool warn_of_unknown(void *context, const char *name)
{
    void (*const *warn)(const char *text) = context;
    struct parse_error fault;
    if (variable_use_of(name, &fault) == VARIABLE_UNKNOWN)
        (*warn)(fault.text);
    return true;
}

void options_check_environment(const struct options_environment *environment,
                               void (*warn)(const char *text))
{
    environment->each(VARIABLE_PREFIX, warn_of_unknown, &warn);
}

static bool read_environment(struct reading *reading)
{
    if (reading->environment == NULL)
        return true;
    if (!check_names(reading))
        return false;
    for (const struct option *option = command_options; option->setting.name != NULL; option++)
        if (variable_is_read(option) && !is_given(reading, option) &&
            !take_variable(reading, option))
            return false;
    return true;
}

/* --- files ------------------------------------------------------------------------------------ */

static const struct provenance_entry *find_dead_letters(const struct provenance *provenance)
{
    for (size_t i = 0; i < provenance->count; i++)
        if (provenance->entries[i].option->action == OPTION_DEAD_LETTERS)
            return &provenance->entries[i];
    return NULL;
}

static bool check_dead_letters(const struct applying *applying)
{
    const struct provenance_entry *letters = find_dead_letters(applying->provenance);
    return letters == NULL || apply_check_dead_letters(applying, letters);
}

/* Checks all entries of the files, including entries that the command line overrides. */
static bool check_files(const struct reading *reading, const struct provenance *read)
{
    struct config alone = {0};
    const struct applying applying = {reading->registry, read, &alone, reading->error};
    bool good = true;
    for (size_t i = 0; good && i < read->count; i++)
        good = apply_entry(&applying, &read->entries[i]);
    good = good && check_dead_letters(&applying);
    config_free(&alone);
    return good;
}

/*
 * Moves entries of the files into the configuration, in the order of the files. Skips options that
 * the command line or the environment has given.
 */
static bool take_files(struct reading *reading, struct provenance *read)
{
    bool given_now[OPTIONS_MAX] = {false};
    struct provenance *to = reading->config->provenance;
    to->has_tests = read->has_tests;
    size_t at = 0;
    for (size_t file = 0; file < read->file_count; file++) {
        if (!provenance_add_file(to, read->files[file]))
            return options_no_memory(reading);
        for (; at < read->count && read->entries[at].file == file; at++) {
            struct provenance_entry *entry = &read->entries[at];
            if (is_given(reading, entry->option))
                continue;
            given_now[entry->option - command_options] = true;
            if (!store_value(reading, entry->option, PROVENANCE_FILE, &entry->text))
                return false;
        }
    }
    for (size_t i = 0; i < OPTIONS_MAX; i++)
        reading->given[i] = reading->given[i] || given_now[i];
    return true;
}

static bool read_files(struct reading *reading)
{
    struct provenance read = {0};
    if (reading->config->file == NULL)
        return true;
    bool good = config_file_read(reading->config->file, &read, reading->error) &&
                check_files(reading, &read) && take_files(reading, &read);
    provenance_free(&read);
    return good;
}

/* --- applying all sources --------------------------------------------------------------------- */

static bool apply_defaults(const struct reading *reading)
{
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        const char *value = option->setting.default_text;
        if (value != NULL && !is_given(reading, option) &&
            !take_bytes(reading, option, PROVENANCE_DEFAULT, value, strlen(value)))
            return false;
    }
    return true;
}

static bool read_the_rest(struct reading *reading)
{
    if (!read_environment(reading) || !read_files(reading) || !apply_defaults(reading))
        return false;
    const struct applying applying = applying_of(reading);
    if (!check_dead_letters(&applying))
        return false;
    config_default_limits(reading->config);
    return (config_default_values(reading->config) && config_default_owners(reading->config)) ||
           options_no_memory(reading);
}

/* --- arguments -------------------------------------------------------------------------------- */

static const char *next_argument(struct reading *reading)
{
    reading->left--;
    return *reading->rest++;
}

/* The commands, which must be the first argument. For suggestions. */
static const char *const commands[] = {"ctl", "explain", "keygen", "schema", "spill", "test"};

static const char *similar_command(const char *argument)
{
    struct suggestion suggestion;
    suggestion_begin(&suggestion, argument, strlen(argument));
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        suggestion_offer(&suggestion, commands[i]);
    return suggestion_found(&suggestion);
}

static void stray_argument(const struct reading *reading, const char *argument)
{
    const char *command = similar_command(argument);
    char given[QUOTED_SIZE];
    struct parse_error fault;
    parse_error_set(&fault, 0, "unexpected argument %s", quoted(argument, strlen(argument), given));
    if (url_is_listener(argument, reading->registry))
        parse_error_append(&fault, "; a listener follows --listen");
    else if (url_is_sink(argument, reading->registry))
        parse_error_append(&fault, "; a sink follows --sink");
    else if (strchr(argument, '=') != NULL)
        parse_error_append(&fault, "; keys belong to a URL, in quotation marks for the shell: "
                                   "'udp://ADDR:PORT?KEY=VALUE&KEY=VALUE'");
    else if (strstr(argument, ".yaml") != NULL || strstr(argument, ".yml") != NULL)
        parse_error_append(&fault, "; a configuration file follows --config");
    else if (command != NULL && strcmp(command, argument) == 0)
        parse_error_append(&fault, "; the command \"%s\" must be the first argument", command);
    else if (command != NULL)
        parse_error_append(&fault, "; did you mean \"%s\"?", command);
    else
        parse_error_append(&fault, "; options begin with --, see --help");
    error_set(reading->error, EXIT_CODE_USAGE, "%s", fault.text);
}

static void unknown_option(const struct reading *reading, const char *argument)
{
    size_t dashes = strspn(argument, "-");
    size_t length = strcspn(argument, "=");
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    struct parse_error fault;
    suggestion_begin(&suggestion, argument + dashes, length > dashes ? length - dashes : 0);
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        suggestion_offer(&suggestion, option->setting.name);
        suggestion_offer_others(&suggestion, option->setting.others, option->setting.name);
    }
    parse_error_set(&fault, 0, "unknown option %s", quoted(argument, length, given));
    if (suggestion_found(&suggestion) != NULL)
        parse_error_append(&fault, "; did you mean \"--%s\"?", suggestion_found(&suggestion));
    else
        parse_error_append(&fault, "; see --help");
    error_set(reading->error, EXIT_CODE_USAGE, "%s", fault.text);
}

static const char *value_syntax(const struct option *option)
{
    if (option->action == OPTION_CONFIG || option->action == OPTION_SCHEMA)
        return option->setting.syntax;
    return option->action == OPTION_VALUE ? "VALUE" : "URL";
}

/*
 * Returns the option's value: `inside` or, if that is NULL, the next argument. Returns NULL with
 * the error set if there is no value.
 */
static const char *find_value(struct reading *reading, const struct option *option,
                              const char *inside)
{
    const char *name = option->setting.name;
    if (inside != NULL)
        return inside;
    /* An argument that looks like an option is not a value. */
    if (reading->left != 0 && strncmp(reading->rest[0], "--", 2) != 0)
        return next_argument(reading);
    error_set(reading->error, EXIT_CODE_USAGE, "--%s has no value; write --%s %s", name, name,
              value_syntax(option));
    return NULL;
}

static bool read_option_value(struct reading *reading, const struct option *option,
                              const char *inside)
{
    const char *name = option->setting.name;
    bool *given = &reading->given[option - command_options];
    const char *value = find_value(reading, option, inside);
    if (value == NULL)
        return false;
    if (*given && option->action != OPTION_LISTEN && option->action != OPTION_SINK) {
        error_set(reading->error, EXIT_CODE_USAGE, "--%s is given twice", name);
        return false;
    }
    *given = true;
    return take_bytes(reading, option, PROVENANCE_ARGUMENT, value, strlen(value));
}

static void takes_no_value(const struct reading *reading, const struct option *option)
{
    const char *const *choices = option->setting.choices;
    const char *name = option->setting.name;
    if (choices == NULL)
        error_set(reading->error, EXIT_CODE_USAGE, "--%s takes no value", name);
    else
        error_set(reading->error, EXIT_CODE_USAGE, "--%s takes no value except \"%s\"", name,
                  choices[0]);
}

static enum options_result read_flag(const struct reading *reading, const struct option *option,
                                     const char *inside)
{
    const char *const *choices = option->setting.choices;
    const unsigned level = inside == NULL ? 1 : 2;
    if (inside != NULL && (choices == NULL || strcmp(inside, choices[0]) != 0)) {
        takes_no_value(reading, option);
        return OPTIONS_WRONG;
    }
    memcpy((char *)reading->config + option->setting.offset, &level, sizeof level);
    return OPTIONS_RUN;
}

static enum options_result read_option(struct reading *reading, const struct option *option,
                                       const char *inside)
{
    if (variable_is_read(option))
        return read_option_value(reading, option, inside) ? OPTIONS_RUN : OPTIONS_WRONG;
    if (option->action == OPTION_HELP) {
        bool follows = inside == NULL && reading->left != 0 && reading->rest[0][0] != '-';
        reading->config->request.help_topic = follows ? next_argument(reading) : inside;
        return OPTIONS_HELP;
    }
    if (option->action == OPTION_SCHEMA) {
        reading->config->request.schema_name = find_value(reading, option, inside);
        return reading->config->request.schema_name != NULL ? OPTIONS_SCHEMA : OPTIONS_WRONG;
    }
    if (option->action == OPTION_FLAG)
        return read_flag(reading, option, inside);
    if (inside == NULL)
        return OPTIONS_VERSION;
    takes_no_value(reading, option);
    return OPTIONS_WRONG;
}

static enum options_result read_arguments(struct reading *reading)
{
    while (reading->left != 0) {
        const char *argument = next_argument(reading);
        const struct option *option = option_named(argument);
        if (option == NULL) {
            if (argument[0] == '-')
                unknown_option(reading, argument);
            else
                stray_argument(reading, argument);
            return OPTIONS_WRONG;
        }
        const char *equals = strchr(argument, '=');
        enum options_result result =
            read_option(reading, option, equals != NULL ? equals + 1 : NULL);
        if (result != OPTIONS_RUN)
            return result;
    }
    return read_the_rest(reading) ? OPTIONS_RUN : OPTIONS_WRONG;
}

enum options_result options_read(int argc, char *const *argv,
                                 const struct options_environment *environment,
                                 const struct config_registry *registry, struct config *config,
                                 struct error *error)
{
    *config = (struct config){.provenance = calloc(1, sizeof *config->provenance),
                              .sources = registry->sources,
                              .schemas = registry->schemas};
    struct reading reading = {
        .registry = registry, .environment = environment, .config = config, .error = error};
    key_table_add_own(registry->destinations);
    if (argc > 1) {
        reading.rest = argv + 1;
        reading.left = (size_t)argc - 1;
    }
    enum options_result result = OPTIONS_WRONG;
    if (config->provenance == NULL)
        options_no_memory(&reading);
    else
        result = read_arguments(&reading);
    const char *topic = config->request.help_topic;
    const char *schema = config->request.schema_name;
    if (result != OPTIONS_RUN)
        config_free(config);
    config->request.help_topic = topic;
    config->request.schema_name = schema;
    return result;
}

enum options_result options_parse(int argc, char *const *argv,
                                  const struct config_registry *registry, struct config *config,
                                  struct error *error)
{
    return options_read(argc, argv, NULL, registry, config, error);
}
