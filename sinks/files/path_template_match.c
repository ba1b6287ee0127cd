/*
 * Matches paths against a template without backtracking. For each piece, from the last to the
 * first, it computes the positions in the path from which the rest of the template matches the rest
 * of the path. A walk from the front then always succeeds.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "collector/text/digit.h"
#include "sinks/files/path_template.h"
#include "sinks/files/path_template_pieces.h"

/* The maximum size of a path that can match, with its ".N". */
#define LONGEST (PATH_TEMPLATE_SIZE - 1 + 1 + PATH_NUMBER_DIGITS)

/* A set of positions in a path, from before its first byte to after its last. */
struct positions {
    uint64_t bits[LONGEST / 64 + 1];
};

static void add_position(struct positions *positions, size_t at)
{
    positions->bits[at / 64] |= UINT64_C(1) << at % 64;
}

static bool has_position(const struct positions *positions, size_t at)
{
    return (positions->bits[at / 64] >> at % 64 & 1) != 0;
}

/* The possible lengths of a piece at a position; none if `least` > `most`. */
struct lengths {
    size_t least;
    size_t most;
};

static const struct lengths no_length = {1, 0};

/*
 * In the functions below, `path` ends with a NUL. No piece matches a NUL, so later bytes are not
 * read.
 */

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

static size_t number_size(const char *path)
{
    char text[1 + PATH_NUMBER_DIGITS + 1] = {path[0]};
    size_t size = 1;
    for (; path[0] == '.' && size <= PATH_NUMBER_DIGITS && is_digit(path[size]); size++)
        text[size] = path[size];
    return path_number(text) != 0 ? size : 0;
}

struct reading {
    const struct path_template *template;
    const char *path;
    /* size of the part for the pieces: the whole path, or the part before a number */
    size_t size;
    /*
     * an earlier version's form: the number is at the end and not a piece, and values may end
     * anywhere
     */
    bool old;
    uint32_t number;  /* the number found, or 0 */
    size_t number_at; /* position of its dot */
    /* [i]: positions from which piece i and the following ones match */
    struct positions positions[PATH_PIECES_SIZE + 1];
};

#define NO_LENGTH SIZE_MAX

/*
 * Returns the minimum length of the number (0: no number) after which the remaining pieces match,
 * or NO_LENGTH.
 */
static size_t number_length_to(const struct reading *reading, size_t at,
                               const struct positions *positions)
{
    size_t size = reading->old ? 0 : number_size(reading->path + at);
    if (has_position(positions, at))
        return 0;
    return size != 0 && has_position(positions, at + size) ? size : NO_LENGTH;
}

/*
 * Returns the minimum length of the piece at `at` after which the following pieces match, or
 * NO_LENGTH.
 */
static size_t length_to(const struct reading *reading, size_t index, size_t at)
{
    const struct path_template *template = reading->template;
    const struct path_piece *piece = &template->pieces[index];
    const struct positions *positions = &reading->positions[index + 1];
    if (piece->kind == PIECE_NUMBER)
        return number_length_to(reading, at, positions);
    bool open = index == template->open_value && !reading->old;
    struct lengths lengths = lengths_at(template, piece, reading->path, at);
    for (size_t length = lengths.least; length <= lengths.most; length++)
        if (has_position(positions, at + length) &&
            (!open || path_value_has_end(reading->path + at, length)))
            return length;
    return NO_LENGTH;
}

static void walk(struct reading *reading, char *key)
{
    const struct path_template *template = reading->template;
    const char *path = reading->path;
    size_t at = 0;
    size_t used = 0;
    for (size_t i = 0; i < template->piece_count; i++) {
        enum path_piece_kind kind = template->pieces[i].kind;
        size_t length = length_to(reading, i, at);
        if (path_piece_is_time(kind)) {
            key[used++] = '*';
        } else if (kind != PIECE_NUMBER) {
            memcpy(key + used, path + at, length);
            used += length;
        } else if (length != 0) {
            reading->number_at = at;
            reading->number = (uint32_t)strtoul(path + at + 1, NULL, 10);
        }
        at += length;
    }
    key[used] = '\0';
}

/* Returns true if the pieces match the first `size` bytes of the path; then fills *match. */
static bool read_pieces(struct reading *reading, struct path_match *match)
{
    const struct path_template *template = reading->template;
    const size_t count = template->piece_count;
    memset(reading->positions, 0, (count + 1) * sizeof reading->positions[0]);
    add_position(&reading->positions[count], reading->size);
    for (size_t i = count; i-- > 0;)
        for (size_t at = 0; at <= reading->size; at++)
            if (length_to(reading, i, at) != NO_LENGTH)
                add_position(&reading->positions[i], at);
    if (!has_position(&reading->positions[0], 0))
        return false;
    walk(reading, match->key);
    match->number = reading->number;
    return true;
}

static void write_bare(const struct reading *reading, char *bare)
{
    size_t before = reading->number == 0 ? strlen(reading->path) : reading->number_at;
    size_t number = reading->number == 0 ? 0 : number_size(reading->path + before);
    memcpy(bare, reading->path, before);
    strcpy(bare + before, reading->path + before + number);
}

bool path_template_match(const struct path_template *template, const char *path,
                         struct path_match *match)
{
    struct reading reading = {.template = template, .path = path};
    const char *end = memchr(path, '\0', LONGEST + 1);
    if (end == NULL)
        return false;
    reading.size = (size_t)(end - path);
    bool found = read_pieces(&reading, match);
    const char *dot = strrchr(path, '.');
    if (!found && dot != NULL && path_number(dot) != 0) {
        reading.old = true;
        reading.size = (size_t)(dot - path);
        reading.number = path_number(dot);
        reading.number_at = reading.size;
        found = read_pieces(&reading, match);
    }
    if (found)
        write_bare(&reading, match->bare);
    return found;
}
