#include "collector/config/broker_keys.h"

#include <stdlib.h>
#include <string.h>

#define LABEL "label:"

static bool is(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(word, text, length) == 0;
}

/* --- key -------------------------------------------------------------------------------------- */

static bool read_label(const char *text, size_t length, struct key_options *key,
                       struct parse_error *fault)
{
    char *label = malloc(length + 1);
    if (label == NULL)
        return parse_error_no_memory(fault);
    memcpy(label, text, length);
    label[length] = '\0';
    *key = (struct key_options){KEY_LABEL, label};
    return true;
}

bool broker_keys_parse_key(const char *name, const char *text, size_t length, void *field,
                           struct parse_error *fault)
{
    static const char *const words[] = {
        [KEY_NONE] = "none", [KEY_SOURCE] = "source", [KEY_SERIES] = "series"};
    struct key_options *key = field;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (is(text, length, words[i])) {
            *key = (struct key_options){(enum key_kind)i, NULL};
            return true;
        }
    }
    const size_t prefix = sizeof LABEL - 1;
    if (length > prefix && memcmp(text, LABEL, prefix) == 0)
        return read_label(text + prefix, length - prefix, key, fault);
    char given[QUOTED_SIZE];
    return parse_error_set(fault, 0, "%s is %s; it can be none, source, series or label:NAME", name,
                           quoted(text, length, given));
}

/* --- headers ---------------------------------------------------------------------------------- */

bool broker_keys_parse_headers(const char *name, const char *text, size_t length, void *field,
                               struct parse_error *fault)
{
    unsigned *headers = field;
    *headers = 0;
    for (size_t at = 0;;) {
        const char *comma = memchr(text + at, ',', length - at);
        size_t size = comma == NULL ? length - at : (size_t)(comma - text) - at;
        unsigned bit = 0;
        while (message_header_names[bit] != NULL && !is(text + at, size, message_header_names[bit]))
            bit++;
        char given[QUOTED_SIZE];
        if (message_header_names[bit] == NULL)
            return parse_error_set(fault, at,
                                   "%s has no %s; there are schema, listener, collector and number",
                                   name, quoted(text + at, size, given));
        *headers |= 1U << bit;
        if (comma == NULL)
            return true;
        at += size + 1;
    }
}
