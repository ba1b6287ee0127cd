#include "sinks/files/path_template.h"

#include <stdlib.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "sinks/files/path_template_pieces.h"

static const struct value_field {
    const char *text;
    enum path_piece_kind kind;
} value_fields[] = {
    {"%{source}", PIECE_SOURCE},
    {"%{listener}", PIECE_LISTENER},
    {"%{schema}", PIECE_SCHEMA},
    {"%{sender}", PIECE_SENDER},
};

/* --- parse ------------------------------------------------------------------------------------ */

struct parser {
    const char *text;
    size_t at;
    struct path_template *path;
    size_t longest;     /* maximum size of the path so far */
    size_t name_at;     /* beginning of the current name of a folder or of the file */
    bool only_dots;     /* the current name is empty or has only dots so far */
    size_t open_value;  /* position of the last value in the text, if `value_is_open` */
    bool value_is_open; /* only digits, dots and fields of time have followed the last value */
    size_t wrong_at;
    const char *why;
};

static bool wrong(struct parser *parser, size_t at, const char *why)
{
    parser->wrong_at = at;
    parser->why = why;
    return false;
}

static bool has_fields(const struct path_template *path)
{
    return path->has_values || path->finest_ns != 0;
}

static bool add_piece(struct parser *parser, enum path_piece_kind kind)
{
    struct path_template *path = parser->path;
    if (path->piece_count == PATH_PIECES_MAX)
        return wrong(parser, parser->at, "there are too many fields");
    path->pieces[path->piece_count++] = (struct path_piece){.kind = kind, .at = path->literal_size};
    return true;
}

static bool lengthen(struct parser *parser, size_t size)
{
    parser->longest += size;
    if (parser->longest >= PATH_TEMPLATE_SIZE)
        return wrong(parser, parser->at, "the path can become longer than 1023 bytes");
    return true;
}

/*
 * After the first field, a name must not be empty or have only dots, because a walk through the
 * folders could not find it.
 */
static bool end_name(struct parser *parser)
{
    if (parser->only_dots && has_fields(parser->path))
        return wrong(
            parser, parser->name_at,
            "after a field, the name of a folder or of the file must not be empty or only dots");
    return true;
}

static bool add_byte(struct parser *parser, char c)
{
    struct path_template *path = parser->path;
    bool goes_on =
        path->piece_count != 0 && path->pieces[path->piece_count - 1].kind == PIECE_LITERAL;
    if (!lengthen(parser, 1) || (!goes_on && !add_piece(parser, PIECE_LITERAL)) ||
        (c == '/' && !end_name(parser)))
        return false;
    path->pieces[path->piece_count - 1].size++;
    path->literals[path->literal_size++] = c;
    if (c != '.' && !(c >= '0' && c <= '9'))
        parser->value_is_open = false;
    parser->only_dots = c == '/' || (parser->only_dots && c == '.');
    if (c == '/')
        parser->name_at = parser->at + 1;
    return true;
}

static bool add_time(struct parser *parser, enum path_piece_kind kind)
{
    struct path_template *path = parser->path;
    int64_t step = path_time_fields[kind].step_ns;
    if (!lengthen(parser, path_time_fields[kind].digits) || !add_piece(parser, kind))
        return false;
    if (path->finest_ns == 0 || step < path->finest_ns)
        path->finest_ns = step;
    parser->only_dots = false;
    return true;
}

static bool add_value(struct parser *parser, enum path_piece_kind kind)
{
    if (!lengthen(parser, PATH_VALUE_MAX) || !add_piece(parser, kind))
        return false;
    parser->path->has_values = true;
    parser->value_is_open = true;
    parser->open_value = parser->at;
    parser->only_dots = false;
    return true;
}

static bool add_date(struct parser *parser)
{
    return add_time(parser, PIECE_YEAR) && add_byte(parser, '-') && add_time(parser, PIECE_MONTH) &&
           add_byte(parser, '-') && add_time(parser, PIECE_DAY);
}

static bool parse_value(struct parser *parser)
{
    const char *text = parser->text + parser->at;
    for (size_t i = 0; i < sizeof value_fields / sizeof value_fields[0]; i++) {
        size_t size = strlen(value_fields[i].text);
        if (strncmp(text, value_fields[i].text, size) != 0)
            continue;
        if (!add_value(parser, value_fields[i].kind))
            return false;
        parser->at += size;
        return true;
    }
    return wrong(parser, parser->at,
                 "there is no such value; a path may have %{source}, %{listener}, %{schema} "
                 "and %{sender}");
}

static bool parse_field(struct parser *parser)
{
    char letter = parser->text[parser->at + 1];
    if (letter == '{')
        return parse_value(parser);
    bool added = false;
    enum path_piece_kind kind = PIECE_YEAR;
    while (kind <= PIECE_SECONDS && path_time_fields[kind].letter != letter)
        kind++;
    if (kind <= PIECE_SECONDS)
        added = add_time(parser, kind);
    else if (letter == 'F')
        added = add_date(parser);
    else if (letter == '%')
        added = add_byte(parser, '%');
    else
        return wrong(parser, parser->at,
                     "there is no such field; there are %Y %m %d %H %M %S %y %j %F %s, "
                     "%{source}, %{listener}, %{schema} and %{sender}, and %% is a percent sign");
    parser->at += 2;
    return added;
}

