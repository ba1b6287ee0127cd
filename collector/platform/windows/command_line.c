#include "collector/platform/windows/command_line.h"

#include <stdbool.h>
#include <stdlib.h>

#include "collector/platform/windows/text.h"

/*
 * Returns the most characters that an argument of `length` characters takes: if all are quotation
 * marks, each is escaped. Includes the marks around it, a blank and the NUL.
 */
static size_t most_characters(size_t length)
{
    return 2 * length + 4;
}

static wchar_t *put_repeated(wchar_t *to, wchar_t character, size_t count)
{
    while (count-- != 0)
        *to++ = character;
    return to;
}

/* The program's name is the text between two quotation marks, without escapes. */
static wchar_t *put_program(wchar_t *to, const wchar_t *name)
{
    *to++ = L'"';
    wcscpy(to, name);
    to += wcslen(name);
    *to++ = L'"';
    return to;
}

/*
 * Backslashes are only special before a quotation mark: there each pair of them means one, and a
 * remaining one makes the mark part of the text.
 */
static wchar_t *put_quoted(wchar_t *to, const wchar_t *text)
{
    *to++ = L'"';
    for (;;) {
        size_t backslashes = wcsspn(text, L"\\");
        text += backslashes;
        if (*text == L'\0') {
            to = put_repeated(to, L'\\', 2 * backslashes);
            break;
        }
        to = put_repeated(to, L'\\', *text == L'"' ? 2 * backslashes + 1 : backslashes);
        *to++ = *text++;
    }
    *to++ = L'"';
    return to;
}

static wchar_t *put_argument(wchar_t *to, const wchar_t *text)
{
    if (*text == L'\0' || wcspbrk(text, L" \t\n\v\"") != NULL)
        return put_quoted(to, text);
    wcscpy(to, text);
    return to + wcslen(text);
}

/* Appends one argument; false if memory is short or if it is not valid. */
static bool command_line_append(wchar_t **line, size_t *used, const char *argument)
{
    wchar_t *text = text_wide_copy(argument);
    size_t length = text == NULL ? 0 : wcslen(text);
    wchar_t *grown = realloc(*line, (*used + most_characters(length)) * sizeof *grown);
    if (grown != NULL)
        *line = grown;
    bool good = grown != NULL && text != NULL && (*used != 0 || wcschr(text, L'"') == NULL);
    if (good) {
        wchar_t *at = grown + *used;
        if (*used != 0)
            *at++ = L' ';
        at = *used == 0 ? put_program(at, text) : put_argument(at, text);
        *at = L'\0';
        *used = (size_t)(at - grown);
    }
    free(text);
    return good;
}

wchar_t *command_line_of(const char *const *arguments)
{
    wchar_t *line = NULL;
    size_t used = 0;
    for (; *arguments != NULL; arguments++)
        if (!command_line_append(&line, &used, *arguments)) {
            free(line);
            return NULL;
        }
    return line;
}
