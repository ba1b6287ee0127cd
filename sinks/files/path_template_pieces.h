/*
 * The parts of a path's template, private to the files that expand and match it.
 */
#ifndef SLUICE_SINKS_FILES_PATH_TEMPLATE_PIECES_H
#define SLUICE_SINKS_FILES_PATH_TEMPLATE_PIECES_H

#include "sinks/files/path_template.h"

enum path_piece_kind {
    PIECE_LITERAL,
    PIECE_NUMBER, /* the place where a number is inserted: one in each template, usually empty */
    PIECE_YEAR,
    PIECE_YEAR_OF_CENTURY,
    PIECE_MONTH,
    PIECE_DAY,
    PIECE_DAY_OF_YEAR,
    PIECE_HOUR,
    PIECE_MINUTE,
    PIECE_SECOND,
    PIECE_SECONDS, /* since 1970 */
    PIECE_SOURCE,
    PIECE_LISTENER,
    PIECE_SCHEMA,
    PIECE_SENDER,
    PIECE_KINDS,
};

/* The maximum number of digits of a %s, because times are an int64_t of nanoseconds. */
#define PATH_SECONDS_MAX_DIGITS 10

/* Digits of PATH_NUMBER_MAX. */
#define PATH_NUMBER_DIGITS 9

/*
 * A field of time. In PIECE_SECONDS `digits` is the most digits, and `least` and `most` are unused.
 */
struct path_time_field {
    char letter;
    uint8_t digits;
    uint16_t least;
    uint16_t most;
    int64_t step_ns; /* the time for which the field is constant, at most a day */
};

extern const struct path_time_field path_time_fields[PIECE_KINDS];

struct path_piece {
    enum path_piece_kind kind;
    size_t at;   /* of a literal: its offset in `literals` */
    size_t size; /* of a literal: its size */
};

/* Each field is a piece, and so is the text between two fields. %F makes five pieces. */
#define PATH_PIECES_MAX 64

/* The place of the number is a further piece, and it may divide a literal in two. */
#define PATH_PIECES_SIZE (PATH_PIECES_MAX + 2)

struct path_template {
    struct path_piece pieces[PATH_PIECES_SIZE];
    size_t piece_count;
    size_t open_value; /* index of the value for path_value_has_end; PATH_PIECES_SIZE: none */
    size_t extension;  /* bytes at the end of each path, after the place of the number */
    bool has_values;
    int64_t finest_ns;
    size_t depth;
    size_t literal_size;
    char literals[PATH_TEMPLATE_SIZE];
    char prefix[PATH_TEMPLATE_SIZE];
    char base[PATH_TEMPLATE_SIZE];
};

static inline bool path_piece_is_time(enum path_piece_kind kind)
{
    return kind >= PIECE_YEAR && kind <= PIECE_SECONDS;
}

static inline bool path_piece_is_value(enum path_piece_kind kind)
{
    return kind >= PIECE_SOURCE;
}

/* Returns whether this byte may be in a value in a path. */
static inline bool path_byte_is_safe(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

/* Whether the text has only decimal digits and dots. */
bool path_only_digits_and_dots(const char *text, size_t size);

/*
 * Returns whether the end of a value can be distinguished from a number that follows the value.
 * This is so if the value does not end with a dot and digits, or if the digits and dots at its end
 * have the form of an IPv4 address. A value that is separated from the number only by digits, dots
 * and fields of time ("%{source}.ndjson") is changed to have such an end.
 */
bool path_value_has_end(const char *value, size_t size);

/* Returns whether only dots are between the last '/' (or the beginning) and `at`. */
static inline bool path_only_dots_before(const char *path, size_t at)
{
    while (at != 0 && path[at - 1] == '.')
        at--;
    return at == 0 || path[at - 1] == '/';
}

#endif
