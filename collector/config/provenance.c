#include "collector/config/provenance.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/config/option_table.h"
#include "collector/text/copy.h"

/* --- texts ------------------------------------------------------------------------------------ */

static bool provenance_reserve(void **array, size_t *capacity, size_t needed, size_t size)
{
    if (needed <= *capacity)
        return true;
    size_t wanted = needed > 2 * *capacity ? needed : 2 * *capacity;
    void *grown = realloc(*array, wanted * size);
    if (grown == NULL)
        return false;
    *array = grown;
    *capacity = wanted;
    return true;
}

bool provenance_text_put(struct provenance_text *text, const char *bytes, size_t length)
{
    void *data = text->data;
    if (!provenance_reserve(&data, &text->capacity, text->length + length + 1, 1))
        return false;
    text->data = data;
    if (length != 0)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
    return true;
}

static bool add_span(struct provenance_text *text, struct provenance_span span)
{
    void *spans = text->spans;
    RULE(text->span_count == 0 || text->spans[text->span_count - 1].at <= span.at,
         "spans of a text are in order");
    if (!provenance_reserve(&spans, &text->span_capacity, text->span_count + 1,
                            sizeof *text->spans))
        return false;
    text->spans = spans;
    text->spans[text->span_count++] = span;
    return true;
}

bool provenance_text_put_marked(struct provenance_text *text, const char *bytes, size_t length,
                                struct provenance_mark mark, bool exact)
{
    return add_span(text, (struct provenance_span){text->length, mark, exact}) &&
           provenance_text_put(text, bytes, length);
}

bool provenance_text_append(struct provenance_text *text, const struct provenance_text *more)
{
    size_t before = text->length;
    for (size_t i = 0; i < more->span_count; i++) {
        struct provenance_span span = more->spans[i];
        span.at += before;
        if (!add_span(text, span))
            return false;
    }
    return more->length == 0 || provenance_text_put(text, more->data, more->length);
}

/* Returns the number of UTF-8 characters in the text. */
static size_t characters(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

struct provenance_mark provenance_text_mark(const struct provenance_text *text, size_t at)
{
    const struct provenance_span *found = NULL;
    if (text->span_count == 0)
        return (struct provenance_mark){0, 0};
    for (size_t i = 0; i < text->span_count && text->spans[i].at <= at; i++)
        found = &text->spans[i];
    if (found == NULL)
        return text->spans[0].mark;
    struct provenance_mark mark = found->mark;
    if (found->exact && at <= text->length)
        mark.column += characters(text->data + found->at, at - found->at);
    return mark;
}

void provenance_text_free(struct provenance_text *text)
{
    free(text->data);
    free(text->spans);
    *text = (struct provenance_text){0};
}

/* --- entries ---------------------------------------------------------------------------------- */

const struct provenance_entry *provenance_add(struct provenance *provenance,
                                              const struct option *option, enum provenance_kind by,
                                              struct provenance_text *text)
{
    RULE(by != PROVENANCE_FILE || provenance->file_count != 0,
         "the file of an entry is added first");
    struct provenance_entry *grown =
        realloc(provenance->entries, (provenance->count + 1) * sizeof *provenance->entries);
    if (grown == NULL)
        return NULL;
    provenance->entries = grown;
    size_t file = by == PROVENANCE_FILE ? provenance->file_count - 1 : 0;
    grown[provenance->count] = (struct provenance_entry){option, by, file, *text};
    *text = (struct provenance_text){0};
    return &grown[provenance->count++];
}

bool provenance_add_file(struct provenance *provenance, const char *path)
{
    char **grown =
        realloc(provenance->files, (provenance->file_count + 1) * sizeof *provenance->files);
    if (grown == NULL)
        return false;
    provenance->files = grown;
    grown[provenance->file_count] = text_copy_all(path);
    if (grown[provenance->file_count] == NULL)
        return false;
    provenance->file_count++;
    return true;
}

void provenance_free(struct provenance *provenance)
{
    if (provenance == NULL)
        return;
    for (size_t i = 0; i < provenance->count; i++)
        provenance_text_free(&provenance->entries[i].text);
    free(provenance->entries);
    for (size_t i = 0; i < provenance->file_count; i++)
        free(provenance->files[i]);
    free(provenance->files);
    *provenance = (struct provenance){0};
}

void provenance_variable(const struct option *option, char *name)
{
    int length = snprintf(name, PROVENANCE_VARIABLE_SIZE, "SLUICE_%s", option->setting.name);
    for (int i = 0; i < length && name[i] != '\0'; i++) {
        if (name[i] >= 'a' && name[i] <= 'z')
            name[i] = (char)(name[i] - 'a' + 'A');
        else if (name[i] == '-')
            name[i] = '_';
    }
}
