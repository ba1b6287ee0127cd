#include "collector/config/syntax.h"

#include <stdio.h>
#include <string.h>

#include "collector/config/units.h"

static bool quantity_of(const struct setting *setting, enum quantity *quantity)
{
    switch (setting->type) {
    case SETTING_COUNT:
        *quantity = QUANTITY_COUNT;
        return true;
    case SETTING_SIZE:
        *quantity = QUANTITY_SIZE;
        return true;
    case SETTING_DURATION:
        *quantity = QUANTITY_DURATION;
        return true;
    default:
        return false;
    }
}

static void syntax_append(char text[SYNTAX_SIZE], const char *more)
{
    strncat(text, more, SYNTAX_SIZE - 1 - strlen(text));
}

void syntax_of_value(const struct setting *setting, const struct config_registry *registry,
                     char text[SYNTAX_SIZE])
{
    static const char *const names[] = {
        [QUANTITY_COUNT] = "N",
        [QUANTITY_SIZE] = "SIZE",
        [QUANTITY_DURATION] = "TIME",
    };
    enum quantity quantity;
    const char *name;
    text[0] = '\0';
    if (quantity_of(setting, &quantity))
        syntax_append(text, names[quantity]);
    for (size_t i = 0; (name = setting_choice(setting, registry, i)) != NULL; i++) {
        syntax_append(text, i == 0 ? "" : "|");
        syntax_append(text, name);
    }
    if (setting->type == SETTING_SCHEMA && registry->schema_from_file != NULL)
        syntax_append(text, "|FILE|FOLDER");
    if (setting->type == SETTING_LOCAL)
        syntax_append(text, registry->local_syntax);
    if (setting->syntax != NULL)
        syntax_append(text, setting->syntax);
}

void syntax_of_option(const struct option *option, const struct config_registry *registry,
                      char text[SYNTAX_SIZE])
{
    if (option->action == OPTION_LISTEN || option->action == OPTION_SINK ||
        option->action == OPTION_DEAD_LETTERS)
        snprintf(text, SYNTAX_SIZE, "URL");
    else
        syntax_of_value(&option->setting, registry, text);
}

void syntax_of_default(const struct setting *setting, bool with_range, char text[SYNTAX_SIZE])
{
    enum quantity quantity;
    text[0] = '\0';
    if (setting->default_text == NULL)
        return;
    if (with_range && quantity_of(setting, &quantity)) {
        char least[QUANTITY_TEXT_SIZE];
        char most[QUANTITY_TEXT_SIZE];
        quantity_format(quantity, setting->minimum, least);
        quantity_format(quantity, setting->maximum, most);
        snprintf(text, SYNTAX_SIZE, "default %s, %s to %s", setting->default_text, least, most);
    } else {
        snprintf(text, SYNTAX_SIZE, "default %s", setting->default_text);
    }
}
