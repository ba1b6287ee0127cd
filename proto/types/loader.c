/* Common functions of all steps of loading: they reject a set, or copy a text of the set. */
#include "proto/types/loader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/parse_error.h"

bool loader_refuse(struct loader *loader, const char *format, ...)
{
    char text[400];
    char shown[sizeof text]; /* names in the set are arbitrary bytes */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    copy_printable(shown, sizeof shown, text, strlen(text));
    error_set(loader->error, EXIT_CODE_CONFIG, "%s: %s", loader->name, shown);
    return false;
}

bool loader_no_memory(struct loader *loader)
{
    error_set(loader->error, EXIT_CODE_INTERNAL, "%s: out of memory", loader->name);
    return false;
}

char *loader_text(struct loader *loader, ProtobufCBinaryData text)
{
    return growing_arena_text(&loader->set->memory, text.data, text.len);
}
