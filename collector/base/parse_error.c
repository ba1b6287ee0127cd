#include "collector/base/parse_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collector/text/control_character.h"

bool parse_error_set(struct parse_error *fault, size_t at, const char *format, ...)
{
    fault->at = at;
    fault->no_memory = false;
    fault->hides_value = false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    return false;
}

void parse_error_append(struct parse_error *fault, const char *format, ...)
{
    size_t used = strlen(fault->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->text + used, sizeof fault->text - used, format, arguments);
    va_end(arguments);
}

void parse_error_suggest(struct parse_error *fault, const char *name)
{
    if (name != NULL)
        parse_error_append(fault, "; did you mean \"%s\"?", name);
}

bool parse_error_no_memory(struct parse_error *fault)
{
    parse_error_set(fault, 0, "not enough memory");
    fault->no_memory = true;
    return false;
}

static bool continues_a_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

size_t copy_printable(char *to, size_t size, const char *text, size_t length)
{
    if (length > size - 1) {
        length = size - 1;
        while (length != 0 && continues_a_character(text[length]))
            length--;
    }
    memcpy(to, text, length);
    control_characters_hide(to, length);
    to[length] = '\0';
    return length;
}

const char *quoted(const char *text, size_t length, char *buffer)
{
    static const char ending[] = "...\"";
    buffer[0] = '"';
    size_t used = 1 + copy_printable(buffer + 1, QUOTED_SIZE - sizeof ending, text, length);
    const char *end = used - 1 < length ? ending : ending + 3;
    memcpy(buffer + used, end, strlen(end) + 1);
    return buffer;
}
