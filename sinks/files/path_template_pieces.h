/* The pieces of a parsed path template. Private to the path_template files. */
#ifndef SLUICE_SINKS_FILES_PATH_TEMPLATE_PIECES_H
#define SLUICE_SINKS_FILES_PATH_TEMPLATE_PIECES_H

#include "sinks/files/path_template.h"

enum path_piece_kind {
    PIECE_LITERAL,
    PIECE_NUMBER, /* the place of the number: one in each template, usually empty */
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

/* The maximum number of digits of %s: times are an int64_t of nanoseconds. */
#define PATH_SECONDS_MAX_DIGITS 10

/* The number of digits of PATH_NUMBER_MAX. */
#define PATH_NUMBER_DIGITS 9

/* A field of time. For PIECE_SECONDS, `digits` is a maximum, and `least` and `most` are unused. */
struct path_time_field {
    char letter;
    uint8_t digits;
    uint16_t least;
    uint16_t most;
    int64_t step_ns; /* how long the field is constant, at most a day */
};

extern const struct path_time_field path_time_fields[PIECE_KINDS];

struct path_piece {
    enum path_piece_kind kind;
    size_t at;   /* literal: its offset in `literals` */
    size_t size; /* literal: its size */
};

/* Maximum number of fields and texts between them. %F makes five pieces. */
#define PATH_PIECES_MAX 64

/* Room for all pieces. The number's piece is one more, and may divide a literal in two. */
#define PATH_PIECES_SIZE (PATH_PIECES_MAX + 2)

struct path_template {
    struct path_piece pieces[PATH_PIECES_SIZE];
    size_t piece_count;
    /* index of the value that must have an end (path_value_has_end), or PATH_PIECES_SIZE */
    size_t open_value;
    size_t extension; /* size of the extension, which follows the number's piece */
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

/* Returns true if a value in a path may have this byte. */
static inline bool path_byte_is_safe(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

bool path_only_digits_and_dots(const char *text, size_t size);

/*
 * Returns true if the end of a value can be distinguished from a number that follows it: the value
 * does not end with a dot and digits, or it ends with an IPv4 address. A value of which only
 * digits, dots and fields of time separate it from the number ("%{source}.ndjson") is changed to
 * have such an end.
 */
bool path_value_has_end(const char *value, size_t size);

/* Returns true if only dots are between the last '/' (or the beginning) and `at`. */
static inline bool path_only_dots_before(const char *path, size_t at)
{
    while (at != 0 && path[at - 1] == '.')
        at--;
    return at == 0 || path[at - 1] == '/';
}

#endif
