#include "collector/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collector/text/control_character.h"

void error_set(struct error *error, enum exit_code code, const char *format, ...)
{
    if (error == NULL)
        return;
    error->code = code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    control_characters_hide(error->text, strlen(error->text));
}

int error_no_memory(struct error *error)
{
    error_set(error, EXIT_CODE_INTERNAL, "out of memory");
    return -1;
}

void error_place(struct error *error, const char *place)
{
    char text[sizeof error->text];
    if (error == NULL || place == NULL)
        return;
    memcpy(text, error->text, sizeof text);
    error_set(error, error->code, "%s: %s", place, text);
}
