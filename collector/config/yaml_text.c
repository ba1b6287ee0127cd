#include "collector/config/yaml_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "collector/text/control_character.h"
#include "collector/text/utf8.h"

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Whether the text needs no quotation marks in YAML. */
static bool yaml_is_plain(const char *text, size_t length)
{
    if (length == 0 || text[length - 1] == ':' ||
        !(is_letter_or_digit(text[0]) || text[0] == '/' || text[0] == '.'))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!is_letter_or_digit(text[i]) &&
            (text[i] == '\0' || !strchr("_./:%+-,;=*?[]@", text[i])))
            return false;
    return memcmp(text, "...", length < 3 ? length : 3) != 0; /* "..." ends a document */
}

/* Whether all characters are printable ASCII. */
static bool is_printable(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || (unsigned char)text[i] > '~')
            return false;
    return true;
}

static void write_single_quoted(FILE *to, const char *text, size_t length)
{
    fputc('\'', to);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'')
            fputc('\'', to);
        fputc(text[i], to);
    }
    fputc('\'', to);
}

static uint32_t yaml_decode_character(const uint8_t *bytes, size_t size)
{
    if (size == 1)
        return bytes[0];
    uint32_t value = bytes[0] & (0x7fU >> size);
    for (size_t i = 1; i < size; i++)
        value = value << 6 | (bytes[i] & 0x3fU);
    return value;
}

/* Whether a character must be escaped: control characters, line breaks, byte-order marks. */
static bool is_hidden(uint32_t character)
{
    return control_character_is(character) || character == 0x2028 || character == 0x2029 ||
           character == 0xfeff || (character & 0xfffe) == 0xfffe;
}

static void write_double_quoted(FILE *to, const char *text, size_t length)
{
    const uint8_t *bytes = (const uint8_t *)text;
    fputc('"', to);
    for (size_t i = 0; i < length;) {
        bool valid;
        size_t size = utf8_sequence(bytes + i, length - i, &valid);
        uint32_t character = valid ? yaml_decode_character(bytes + i, size) : 0xfffd;
        if (!valid)
            size = 1;
        if (character == '"' || character == '\\')
            fprintf(to, "\\%c", (int)character);
        else if (!valid || is_hidden(character))
            fprintf(to, "\\U%08lX", (unsigned long)character);
        else
            fwrite(bytes + i, 1, size, to);
        i += size;
    }
    fputc('"', to);
}

void yaml_text_write(FILE *to, const char *text, size_t length)
{
    if (yaml_is_plain(text, length))
        fwrite(text, 1, length, to);
    else if (is_printable(text, length))
        write_single_quoted(to, text, length);
    else
        write_double_quoted(to, text, length);
}
