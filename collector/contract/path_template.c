#include "collector/contract/path_template.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/contract/path_template_pieces.h"
#include "collector/platform/file_path.h"
#include "collector/text/calendar.h"
#include "collector/text/decimal.h"
#include "collector/text/output.h"

#define NS_PER_S INT64_C(1000000000)

static const struct value_field {
    const char *text;
    enum path_piece_kind kind;
} value_fields[] = {
    {"%{source}", PIECE_SOURCE},
    {"%{listener}", PIECE_LISTENER},
    {"%{schema}", PIECE_SCHEMA},
};

/* --- parse ------------------------------------------------------------------------------------ */

struct parser {
    const char *text;
    size_t at;
    struct path_template *path;
    size_t longest;     /* bytes that the path can have so far, at most */
    size_t name_at;     /* where the folder's or file's name began that is being read */
    bool only_dots;     /* and so far it is empty or made of dots only */
    size_t open_value;  /* where the last value is that an end is yet to be found for */
    bool value_is_open; /* there is one */
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

/* Counts what a piece adds to the path. */
static bool lengthen(struct parser *parser, size_t size)
{
    parser->longest += size;
    if (parser->longest >= PATH_TEMPLATE_SIZE)
        return wrong(parser, parser->at, "the path can become longer than 1023 bytes");
    return true;
}

/* A name after the first field is one that a walk through the folders finds. */
static bool end_name(struct parser *parser)
{
    if (parser->only_dots && has_fields(parser->path))
        return wrong(parser, parser->name_at,
                     "behind a field each folder and the file need a name, of more than dots");
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
                 "there is no such value; there are %{source}, %{listener} and %{schema}");
}

/* What begins with a percent sign. */
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
                     "%{source}, %{listener} and %{schema}, and %% is a percent sign");
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
                     "behind a value must come more than digits and dots, such as \".ndjson\": its "
                     "end is to be told from the number of a rotated file");
    return end_name(parser);
}

/* Where the literal beginning ends: its folder, and how many folders deep the rest goes. */
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

/* Bytes of the dot and the letters that a name ends in; 0: it ends otherwise. */
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
 * Bytes of the extension that a file's name ends in: ".ndjson", or ".ndjson.zst". A name that is
 * nothing else has none, unless a field stands before it.
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

/* The name of the file, as far as it stands after the last field. */
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

/* The value that nothing but digits, dots and fields of time stand after, up to the number. */
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

/* Puts the place of the number before the extension. */
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

void path_template_free(struct path_template *path)
{
    free(path);
}

/* --- what it is like -------------------------------------------------------------------------- */

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

/* Rounded down, also below zero. */
static int64_t divide(int64_t dividend, int64_t divisor)
{
    return dividend / divisor - (dividend % divisor < 0);
}

