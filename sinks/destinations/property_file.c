#include "sinks/destinations/property_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/secure_clear.h"
#include "collector/platform/input_file.h"

/* --- the file --------------------------------------------------------------------------------- */

int property_file_load(const char *path, char *text, size_t size, struct error *error)
{
    struct error why;
    size_t length;
    if (input_load(path, text, size, &length, &why) != 0) {
        error_set(error, why.code == EXIT_CODE_BAD_INPUT ? EXIT_CODE_CONFIG : why.code, "%s",
                  why.text);
        return -1;
    }
    if (length == size) {
        error_set(error, EXIT_CODE_CONFIG, "%s has more than %zu bytes", path, size - 1);
        return -1;
    }
    text[length] = '\0';
    if (strlen(text) == length)
        return 0;
    error_set(error, EXIT_CODE_CONFIG, "%s has a NUL byte: it is not a text", path);
    return -1;
}

/* --- the file's lines ------------------------------------------------------------------------- */

static bool property_is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static char *trim(char *text)
{
    while (property_is_blank(*text))
        text++;
    size_t length = strlen(text);
    while (length != 0 && property_is_blank(text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

static int property_read_line(char *line, property_taker *take, void *context, struct error *error)
{
    line = trim(line);
    if (*line == '\0' || *line == '#')
        return 0;
    char *equals = strchr(line, '=');
    if (equals == NULL || equals == line) {
        error_set(error, EXIT_CODE_CONFIG, "this line is not NAME=VALUE");
        return -1;
    }
    *equals = '\0';
    return take(context, trim(line), trim(equals + 1), error);
}

int property_text_read(const char *path, char *text, property_taker *take, void *context,
                       struct error *error)
{
    size_t number = 1;
    for (char *at = text; at != NULL; number++) {
        char *end = strchr(at, '\n');
        if (end != NULL)
            *end = '\0';
        if (property_read_line(at, take, context, error) != 0) {
            char place[600];
            snprintf(place, sizeof place, "%s:%zu", path, number);
            error_place(error, place);
            return -1;
        }
        at = end == NULL ? NULL : end + 1;
    }
    return 0;
}

int property_file_read(const char *path, property_taker *take, void *context, struct error *error)
{
    char *text = malloc(PROPERTY_FILE_SIZE + 1);
    if (text == NULL)
        return error_no_memory(error);
    int result = property_file_load(path, text, PROPERTY_FILE_SIZE + 1, error);
    if (result == 0)
        result = property_text_read(path, text, take, context, error);
    secure_clear(text, PROPERTY_FILE_SIZE + 1); /* the file may contain passwords */
    free(text);
    return result;
}
