#include "collector/text/cell.h"

#include <stdio.h>

#include "collector/text/control_character.h"
#include "collector/text/escaped.h"
#include "collector/text/plain_text.h"
#include "collector/text/utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"

static const struct plain_rule printable = {0x20, {0x7f, 0x7f, 0x7f}};

struct range {
    uint32_t first, last;
};

static bool is_in(const struct range *ranges, size_t count, uint32_t character)
{
    for (size_t i = 0; i < count; i++)
        if (character >= ranges[i].first && character <= ranges[i].last)
            return true;
    return false;
}

/* Characters of width W or F (Unicode 16, EastAsianWidth.txt). Gaps between them are filled. */
static const struct range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23f3},
    {0x25fd, 0x27bf},   {0x2b1b, 0x2b55},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
    {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},
    {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x18dff},
    {0x1aff0, 0x1b2ff}, {0x1d300, 0x1d376}, {0x1f004, 0x1fbff}, {0x20000, 0x3fffd},
};

/*
 * Characters that are escaped: format characters (Cf) that change how a line is shown, and line
 * separators.
 */
static const struct range turning[] = {
    {0x061c, 0x061c}, {0x200e, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

size_t cell_columns(uint32_t character)
{
    return 1 + is_in(wide, sizeof wide / sizeof wide[0], character);
}

/* --- pieces of a text ------------------------------------------------------------------------- */

/* The output for one character, at most "\U000e0001". */
struct piece {
    char text[12];
    size_t size, columns;
};

static void escape(struct piece *piece, uint32_t character)
{
    static const char letters[] = {['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    const char *form = character < 0x100 ? "\\x%02x" : character < 0x10000 ? "\\u%04x" : "\\U%08x";
    int size = character < sizeof letters && letters[character] != 0
                   ? snprintf(piece->text, sizeof piece->text, "\\%c", letters[character])
                   : snprintf(piece->text, sizeof piece->text, form, (unsigned)character);
    piece->size = piece->columns = (size_t)size;
}

/* Returns the size of the first character of the bytes (size ≥ 1) in the input. */
static size_t next_piece(const uint8_t *bytes, size_t size, struct piece *piece)
{
    bool valid;
    size_t length = utf8_sequence(bytes, size, &valid);
    if (!valid) {
        *piece = (struct piece){.text = REPLACEMENT_CHARACTER, .size = 3, .columns = 1};
        return length;
    }
    uint32_t character = utf8_decode(bytes, length);
    if (control_character_is(character) ||
        is_in(turning, sizeof turning / sizeof turning[0], character)) {
        escape(piece, character);
        return length;
    }
    memcpy(piece->text, bytes, length);
    piece->size = length;
    piece->columns = cell_columns(character);
    return length;
}

/* --- a whole text ----------------------------------------------------------------------------- */

/* Returns the number of bytes of the text that fit in `most` columns. */
static size_t bytes_within(const uint8_t *bytes, size_t size, size_t most)
{
    size_t columns = 0;
    for (size_t at = 0; at < size;) {
        struct piece piece;
        size_t length = next_piece(bytes + at, size - at, &piece);
        columns += piece.columns;
        if (columns > most)
            return at;
        at += length;
    }
    return size;
}

static size_t put_pieces(struct output *out, const uint8_t *bytes, size_t size)
{
    size_t columns = 0;
    for (size_t at = 0; at < size;) {
        struct piece piece;
        at += next_piece(bytes + at, size - at, &piece);
        output_bytes(out, piece.text, piece.size);
        columns += piece.columns;
    }
    return columns;
}

/* A text of printable ASCII takes one column per byte, and is copied as a whole. */
size_t cell_put(struct output *out, const char *text, size_t size, size_t most, bool more)
{
    const uint8_t *bytes = (const uint8_t *)text;
    if (most == 0)
        return 0;
    bool ascii = plain_text_is(bytes, size < most ? size : most, printable);
    bool cut = more || (ascii ? size > most : bytes_within(bytes, size, most) != size);
    size_t columns;
    if (ascii) {
        columns = cut && size >= most ? most - 1 : size;
        output_bytes(out, bytes, columns);
    } else {
        columns = put_pieces(out, bytes, cut ? bytes_within(bytes, size, most - 1) : size);
    }
    if (cut)
        output_literal(out, ELLIPSIS);
    return columns + cut;
}
