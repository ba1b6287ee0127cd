#include "collector/config/variables.h"

#include <string.h>

#include "collector/base/suggestion.h"
#include "collector/config/provenance.h"

bool variable_is_read(const struct option *option)
{
    switch (option->action) {
    case OPTION_LISTEN:
    case OPTION_SINK:
    case OPTION_DEAD_LETTERS:
    case OPTION_CONFIG:
    case OPTION_VALUE:
        return true;
    case OPTION_FLAG:
    case OPTION_HELP:
    case OPTION_VERSION:
    case OPTION_SCHEMA:
        break;
    }
    return false;
}

/*
 * Returns true if the name ends with "_PORT", or contains "_PORT" before a number:
 * "_PORT_5555_UDP".
 */
static bool is_port_of_service(const char *name)
{
    static const char word[] = "_PORT";
    for (const char *at = strstr(name, word); at != NULL; at = strstr(at + 1, word)) {
        const char *after = at + strlen(word);
        if (*after == '\0' || (after[0] == '_' && after[1] >= '0' && after[1] <= '9'))
            return true;
    }
    return false;
}

static bool is_other_programs_name(const char *name)
{
    return strncmp(name, VARIABLE_PREFIX, strlen(VARIABLE_PREFIX)) != 0 ||
           strncmp(name, VARIABLE_PREFIX "PORT", strlen(VARIABLE_PREFIX "PORT")) == 0 ||
           strstr(name, "SERVICE_") != NULL || is_port_of_service(name);
}

static bool is_read(const char *name)
{
    char variable[PROVENANCE_VARIABLE_SIZE];
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        provenance_variable(option, variable);
        if (variable_is_read(option) && strcmp(variable, name) == 0)
            return true;
    }
    return false;
}

static const struct option *named(const char *name)
{
    for (const struct option *option = command_options; option->setting.name != NULL; option++)
        if (strcmp(option->setting.name, name) == 0)
            return option;
    return NULL;
}

enum variable_use variable_use_of(const char *name, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    char meant[PROVENANCE_VARIABLE_SIZE];
    struct suggestion suggestion;
    if (is_other_programs_name(name))
        return VARIABLE_FOREIGN;
    if (is_read(name))
        return VARIABLE_READ;
    suggestion_begin(&suggestion, name + strlen(VARIABLE_PREFIX),
                     strlen(name + strlen(VARIABLE_PREFIX)));
    for (const struct option *option = command_options; option->setting.name != NULL; option++) {
        if (!variable_is_read(option))
            continue;
        suggestion_offer(&suggestion, option->setting.name);
        suggestion_offer_others(&suggestion, option->setting.others, option->setting.name);
    }
    parse_error_set(fault, 0, "no option has the environment variable %s",
                    quoted(name, strlen(name), given));
    if (suggestion_found(&suggestion) == NULL)
        return VARIABLE_UNKNOWN;
    provenance_variable(named(suggestion_found(&suggestion)), meant);
    parse_error_suggest(fault, meant);
    return suggestion_is_slip(&suggestion) ? VARIABLE_SLIP : VARIABLE_UNKNOWN;
}

static bool is_name_character(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool variable_reference(const char *text, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    for (const char *at = strstr(text, "${"); at != NULL; at = strstr(at + 1, "${")) {
        size_t length = 2;
        while (is_name_character(at[length]))
            length++;
        if (length == 2 || (at[length] != '}' && at[length] != ':'))
            continue;
        length = strcspn(at, "}");
        length += at[length] == '}';
        parse_error_set(fault, (size_t)(at - text),
                        "%s is not expanded in configuration files; an option can be set by its "
                        "environment variable",
                        quoted(at, length, given));
        return true;
    }
    return false;
}
