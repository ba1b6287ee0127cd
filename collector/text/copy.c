#include "collector/text/copy.h"

#include <stdlib.h>
#include <string.h>

char *text_copy(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *text_copy_all(const char *text)
{
    return text_copy(text, strlen(text));
}

size_t text_move(const char **text, char *to, size_t at)
{
    size_t size = strlen(*text) + 1;
    if (to != NULL)
        *text = memcpy(to + at, *text, size);
    return size;
}