int64_t path_template_step(const struct path_template *path, int64_t time_ns)
{
    return path->finest_ns != 0 ? divide(time_ns, path->finest_ns) : 0;
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

/* --- numbers ---------------------------------------------------------------------------------- */

bool path_template_numbered(const struct path_template *path, const char *bare, uint32_t number,
                            char *out, size_t size)
{
    size_t stem = strlen(bare) - path->extension;
    int used;
    if (number == 0)
        used = snprintf(out, size, "%s", bare);
    else
        used = snprintf(out, size, "%.*s.%" PRIu32 "%s", (int)stem, bare, number, bare + stem);
    return used >= 0 && (size_t)used < size;
}

/* The number that stands at the beginning of `text`, before `rest`; 0: it is not so. */
static uint32_t number_before(const char *text, const char *rest)
{
    char digits[sizeof ".999999999"];
    size_t size = strlen(text);
    size_t rest_size = strlen(rest);
    if (size < rest_size || size - rest_size >= sizeof digits ||
        !file_path_same(text + (size - rest_size), rest))
        return 0;
    memcpy(digits, text, size - rest_size);
    digits[size - rest_size] = '\0';
    return path_number(digits);
}

int64_t path_template_number_of(const struct path_template *path, const char *bare,
                                const char *name)
{
    size_t size = strlen(bare);
    size_t stem = size - path->extension;
    if (file_path_same(name, bare))
        return 0;
    if (!file_path_begins(name, bare, stem))
        return -1;
    uint32_t number = number_before(name + stem, bare + stem);
    if (number == 0 && file_path_begins(name + stem, bare + stem, path->extension))
        number = path_number(name + size);
    return number != 0 ? (int64_t)number : -1;
}

/* --- expand ----------------------------------------------------------------------------------- */

/* A moment, made of its fields. */
struct moment {
    uint32_t fields[PIECE_KINDS];
    uint64_t seconds;
};

static void take_apart(int64_t time_ns, struct moment *moment)
{
    int64_t seconds = divide(time_ns, NS_PER_S);
    int64_t days = divide(seconds, 86400);
    uint32_t of_day = (uint32_t)(seconds - days * 86400);
    struct calendar_date date = calendar_date_of((uint32_t)(days + CALENDAR_DAYS_BEFORE_1970));
    moment->seconds = seconds < 0 ? 0 : (uint64_t)seconds;
    moment->fields[PIECE_YEAR] = date.year;
    moment->fields[PIECE_YEAR_OF_CENTURY] = date.year % 100;
    moment->fields[PIECE_MONTH] = date.month;
    moment->fields[PIECE_DAY] = date.day;
    moment->fields[PIECE_DAY_OF_YEAR] = date.of_year;
    moment->fields[PIECE_HOUR] = of_day / 3600;
    moment->fields[PIECE_MINUTE] = of_day / 60 % 60;
    moment->fields[PIECE_SECOND] = of_day % 60;
}

/* A path in the making. */
struct expansion {
    struct output out;
    size_t name_at;  /* where the folder's or file's name begins that is being written */
    size_t value_at; /* where the first value in that does; NO_VALUE: it has none so far */
};

#define NO_VALUE SIZE_MAX

static void put_time(struct output *out, const struct moment *moment, enum path_piece_kind kind)
{
    char text[20]; /* of the longest uint64_t */
    if (kind == PIECE_SECONDS) {
        output_bytes(out, text, decimal_uint64(moment->seconds, text));
        return;
    }
    size_t digits = path_time_fields[kind].digits;
    uint32_t value = moment->fields[kind];
    for (size_t i = digits; i-- > 0; value /= 10)
        text[i] = (char)('0' + value % 10);
    output_bytes(out, text, digits);
}

/* A dot that digits alone follow becomes '_', unless they end an address. */
static void give_end(char *value, size_t size)
{
    if (path_value_has_end(value, size))
        return;
    while (value[size - 1] != '.')
        size--;
    value[size - 1] = '_';
}

/* Where a value stands, as far as that decides how it is written. */
enum value_place {
    VALUE_WITHIN,
    VALUE_LAST, /* its folder's name ends with it */
    VALUE_OPEN, /* the number may follow: path_value_has_end */
};

static void put_value(struct expansion *made, const char *value, enum value_place place)
{
    struct output *out = &made->out;
    if (value[0] == '\0')
        value = "_";
    size_t size = strlen(value);
    if (size > PATH_VALUE_MAX)
        size = PATH_VALUE_MAX;
    bool no_dot = path_only_dots_before(out->data, out->used);
    if (made->value_at == NO_VALUE)
        made->value_at = out->used;
    char *at = output_reserve(out, size);
    if (at == NULL)
        return;
    for (size_t i = 0; i < size; i++)
        at[i] = path_byte_is_safe(value[i]) ? value[i] : '_';
    if (no_dot && at[0] == '.')
        at[0] = '_';
    if (place == VALUE_LAST && at[size - 1] == '.')
        at[size - 1] = '_';
    if (place == VALUE_OPEN)
        give_end(at, size);
}

/* What a value has made the name of a device is no longer one. */
static void end_expanded_name(struct expansion *made)
{
    const struct output *out = &made->out;
    if (made->value_at != NO_VALUE && !out->overflow &&
        file_path_is_device(out->data + made->name_at, out->used - made->name_at))
        out->data[made->value_at] = '_';
    made->value_at = NO_VALUE;
}

static void put_literal(struct expansion *made, const char *text, size_t size)
{
    const char *slash;
    while ((slash = memchr(text, '/', size)) != NULL) {
        size_t name = (size_t)(slash - text);
        output_bytes(&made->out, text, name);
        end_expanded_name(made);
        output_char(&made->out, '/');
        made->name_at = made->out.used;
        text += name + 1;
        size -= name + 1;
    }
    output_bytes(&made->out, text, size);
}

/* Of the value at this index. The place of the number comes after each. */
static enum value_place place_of(const struct path_template *path, size_t index)
{
    const struct path_piece *next = &path->pieces[index + 1];
    if (index == path->open_value)
        return VALUE_OPEN;
    bool last = next->kind == PIECE_LITERAL && path->literals[next->at] == '/';
    return last ? VALUE_LAST : VALUE_WITHIN;
}

/* The values as texts, by their fields' kinds. */
static size_t expand(const struct path_template *path, int64_t time_ns,
                     const char *const values[PIECE_KINDS], char *text, size_t size)
{
    struct expansion made = {.out = {.data = text, .capacity = size}, .value_at = NO_VALUE};
    struct moment moment = {{0}, 0};
    if (path->finest_ns != 0)
        take_apart(time_ns, &moment);
    for (size_t i = 0; i < path->piece_count; i++) {
        const struct path_piece *piece = &path->pieces[i];
        if (piece->kind == PIECE_LITERAL)
            put_literal(&made, path->literals + piece->at, piece->size);
        else if (path_piece_is_time(piece->kind))
            put_time(&made.out, &moment, piece->kind);
        else if (path_piece_is_value(piece->kind))
            put_value(&made, values[piece->kind], place_of(path, i));
    }
    end_expanded_name(&made);
    output_char(&made.out, '\0');
    return made.out.overflow ? 0 : made.out.used - 1;
}

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

size_t path_template_expand(const struct path_template *path, const struct path_values *values,
                            char *out, size_t size)
{
    char source[ADDRESS_TEXT_SIZE] = "";
    if (values->source != NULL)
        address_format_host(values->source, source);
    const char *const texts[PIECE_KINDS] = {
        [PIECE_SOURCE] = source,
        [PIECE_LISTENER] = or_empty(values->listener),
        [PIECE_SCHEMA] = or_empty(values->schema),
    };
    return expand(path, values->time_ns, texts, out, size);
}

size_t path_template_expand_other(const struct path_template *path, int64_t time_ns, char *out,
                                  size_t size)
{
    static const char *const others[PIECE_KINDS] = {
        [PIECE_SOURCE] = "other", [PIECE_LISTENER] = "other", [PIECE_SCHEMA] = "other"};
    return expand(path, time_ns, others, out, size);
}
