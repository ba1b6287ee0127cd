#include "collector/config/options.h"

#include <stdlib.h>
#include <string.h>

#include "collector/config/nearest.h"
#include "collector/config/option_table.h"
#include "collector/config/url.h"

_Static_assert(sizeof(enum ledger_format) == sizeof(unsigned), "SETTING_ENUM stores an unsigned");
_Static_assert(sizeof(enum log_level) == sizeof(unsigned), "SETTING_ENUM stores an unsigned");
_Static_assert(sizeof(enum log_format) == sizeof(unsigned), "SETTING_ENUM stores an unsigned");

/* What is passed along while the arguments are read. */
struct reading {
    const struct config_choices *choices;
    struct config *config;
    struct error *error;
    char *const *rest;       /* the arguments not read yet */
    size_t left;             /* how many they are */
    bool given[OPTIONS_MAX]; /* one for each row of command_options */
};

/* --- errors ----------------------------------------------------------------------------------- */

/* The bytes of a URL that an error shows; of a longer one, those around the fault. */
#define EXCERPT_MAX 160

struct excerpt {
    char text[EXCERPT_MAX + 1];
    const char *before, *after; /* "..." where the URL goes on */
};

static void make_excerpt(const char *url, size_t at, struct excerpt *excerpt)
{
    size_t length = strlen(url);
    size_t start = 0;
    if (length > EXCERPT_MAX && at > EXCERPT_MAX / 2) {
        start = at - EXCERPT_MAX / 2;
        if (start > length - EXCERPT_MAX)
            start = length - EXCERPT_MAX;
        while ((url[start] & 0xc0) == 0x80)
            start++; /* the middle of a UTF-8 character */
    }
    size_t shown = copy_printable(excerpt->text, sizeof excerpt->text, url + start, length - start);
    excerpt->before = start > 0 ? "..." : "";
    excerpt->after = start + shown < length ? "..." : "";
}

static bool wrong_url(const struct reading *reading, const struct option *option, const char *url,
                      const struct fault *fault)
{
    struct excerpt shown;
    make_excerpt(url, fault->at, &shown);
    error_set(reading->error, fault->no_memory ? EXIT_CODE_INTERNAL : EXIT_CODE_USAGE,
              "--%s %s%s%s: column %zu: %s", option->setting.name, shown.before, shown.text,
              shown.after, fault->at + 1, fault->text);
    return false;
}

static bool no_memory(const struct reading *reading)
{
    error_set(reading->error, EXIT_CODE_INTERNAL, "not enough memory");
    return false;
}

/* --- values ----------------------------------------------------------------------------------- */

/* Appends one element of zeroes to an array of them. Returns it, or NULL without memory. */
static void *append_zeroed(void **array, size_t *count, size_t size)
{
    char *grown = realloc(*array, (*count + 1) * size);
    if (grown == NULL)
        return NULL;
    *array = grown;
    char *element = grown + *count * size;
    memset(element, 0, size);
    (*count)++;
    return element;
}

static bool add_listener(struct reading *reading, const struct option *option, const char *url)
{
    struct config *config = reading->config;
    struct fault fault;
    void *array = config->listeners;
    struct listener_config *added =
        append_zeroed(&array, &config->listener_count, sizeof *config->listeners);
    if (added == NULL)
        return no_memory(reading);
    config->listeners = array;
    if (!url_parse_listener(url, reading->choices, added, &fault))
        return wrong_url(reading, option, url, &fault);
    for (const struct listener_config *other = config->listeners; other != added; other++) {
        if (!listener_configs_conflict(other, added))
            continue;
        fault_set(&fault, 0, "an earlier --%s has this address already", option->setting.name);
        return wrong_url(reading, option, url, &fault);
    }
    return true;
}

static bool add_sink(struct reading *reading, const struct option *option, const char *url)
{
    struct config *config = reading->config;
    struct fault fault;
    void *array = config->sinks;
    struct sink_config *added = append_zeroed(&array, &config->sink_count, sizeof *config->sinks);
    if (added == NULL)
        return no_memory(reading);
    config->sinks = array;
    if (!url_parse_sink(url, reading->choices, added, &fault))
        return wrong_url(reading, option, url, &fault);
    for (const struct sink_config *other = config->sinks; other != added; other++) {
        if (!sink_configs_conflict(other, added))
            continue;
        fault_set(&fault, 0, "an earlier --%s writes there already", option->setting.name);
        return wrong_url(reading, option, url, &fault);
    }
    return true;
}

static bool set_dead_letter(struct reading *reading, const struct option *option, const char *url)
{
    struct fault fault;
    return url_parse_dead_letter(url, reading->choices, &reading->config->dead_letter, &fault) ||
           wrong_url(reading, option, url, &fault);
}

/* Whichever of the two comes first on the command line. */
static bool check_dead_letter(const struct reading *reading)
{
    const struct config *config = reading->config;
    const char *name = config->dead_letter.name;
    for (size_t i = 0; name != NULL && i < config->sink_count; i++) {
        if (strcmp(config->sinks[i].name, name) != 0)
            continue;
        error_set(reading->error, EXIT_CODE_USAGE, "--dead-letter %s: a --sink writes there", name);
        return false;
    }
    return true;
}

