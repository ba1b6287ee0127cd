#include "collector/error.h"

#include <stdarg.h>
#include <stdio.h>

void error_set(struct error *error, enum exit_code code, const char *format, ...)
{
    if (error == NULL)
        return;
    error->code = code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
}
