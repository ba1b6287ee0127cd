#include "tools/command/kept_value.h"

#include <string.h>

#include "tools/command/value.h"

/* Sets *second to true if `value` is the second word of "first|second". Refuses other words. */
static int set_either(const char *words, const char *value, bool *second, struct error *error)
{
    char first[COMMAND_SYNTAX_SIZE];
    size_t length = strcspn(words, "|");
    const char *const names[] = {first, words + length + 1, NULL};
    size_t index;
    snprintf(first, sizeof first, "%.*s", (int)length, words);
    if (value_choice(value, names, &index, error) != 0)
        return -1;
    *second = index == 1;
    return 0;
}

int kept_value_set(const struct command_option *option, void *settings, const char *value,
                   struct error *error)
{
    void *field = (char *)settings + option->offset;
    switch (option->kept) {
    case KEPT_BY_ITSELF:
        break;
    case KEPT_FLAG:
        *(bool *)field = true;
        return 0;
    case KEPT_TEXT:
        *(const char **)field = value;
        return 0;
    case KEPT_EITHER:
        return set_either(option->value, value, field, error);
    case KEPT_COUNT:
        return value_quantity(value, QUANTITY_COUNT, option->least, option->most, field, error);
    case KEPT_SIZE:
        return value_quantity(value, QUANTITY_SIZE, option->least, option->most, field, error);
    case KEPT_TIME:
        return value_quantity(value, QUANTITY_DURATION, option->least, option->most, field, error);
    case KEPT_RATE:
        return value_rate(value, option->most, field, error);
    case KEPT_DESTINATION:
        return value_destination(value, field, error);
    }
    return option->set(settings, value, error);
}
