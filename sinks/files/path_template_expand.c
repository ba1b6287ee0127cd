/* Expands a template: paths for a time and values, and paths with numbers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/platform/file_system.h"
#include "collector/text/calendar.h"
#include "collector/text/decimal.h"
#include "collector/text/output.h"
#include "sinks/files/path_template.h"
#include "sinks/files/path_template_pieces.h"

#define NS_PER_S INT64_C(1000000000)

/* --- steps ------------------------------------------------------------------------------------ */

/* Rounds down, even negative numbers. */
static int64_t divide(int64_t dividend, int64_t divisor)
{
    return dividend / divisor - (dividend % divisor < 0);
}

int64_t path_template_step(const struct path_template *path, int64_t time_ns)
{
    return path->finest_ns != 0 ? divide(time_ns, path->finest_ns) : 0;
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

/* Returns N if `text` is ".N" followed by `rest`, otherwise 0. */
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

/* A time, divided into its fields. */
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

/* A path that is being written. */
struct expansion {
    struct output out;
    size_t name_at;  /* beginning of the current name of a folder or of the file */
    size_t value_at; /* position of the name's first value, or NO_VALUE */
};

#define NO_VALUE SIZE_MAX

static void put_time(struct output *out, const struct moment *moment, enum path_piece_kind kind)
{
    char text[20]; /* longest uint64_t */
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

/*
 * If a value ends with a dot and digits, changes the dot to '_', so that it does not look like a
 * file's number. Does not change an IPv4 address.
 */
static void give_end(char *value, size_t size)
{
    if (path_value_has_end(value, size))
        return;
    while (value[size - 1] != '.')
        size--;
    value[size - 1] = '_';
}

/* The place of a value in the path, which affects how it is written. */
enum value_place {
    VALUE_WITHIN,
    VALUE_LAST, /* the value ends the name of a folder */
    VALUE_OPEN, /* a number may follow the value (path_value_has_end) */
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

/* If the name that ends here is that of a device, changes the first byte of its first value. */
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

/*
 * Returns the place of the value at piece `index`. A next piece exists, because the number's piece
 * is after all values.
 */
static enum value_place path_expand_place_of(const struct path_template *path, size_t index)
{
    const struct path_piece *next = &path->pieces[index + 1];
    if (index == path->open_value)
        return VALUE_OPEN;
    bool last = next->kind == PIECE_LITERAL && path->literals[next->at] == '/';
    return last ? VALUE_LAST : VALUE_WITHIN;
}

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
            put_value(&made, values[piece->kind], path_expand_place_of(path, i));
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
        [PIECE_SENDER] = or_empty(values->sender),
    };
    return expand(path, values->time_ns, texts, out, size);
}

size_t path_template_expand_other(const struct path_template *path, int64_t time_ns, char *out,
                                  size_t size)
{
    static const char *const others[PIECE_KINDS] = {[PIECE_SOURCE] = "other",
                                                    [PIECE_LISTENER] = "other",
                                                    [PIECE_SCHEMA] = "other",
                                                    [PIECE_SENDER] = "other"};
    return expand(path, time_ns, others, out, size);
}