static bool set_value(struct reading *reading, const struct option *option, const char *value)
{
    struct fault fault;
    if (setting_parse(&option->setting, reading->choices, value, strlen(value), reading->config,
                      &fault))
        return true;
    error_set(reading->error, EXIT_CODE_USAGE, "--%s", fault.text);
    return false;
}

static bool apply_value(struct reading *reading, const struct option *option, const char *value)
{
    if (option->action == OPTION_LISTEN)
        return add_listener(reading, option, value);
    if (option->action == OPTION_SINK)
        return add_sink(reading, option, value);
    if (option->action == OPTION_LETTERS)
        return set_dead_letter(reading, option, value);
    return set_value(reading, option, value);
}

static bool apply_defaults(struct reading *reading)
{
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        const char *value = option->setting.default_text;
        if (value == NULL || reading->given[option - command_options])
            continue;
        if (!apply_value(reading, option, value))
            return false;
    }
    return true;
}

/* --- arguments -------------------------------------------------------------------------------- */

static const char *next_argument(struct reading *reading)
{
    reading->left--;
    return *reading->rest++;
}

static void stray_argument(const struct reading *reading, const char *argument)
{
    char given[QUOTED_SIZE];
    struct fault fault;
    fault_set(&fault, 0, "unexpected argument %s", quoted(argument, strlen(argument), given));
    if (url_is_listener(argument))
        fault_append(&fault, "; a listener follows --listen");
    else if (url_is_sink(argument, reading->choices))
        fault_append(&fault, "; a sink follows --sink");
    else
        fault_append(&fault, "; options begin with --, see --help");
    error_set(reading->error, EXIT_CODE_USAGE, "%s", fault.text);
}

static void unknown_option(const struct reading *reading, const char *argument)
{
    size_t dashes = strspn(argument, "-");
    size_t length = strcspn(argument, "=");
    char given[QUOTED_SIZE];
    struct nearest nearest;
    struct fault fault;
    nearest_begin(&nearest, argument + dashes, length > dashes ? length - dashes : 0);
    for (const struct option *option = command_options; option->setting.name != NULL; option++)
        nearest_offer(&nearest, option->setting.name);
    fault_set(&fault, 0, "unknown option %s", quoted(argument, length, given));
    if (nearest_found(&nearest) != NULL)
        fault_append(&fault, "; did you mean \"--%s\"?", nearest_found(&nearest));
    else
        fault_append(&fault, "; see --help");
    error_set(reading->error, EXIT_CODE_USAGE, "%s", fault.text);
}

static bool read_value(struct reading *reading, const struct option *option, const char *value)
{
    const char *name = option->setting.name;
    bool *given = &reading->given[option - command_options];
    /* A value that looks like an option is one: this option was left without its value. */
    if (value == NULL && reading->left != 0 && strncmp(reading->rest[0], "--", 2) != 0)
        value = next_argument(reading);
    if (value == NULL) {
        error_set(reading->error, EXIT_CODE_USAGE, "--%s has no value; write --%s %s", name, name,
                  option->action == OPTION_VALUE ? "VALUE" : "URL");
        return false;
    }
    if (*given && (option->action == OPTION_VALUE || option->action == OPTION_LETTERS)) {
        error_set(reading->error, EXIT_CODE_USAGE, "--%s is given twice", name);
        return false;
    }
    *given = true;
    return apply_value(reading, option, value);
}

/* Reads an option whose value, if any, stands in `inside` ("--name=value") or comes next. */
static enum options_result read_option(struct reading *reading, const struct option *option,
                                       const char *inside)
{
    const bool yes = true;
    switch (option->action) {
    case OPTION_LISTEN:
    case OPTION_SINK:
    case OPTION_LETTERS:
    case OPTION_VALUE:
        return read_value(reading, option, inside) ? OPTIONS_RUN : OPTIONS_WRONG;
    case OPTION_FLAG:
    case OPTION_HELP:
    case OPTION_VERSION:
        break;
    }
    if (inside != NULL) {
        error_set(reading->error, EXIT_CODE_USAGE, "--%s takes no value", option->setting.name);
        return OPTIONS_WRONG;
    }
    if (option->action == OPTION_HELP)
        return OPTIONS_HELP;
    if (option->action == OPTION_VERSION)
        return OPTIONS_VERSION;
    memcpy((char *)reading->config + option->setting.offset, &yes, sizeof yes);
    return OPTIONS_RUN;
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
    return apply_defaults(reading) && check_dead_letter(reading) ? OPTIONS_RUN : OPTIONS_WRONG;
}

enum options_result options_parse(int argc, char *const *argv, const struct config_choices *choices,
                                  struct config *config, struct error *error)
{
    *config = (struct config){0};
    struct reading reading = {.choices = choices, .config = config, .error = error};
    if (argc > 1) {
        reading.rest = argv + 1;
        reading.left = (size_t)argc - 1;
    }
    enum options_result result = read_arguments(&reading);
    if (result != OPTIONS_RUN)
        config_free(config);
    return result;
}
