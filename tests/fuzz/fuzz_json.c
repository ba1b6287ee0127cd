/*
 * Fuzzes the JSON reader.
 *
 * Fields of the envelope: 1 a text.
 *
 * For any bytes, each item must be inside the text, and the value of a string must not be longer
 * than its written form. If the text is UTF-8, Jansson must agree whether it is JSON. The items are
 * also written again as JSON, and Jansson must find the same value in both texts.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/text/json_reader.h"
#include "collector/text/json_writer.h"
#include "collector/text/utf8.h"
#include "tests/fuzz/envelope.h"
#include "tests/fuzz/readers/json.h"
#include "tests/fuzz/target.h"

enum { PART_TEXT = 1 };

#define LONGEST_WRITTEN 6 /* one byte is written as at most 6: \u001f */

static void check_within(const struct envelope_part *part, struct text text)
{
    const char *begin = (const char *)part->bytes;
    EXPECT(text.data == NULL || (text.data >= begin && text.size <= part->size &&
                                 (size_t)(text.data - begin) <= part->size - text.size),
           "it lies outside");
}

/* Appends the value of a string or name. */
static void write_meaning(struct output *out, struct text text)
{
    char *meaning = malloc(text.size + 1);
    if (meaning == NULL)
        abort();
    size_t size = json_text_copy(text, meaning, text.size + 1);
    EXPECT(size <= text.size && meaning[size] == '\0', "%zu bytes mean %zu", text.size, size);
    EXPECT(json_text_is(text, meaning) == (strlen(meaning) == size), "it is not what it means");
    json_string_after(out, '\0', meaning, size);
    free(meaning);
}

static void write_again(struct output *out, const struct json_reader *reader,
                        const struct json_item *item)
{
    if (item->type == JSON_END) {
        output_char(out, reader->ends[item->depth]);
        return;
    }
    if (out->used != 0 && memchr("[{", out->data[out->used - 1], 2) == NULL)
        output_char(out, ',');
    if (item->name.data != NULL) {
        write_meaning(out, item->name);
        output_char(out, ':');
    }
    if (item->type == JSON_STRING)
        write_meaning(out, item->text);
    else if (item->type == JSON_ARRAY || item->type == JSON_OBJECT)
        output_char(out, item->type == JSON_ARRAY ? '[' : '{');
    else
        output_bytes(out, item->text.data, item->text.size);
}

static void check_text(const struct envelope_part *part)
{
    struct json_reader reader;
    struct json_item item;
    struct output again = {.capacity = LONGEST_WRITTEN * part->size + 1};
    again.data = malloc(again.capacity);
    if (again.data == NULL)
        abort();
    json_reader_begin(&reader, (const char *)part->bytes, part->size);
    while (json_read(&reader, &item)) {
        check_within(part, item.name);
        check_within(part, item.text);
        EXPECT(item.depth + (item.type >= JSON_ARRAY) <= JSON_MAX_DEPTH, "it is too deep");
        write_again(&again, &reader, &item);
    }
    EXPECT(!again.overflow, "it became longer");
    check_within(part, (struct text){reader.at, 0});
    bool too_deep = reader.wrong != NULL && reader.depth == JSON_MAX_DEPTH;
    bool has_nul = memchr(part->bytes, '\0', part->size) != NULL; /* Jansson stops at a NUL */
    EXPECT(reader.wrong != NULL || !has_nul, "JSON has a NUL");
    if (utf8_valid(part->bytes, part->size) && !too_deep && !has_nul) {
        const struct text text = {(const char *)part->bytes, part->size};
        const char *differs =
            json_differs(text, reader.wrong, (struct text){again.data, again.used});
        EXPECT(differs == NULL, "%s", differs);
    }
    free(again.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct envelope envelope;
    envelope_read(&envelope, data, size);
    const struct envelope_part *text = envelope_bytes(&envelope, PART_TEXT, 0);
    if (text != NULL)
        check_text(text);
    envelope_free(&envelope);
    return 0;
}
