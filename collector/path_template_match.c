/*
 * Paths matched against a template, without backtracking: for each piece, from the last to the
 * first, the set of places in the path from which the rest of the template fits the rest of the
 * path. A walk from the front then never goes wrong.
 */
#include <string.h>

#include "collector/file_path.h"
#include "collector/path_template.h"
#include "collector/path_template_pieces.h"

#define NUMBER_DIGITS 9 /* of PATH_NUMBER_MAX */

/* The longest path with ".N" behind it. */
#define LONGEST (PATH_TEMPLATE_SIZE - 1 + 1 + NUMBER_DIGITS)

/* Places in a path, from before its first byte to behind its last. */
struct places {
    uint64_t bits[LONGEST / 64 + 1];
};

static void add_place(struct places *places, size_t at)
{
    places->bits[at / 64] |= UINT64_C(1) << at % 64;
}

static bool has_place(const struct places *places, size_t at)
{
    return (places->bits[at / 64] >> at % 64 & 1) != 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The lengths that a piece can have at some place; none where the least is above the most. */
struct lengths {
    size_t least;
    size_t most;
};

static const struct lengths no_length = {1, 0};

/* Below, `path` ends in a NUL, which is of no piece: nothing is read behind it. */

static struct lengths time_lengths(const struct path_time_field *field, const char *path)
{
    uint32_t value = 0;
    for (size_t i = 0; i < field->digits; i++) {
        if (!is_digit(path[i]))
            return no_length;
        value = value * 10 + (uint32_t)(path[i] - '0');
    }
    bool in_range = value >= field->least && value <= field->most;
    return in_range ? (struct lengths){field->digits, field->digits} : no_length;
}

static struct lengths seconds_lengths(const char *path)
{
    struct lengths lengths = {1, 0};
    while (lengths.most < PATH_SECONDS_MAX_DIGITS && is_digit(path[lengths.most]))
        lengths.most++;
    if (path[0] == '0')
        lengths.most = 1;
    return lengths;
}

static struct lengths value_lengths(const char *path, size_t at)
{
    struct lengths lengths = {1, 0};
    if (path[at] == '.' && path_only_dots_before(path, at))
        return no_length;
    while (lengths.most < PATH_VALUE_MAX && path_byte_is_safe(path[at + lengths.most]))
        lengths.most++;
    return lengths;
}

static struct lengths lengths_at(const struct path_template *template,
                                 const struct path_piece *piece, const char *path, size_t at)
{
    if (path_piece_is_value(piece->kind))
        return value_lengths(path, at);
    if (piece->kind == PIECE_SECONDS)
        return seconds_lengths(path + at);
    if (path_piece_is_time(piece->kind))
        return time_lengths(&path_time_fields[piece->kind], path + at);
    bool same = file_path_begins(path + at, template->literals + piece->at, piece->size);
    return same ? (struct lengths){piece->size, piece->size} : no_length;
}

/* The least length with which the piece leads from `at` to one of `places`; 0: none does. */
static size_t length_to(const struct path_template *template, const struct path_piece *piece,
                        const char *path, size_t at, const struct places *places)
{
    struct lengths lengths = lengths_at(template, piece, path, at);
    for (size_t length = lengths.least; length <= lengths.most; length++)
        if (has_place(places, at + length))
            return length;
    return 0;
}

uint32_t path_number(const char *text)
{
    uint32_t number = 0;
    size_t digits = 0;
    if (text[0] != '.' || text[1] == '0')
        return 0;
    while (digits <= NUMBER_DIGITS && is_digit(text[1 + digits]))
        if (++digits <= NUMBER_DIGITS)
            number = number * 10 + (uint32_t)(text[digits] - '0');
    return digits <= NUMBER_DIGITS && text[1 + digits] == '\0' ? number : 0;
}

/* Where the expansion may end: before a number, or at the end of the path. */
static void find_ends(const char *path, size_t size, struct places *ends)
{
    const char *dot = strrchr(path, '.');
    add_place(ends, size);
    if (dot != NULL && path_number(dot) != 0)
        add_place(ends, (size_t)(dot - path));
}

/* Walks from the front to the end of the expansion, which is returned, and writes the key. */
static size_t walk(const struct path_template *template, const char *path,
                   const struct places *places, char *key)
{
    size_t at = 0;
    size_t used = 0;
    for (size_t i = 0; i < template->piece_count; i++) {
        const struct path_piece *piece = &template->pieces[i];
        size_t length = length_to(template, piece, path, at, &places[i + 1]);
        if (path_piece_is_time(piece->kind)) {
            key[used++] = '*';
        } else {
            memcpy(key + used, path + at, length);
            used += length;
        }
        at += length;
    }
    key[used] = '\0';
    return at;
}

bool path_template_match(const struct path_template *template, const char *path,
                         struct path_match *match)
{
    const char *end = memchr(path, '\0', LONGEST + 1);
    if (end == NULL)
        return false;
    size_t size = (size_t)(end - path);
    struct places places[PATH_PIECES_MAX + 1] = {{{0}}}; /* [i]: from where piece i on fits */
    find_ends(path, size, &places[template->piece_count]);
    for (size_t i = template->piece_count; i-- > 0;)
        for (size_t at = 0; at < size; at++)
            if (length_to(template, &template->pieces[i], path, at, &places[i + 1]) != 0)
                add_place(&places[i], at);
    if (!has_place(&places[0], 0))
        return false;
    match->number = path_number(path + walk(template, path, places, match->key));
    return true;
}
