#include "tests/fuzz/own_file.h"

#include <stdlib.h>
#include <string.h>

#include "collector/text/utf8.h"
#include "sinks/encoders/delimited.h"
#include "sinks/sinks.h"
#include "tests/fuzz/target.h"
#include "tests/support/base/random_number.h"

/*
 * expect_padded tries PADDED longer forms of the message. Each has one more field, of fewer than
 * MOST_PAD bytes.
 */
#define PADDED   8
#define MOST_PAD 128

/* The tag of the field with the added bytes. No schema has a field with this number. */
static const uint8_t pad_tag = 15 << 3 | 2;

/*
 * Returns true if the bytes may be text: UTF-8 without control characters. The last character may
 * be incomplete.
 */
static bool is_text(const uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        bool valid;
        size_t length = utf8_sequence(bytes + at, size - at, &valid);
        if (bytes[at] < ' ' && strchr("\t\r\n", bytes[at]) == NULL)
            return false;
        if (!valid)
            return at + length == size;
        at += length;
    }
    return true;
}

/*
 * Returns a buffer of exactly this size, so that a sanitizer detects accesses beyond it. The caller
 * frees its data.
 */
static struct output room_of(size_t size)
{
    struct output file = {.data = malloc(size == 0 ? 1 : size), .capacity = size};
    if (file.data == NULL)
        abort();
    return file;
}

static void expect_whole(const struct encoder *encoder, const struct output *file)
{
    bool foreign = true;
    size_t whole = encoder->ops->whole((const uint8_t *)file->data, file->used, true, &foreign);
    EXPECT(whole == file->used && !foreign, "%s: %zu of %zu bytes of our own file are ours%s",
           encoder->ops->name, whole, file->used, foreign ? ", and it is foreign" : "");
}

/*
 * Checks that in a format of lines, the encoder recognises a complete line as its own and does not
 * refuse an incomplete one.
 */
static void expect_line(const struct encoder *encoder, const uint8_t *line, size_t size)
{
    if (encoder->ops->line == NULL || size == 0)
        return;
    bool whole = line[size - 1] == '\n' && size <= OUTPUT_LINE_LOOK;
    enum output_line found =
        encoder->ops->line(line, size < OUTPUT_LINE_LOOK ? size : OUTPUT_LINE_LOOK);
    EXPECT(whole ? found == OUTPUT_LINE_OWN : found != OUTPUT_LINE_FOREIGN,
           "%s: a line of our own of %zu bytes is foreign", encoder->ops->name, size);
}

static void expect_lines(const struct encoder *encoder, const struct output *file)
{
    const uint8_t *line = (const uint8_t *)file->data;
    for (size_t left = file->used; left != 0;) {
        const uint8_t *newline = memchr(line, '\n', left);
        size_t size = newline == NULL ? left : (size_t)(newline - line) + 1;
        expect_line(encoder, line, size);
        line += size;
        left -= size;
    }
}

static void expect_torn(const struct encoder *encoder, const struct output *file, size_t cut)
{
    bool foreign = true;
    struct output torn = room_of(cut);
    output_bytes(&torn, file->data, cut);
    const uint8_t *bytes = (const uint8_t *)torn.data;
    size_t whole = encoder->ops->whole(bytes, cut, true, &foreign);
    bool text = encoder->ops->binary && is_text(bytes, cut);
    EXPECT(whole <= cut && (!foreign || text), "%s: our own file, cut at %zu of %zu, is foreign",
           encoder->ops->name, cut, file->used);
    if (encoder->ops->line != NULL)
        expect_line(encoder, bytes + whole, cut - whole);
    free(torn.data);
}

/* Checks files with one message each: the record's message with one additional field. */
static void expect_padded(const struct encoder *encoder, const struct record *record)
{
    static const uint8_t pad[MOST_PAD];
    uint64_t state = record->size;
    for (unsigned i = 0; i < PADDED && record->size < UINT16_MAX - MOST_PAD - 2; i++) {
        uint8_t more = (uint8_t)next_below(&state, MOST_PAD);
        struct output message = room_of(record->size + 2 + more);
        struct output file = room_of(message.capacity + 10);
        output_bytes(&message, record->data, record->size);
        output_bytes(&message, &pad_tag, 1);
        output_bytes(&message, &more, 1);
        output_bytes(&message, pad, more);
        delimited_put(&file, message.data, message.used);
        expect_whole(encoder, &file);
        free(message.data);
        free(file.data);
    }
}

void expect_own_file(struct encoder *encoder, const struct record *record,
                     const struct output *records)
{
    if (encoder->ops->whole == NULL || records->used == 0)
        return;
    struct output file = room_of(records->used + ENCODER_HEAD_SIZE);
    if (encoder->ops->begin != NULL)
        encoder->ops->begin(encoder, &file);
    output_bytes(&file, records->data, records->used);
    expect_whole(encoder, &file);
    if (encoder->ops->line != NULL)
        expect_lines(encoder, &file);
    for (size_t cut = 1; cut < file.used; cut += 1 + file.used / 16)
        expect_torn(encoder, &file, cut);
    free(file.data);
    if (encoder->ops == &encoder_protobuf)
        expect_padded(encoder, record);
}
