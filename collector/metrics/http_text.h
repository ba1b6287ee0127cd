/*
 * Compares and trims texts in the head of an HTTP request (RFC 9110, 5.6). Pure functions; any
 * thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_HTTP_TEXT_H
#define SLUICE_COLLECTOR_METRICS_HTTP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/text/ascii.h"
#include "collector/text/text.h"

static inline bool http_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Returns the text without blanks at its beginning and end. */
static inline struct text http_trimmed(struct text text)
{
    while (text.size != 0 && http_is_blank(*text.data)) {
        text.data++;
        text.size--;
    }
    while (text.size != 0 && http_is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

/* Returns true if the text is `name`, which is in lower case. Ignores the case of the text. */
static inline bool http_is_named(const struct text *text, const char *name)
{
    size_t i = 0;
    while (i < text->size && name[i] != '\0' && ascii_lower(text->data[i]) == name[i])
        i++;
    return i == text->size && name[i] == '\0';
}

#endif
