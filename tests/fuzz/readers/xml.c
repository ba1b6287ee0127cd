#include "tests/fuzz/readers/xml.h"

#include <string.h>

#include "collector/text/utf8.h"
#include "tests/fuzz/readers/reading.h"

#define MOST_OPEN 16

static const char *const references[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

static bool pass_name(struct reading *reading)
{
    const char *begin = reading->at;
    while (reading->at != reading->end && is_name(*reading->at))
        reading->at++;
    return reading->at != begin && begin[0] > '9';
}

static bool pass_reference(struct reading *reading)
{
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++)
        if (reading_pass_word(reading, references[i]))
            return true;
    return false;
}

/* Skips characters and references up to `end`. */
static bool pass_text(struct reading *reading, char end)
{
    while (reading->at != reading->end && *reading->at != end && *reading->at != '<') {
        if (*reading->at != '&')
            reading->at++;
        else if (!pass_reference(reading))
            return false;
    }
    return true;
}

static void pass_space(struct reading *reading)
{
    while (reading_pass(reading, ' ') || reading_pass(reading, '\n'))
        ;
}

static const char *pass_attributes(struct reading *reading)
{
    reading_names_begin();
    while (reading_pass(reading, ' ')) {
        const char *name = reading->at;
        if (!pass_name(reading))
            return "an attribute without a name";
        if (!reading_name_is_new(name, (size_t)(reading->at - name)))
            return "an attribute twice";
        if (!reading_pass(reading, '=') || !reading_pass(reading, '"') ||
            !pass_text(reading, '"') || !reading_pass(reading, '"'))
            return "an attribute without its value";
    }
    return NULL;
}

/* The open elements. */
struct open {
    struct {
        const char *name;
        size_t size;
    } elements[MOST_OPEN];
    size_t count;
};

static const char *end_element(struct reading *reading, struct open *open)
{
    const char *name = reading->at;
    if (!pass_name(reading) || !reading_pass(reading, '>'))
        return "an end that has none";
    if (open->count == 0)
        return "an end without a beginning";
    size_t size = (size_t)(reading->at - name) - 1;
    open->count--;
    return size == open->elements[open->count].size &&
                   memcmp(name, open->elements[open->count].name, size) == 0
               ? NULL
               : "an end of another element";
}

static const char *begin_element(struct reading *reading, struct open *open)
{
    const char *name = reading->at;
    if (!pass_name(reading))
        return "an element without a name";
    size_t size = (size_t)(reading->at - name);
    const char *wrong = pass_attributes(reading);
    if (wrong != NULL)
        return wrong;
    if (reading_pass_word(reading, "/>"))
        return NULL;
    if (!reading_pass(reading, '>') || open->count == MOST_OPEN)
        return "an element that does not end";
    open->elements[open->count].name = name;
    open->elements[open->count++].size = size;
    return NULL;
}

/*
 * Returns false if the text has characters that XML does not allow: most controls, U+FFFE and
 * U+FFFF.
 */
static bool has_characters_only(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)text[i] < ' ' && text[i] != '\t' && text[i] != '\r' && text[i] != '\n')
            return false;
        if (size - i >= 3 && memcmp(text + i, "\xef\xbf", 2) == 0 && (text[i + 2] & 0xfe) == 0xbe)
            return false;
    }
    return utf8_valid(text, size);
}

const char *xml_wrong(const char *text, size_t size)
{
    struct reading reading = {text, text + size};
    struct open open = {.count = 0};
    if (!has_characters_only(text, size))
        return "a byte that is not a character of XML";
    if (!reading_pass_word(&reading, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"))
        return "no declaration";
    pass_space(&reading);
    do {
        if (!reading_pass(&reading, '<'))
            return "text outside of all elements";
        const char *wrong = reading_pass(&reading, '/') ? end_element(&reading, &open)
                                                        : begin_element(&reading, &open);
        if (wrong != NULL)
            return wrong;
        if (open.count != 0 && !pass_text(&reading, '<'))
            return "an ampersand that begins no reference";
    } while (open.count != 0);
    pass_space(&reading);
    return reading.at == reading.end ? NULL : "something after the document";
}
