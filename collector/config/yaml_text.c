#include "collector/config/yaml_text.h"

#include <string.h>

#include "collector/text/control_character.h"
#include "collector/text/utf8.h"

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool yaml_is_plain(const char *text, size_t length)
{
    if (length == 0 || text[length - 1] == ':' ||
        !(is_letter_or_digit(text[0]) || text[0] == '/' || text[0] == '.'))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!is_letter_or_digit(text[i]) &&
            (text[i] == '\0' || !strchr("_./:%+-,;=*?[]@", text[i])))
            return false;
    return memcmp(text, "...", length < 3 ? length : 3) != 0; /* a line "..." ends a YAML
                                                               * document */
}

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

static void write_double_quoted(FILE *to, const char *text, size_t length)
{
    const uint8_t *bytes = (const uint8_t *)text;
    fputc('"', to);
    for (size_t i = 0; i < length;) {
        bool valid;
        size_t size = utf8_sequence(bytes + i, length - i, &valid);
        uint32_t character = valid ? utf8_decode(bytes + i, size) : 0xfffd;
        if (!valid)
            size = 1;
        if (character == '"' || character == '\\')
            fprintf(to, "\\%c", (int)character);
        else if (!valid || yaml_text_hides(character))
            fprintf(to, "\\U%08lX", (unsigned long)character);
        else
            fwrite(bytes + i, 1, size, to);
        i += size;
    }
    fputc('"', to);
}

bool yaml_text_hides(uint32_t character)
{
    return control_character_is(character) || character == 0x2028 || character == 0x2029 ||
           character == 0xfeff || (character & 0xfffe) == 0xfffe;
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