static bool parse_all(struct parser *parser)
{
    size_t at;
    if (parser->text[0] == '\0')
        return wrong(parser, 0, "the path is missing");
    const char *fault = file_path_fault(parser->text, &at);
    if (fault != NULL)
        return wrong(parser, at, fault);
    while (parser->text[parser->at] != '\0') {
        char c = parser->text[parser->at];
        if (c == '%') {
            if (!parse_field(parser))
                return false;
        } else {
            if (!add_byte(parser, c))
                return false;
            parser->at++;
        }
    }
    if (parser->value_is_open)
        return wrong(parser, parser->open_value,
                     "a value at the end must be followed by more than digits and dots, such as "
                     "\".ndjson\", so that the number of a rotated file differs from it");
    return end_name(parser);
}

static void find_base(struct path_template *path)
{
    size_t size = path->pieces[0].kind == PIECE_LITERAL ? path->pieces[0].size : 0;
    while (size != 0 && path->literals[size - 1] != '/')
        size--;
    memcpy(path->prefix, path->literals, size);
    path->prefix[size] = '\0';
    for (size_t i = size; i < path->literal_size; i++)
        path->depth += path->literals[i] == '/';

    const size_t root = file_path_root(path->prefix);
    while (size > root && path->literals[size - 1] == '/')
        size--;
    memcpy(path->base, size != 0 ? path->literals : ".", size != 0 ? size : 1);
    path->base[size != 0 ? size : 1] = '\0';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns 0 if the name does not end with a dot and letters. */
static size_t suffix_size(const char *name, size_t size)
{
    size_t at = size;
    while (at != 0 && is_letter(name[at - 1]))
        at--;
    return at != 0 && at != size && name[at - 1] == '.' ? size - at + 1 : 0;
}

static bool is_of_compression(const char *suffix, size_t size)
{
    return (size == 3 && memcmp(suffix, ".gz", 3) == 0) ||
           (size == 4 && memcmp(suffix, ".zst", 4) == 0);
}

/*
 * Returns the size of a file name's extension, such as ".ndjson" or ".ndjson.zst". A name that is
 * only an extension has none, unless a field comes before it.
 */
static size_t extension_size(const char *name, size_t size, bool after_field)
{
    size_t last = suffix_size(name, size);
    size_t stem = size - last;
    if (last == 0 || (stem == 0 && !after_field))
        return 0;
    if (!is_of_compression(name + stem, last))
        return last;
    size_t inner = suffix_size(name, stem);
    return inner == 0 || (inner == stem && !after_field) ? last : inner + last;
}

/* Returns the size of the extension, which must be in the literal after the last field. */
static size_t find_extension(const struct path_template *path)
{
    const struct path_piece *last = &path->pieces[path->piece_count - 1];
    if (last->kind != PIECE_LITERAL)
        return 0;
    const char *text = path->literals + last->at;
    size_t name = last->size;
    while (name != 0 && text[name - 1] != '/')
        name--;
    return extension_size(text + name, last->size - name, name == 0 && path->piece_count != 1);
}

/*
 * Returns the index of the last value, if only digits, dots and fields of time are between it and
 * the number; otherwise PATH_PIECES_SIZE.
 */
static size_t find_open_value(const struct path_template *path)
{
    for (size_t i = path->piece_count; i-- > 0;) {
        const struct path_piece *piece = &path->pieces[i];
        if (path_piece_is_value(piece->kind))
            return i;
        if (piece->kind == PIECE_LITERAL &&
            !path_only_digits_and_dots(path->literals + piece->at, piece->size))
            break;
    }
    return PATH_PIECES_SIZE;
}

static void place_number(struct path_template *path)
{
    struct path_piece *pieces = path->pieces;
    size_t extension = find_extension(path);
    path->extension = extension;
    if (extension != 0)
        pieces[path->piece_count - 1].size -= extension;
    if (pieces[path->piece_count - 1].size == 0 &&
        pieces[path->piece_count - 1].kind == PIECE_LITERAL)
        path->piece_count--;
    path->open_value = find_open_value(path);
    pieces[path->piece_count++] = (struct path_piece){.kind = PIECE_NUMBER};
    if (extension != 0)
        pieces[path->piece_count++] = (struct path_piece){
            .kind = PIECE_LITERAL, .at = path->literal_size - extension, .size = extension};
}

bool path_template_parse(const char *text, struct path_template **out, size_t *wrong_at,
                         const char **why)
{
    struct parser parser = {.text = text, .only_dots = true};
    parser.path = calloc(1, sizeof *parser.path);
    if (parser.path == NULL)
        wrong(&parser, 0, NULL);
    else if (parse_all(&parser)) {
        find_base(parser.path);
        place_number(parser.path);
        *out = parser.path;
        return true;
    }
    free(parser.path);
    *wrong_at = parser.wrong_at;
    *why = parser.why;
    return false;
}

bool path_template_read(const char *text, struct path_fields *fields, size_t *wrong_at,
                        const char **why)
{
    struct path_template *path;
    if (!path_template_parse(text, &path, wrong_at, why))
        return false;
    *fields = (struct path_fields){.time = path->finest_ns != 0, .values = path->has_values};
    path_template_free(path);
    return true;
}

void path_template_free(struct path_template *path)
{
    free(path);
}

/* --- properties of a template ----------------------------------------------------------------- */

bool path_template_has_fields(const struct path_template *path)
{
    return has_fields(path);
}

bool path_template_has_time(const struct path_template *path)
{
    return path->finest_ns != 0;
}

bool path_template_has_values(const struct path_template *path)
{
    return path->has_values;
}

const char *path_template_base(const struct path_template *path)
{
    return path->base;
}

const char *path_template_prefix(const struct path_template *path)
{
    return path->prefix;
}

size_t path_template_depth(const struct path_template *path)
{
    return path->depth;
}
