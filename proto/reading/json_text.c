#include "proto/reading/json_text.h"

#include <stdint.h>
#include <string.h>

#include "collector/text/digit.h"
#include "collector/text/utf8.h"

struct parser {
    const char *text;
    const char *at;
    struct growing_arena *arena;
    struct error *error;
    unsigned depth;
};

/* --- errors and memory ------------------------------------------------------------------------ */

void json_text_place(const char *text, const char *at, unsigned *line, unsigned *column)
{
    const char *begin = text;
    *line = 1;
    for (const char *each = text; each < at; each++)
        if (*each == '\n') {
            ++*line;
            begin = each + 1;
        }
    *column = (unsigned)(at - begin) + 1;
}

static void *refuse(const struct parser *parser, const char *at, const char *why)
{
    unsigned line;
    unsigned column;
    json_text_place(parser->text, at, &line, &column);
    error_set(parser->error, EXIT_CODE_USAGE, "line %u, column %u: %s", line, column, why);
    return NULL;
}

static void *take(const struct parser *parser, size_t count, size_t size)
{
    void *memory = growing_arena_allocate(parser->arena, count, size);
    if (memory == NULL)
        error_no_memory(parser->error);
    return memory;
}

static struct json_node *make_node(const struct parser *parser, enum json_type type)
{
    struct json_node *node = take(parser, 1, sizeof *node);
    if (node == NULL)
        return NULL;
    *node = (struct json_node){.type = type, .at = parser->at};
    return node;
}

/* --- numbers and words ------------------------------------------------------------------------ */

/* The end of a run of digits, or NULL where there is none. */
static const char *after_digits(const char *at)
{
    if (!is_digit(*at))
        return NULL;
    while (is_digit(*at))
        at++;
    return at;
}

/* The end of the number that begins here, or NULL. */
static const char *after_number(const char *at, bool *is_whole)
{
    if (*at == '-')
        at++;
    const char *digits = at;
    at = after_digits(at);
    if (at == NULL || (digits[0] == '0' && at - digits > 1))
        return NULL;
    *is_whole = true;
    if (*at == '.') {
        *is_whole = false;
        at = after_digits(at + 1);
    }
    if (at != NULL && (*at == 'e' || *at == 'E')) {
        *is_whole = false;
        at++;
        at = after_digits(at + (*at == '+' || *at == '-'));
    }
    return at;
}

bool json_text_is_number(const char *text, bool *is_whole)
{
    const char *end = after_number(text, is_whole);
    return end != NULL && *end == '\0';
}

static struct json_node *parse_number(struct parser *parser)
{
    bool is_whole;
    const char *end = after_number(parser->at, &is_whole);
    if (end == NULL)
        return refuse(parser, parser->at, "this is not a number");
    struct json_node *node = make_node(parser, JSON_NUMBER);
    size_t size = (size_t)(end - parser->at);
    char *copy = node != NULL ? take(parser, size + 1, 1) : NULL;
    if (copy == NULL)
        return NULL;
    memcpy(copy, parser->at, size);
    copy[size] = '\0';
    node->text = copy;
    node->size = size;
    parser->at = end;
    return node;
}

static struct json_node *parse_word(struct parser *parser)
{
    static const struct {
        const char *word;
        enum json_type type;
    } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].word);
        if (strncmp(parser->at, words[i].word, length) != 0)
            continue;
        struct json_node *node = make_node(parser, words[i].type);
        parser->at += length;
        return node;
    }
    return refuse(parser, parser->at,
                  *parser->at == '\0' ? "the text ends where a value should be"
                                      : "this is not a value");
}

/* --- strings ---------------------------------------------------------------------------------- */

/* Four hexadecimal digits, or UINT32_MAX. */
static uint32_t read_hex(const char *at)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i] >= 'A' && at[i] <= 'F' ? (char)(at[i] - 'A' + 'a') : at[i];
        const char *found = c != '\0' ? strchr(digits, c) : NULL;
        if (found == NULL)
            return UINT32_MAX;
        value = value << 4 | (uint32_t)(found - digits);
    }
    return value;
}

static char *put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const uint8_t firsts[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(firsts[more] | code >> (6 * more));
    while (more-- > 0)
        *to++ = (char)(0x80 | (code >> (6 * more) & 0x3f));
    return to;
}

/* Reads what follows "\u", perhaps with the second half of a pair. Returns NULL where it is none.
 */
static char *put_unicode(struct parser *parser, char *to)
{
    uint32_t code = read_hex(parser->at);
    if (code == UINT32_MAX)
        return refuse(parser, parser->at, "\\u is followed by four hexadecimal digits");
    parser->at += 4;
    if (code >= 0xd800 && code < 0xdc00 && parser->at[0] == '\\' && parser->at[1] == 'u') {
        uint32_t low = read_hex(parser->at + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            parser->at += 6;
            return put_utf8(to, 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00)));
        }
    }
    if (code >= 0xd800 && code < 0xe000)
        return refuse(parser, parser->at - 6, "half of a surrogate pair is no character");
    return put_utf8(to, code);
}

static char *put_escaped(struct parser *parser, char *to)
{
    static const char escapes[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    char c = *parser->at++;
    if (c == 'u')
        return put_unicode(parser, to);
    const char *found = c != '\0' ? strchr(escapes, c) : NULL;
    if (found == NULL)
        return refuse(parser, parser->at - 2, "there is no such escape");
    *to++ = meanings[found - escapes];
    return to;
}

/* The end of the string's characters, or the text's. */
static const char *end_of_string(const char *at)
{
    for (; *at != '\0' && *at != '"'; at++)
        if (*at == '\\' && at[1] != '\0')
            at++;
    return at;
}

/* Reads the string that begins here. What it means is never longer than how it is written. */
static char *read_string(struct parser *parser, size_t *size)
{
    const char *begin = parser->at++;
    size_t room = (size_t)(end_of_string(parser->at) - begin) + 1;
    char *text = take(parser, room, 1);
    char *to = text;
    while (to != NULL && *parser->at != '"') {
        if (*parser->at == '\0')
            return refuse(parser, begin, "the string has no end");
        if ((unsigned char)*parser->at < 0x20)
            return refuse(parser, parser->at, "a control character in a string is to be escaped");
        if (*parser->at != '\\') {
            *to++ = *parser->at++;
            continue;
        }
        parser->at++;
        to = put_escaped(parser, to);
    }
    if (to == NULL)
        return NULL;
    *to = '\0';
    *size = (size_t)(to - text);
    parser->at++;
    return text;
}

static struct json_node *parse_string(struct parser *parser)
{
    struct json_node *node = make_node(parser, JSON_STRING);
    if (node == NULL)
        return NULL;
    node->text = read_string(parser, &node->size);
    return node->text != NULL ? node : NULL;
}

/* --- arrays and objects ----------------------------------------------------------------------- */

static struct json_node *parse_value(struct parser *parser);

static void skip_blanks(struct parser *parser)
{
    parser->at += strspn(parser->at, " \t\n\r");
}

/* Reads a member's name and its colon. */
static const char *read_name(struct parser *parser, size_t *size)
{
    if (*parser->at != '"')
        return refuse(parser, parser->at, "a name in quotes, or \"}\", should be here");
    const char *name = read_string(parser, size);
    if (name == NULL)
        return NULL;
    skip_blanks(parser);
    if (*parser->at != ':')
        return refuse(parser, parser->at, "\":\" should be here");
    parser->at++;
    skip_blanks(parser);
    return name;
}

static struct json_node *parse_member(struct parser *parser, bool in_object)
{
    size_t name_size = 0;
    const char *name = in_object ? read_name(parser, &name_size) : NULL;
    if (in_object && name == NULL)
        return NULL;
    struct json_node *node = parse_value(parser);
    if (node != NULL) {
        node->name = name;
        node->name_size = name_size;
    }
    return node;
}

static bool parse_members(struct parser *parser, struct json_node *parent)
{
    bool in_object = parent->type == JSON_OBJECT;
    char end = in_object ? '}' : ']';
    struct json_node **to = &parent->first;
    skip_blanks(parser);
    if (*parser->at == end) {
        parser->at++;
        return true;
    }
    for (;;) {
        struct json_node *node = parse_member(parser, in_object);
        if (node == NULL)
            return false;
        *to = node;
        to = &node->next;
        skip_blanks(parser);
        char c = *parser->at;
        if (c != ',' && c != end)
            return refuse(parser, parser->at,
                          in_object ? "\",\" or \"}\" should be here"
                                    : "\",\" or \"]\" should be here") != NULL;
        parser->at++;
        if (c == end)
            return true;
        skip_blanks(parser);
    }
}

static struct json_node *parse_container(struct parser *parser, enum json_type type)
{
    struct json_node *node = make_node(parser, type);
    if (node == NULL)
        return NULL;
    if (parser->depth == JSON_MAX_DEPTH)
        return refuse(parser, parser->at, "values nest too deep");
    parser->depth++;
    parser->at++;
    bool good = parse_members(parser, node);
    parser->depth--;
    return good ? node : NULL;
}

static struct json_node *parse_value(struct parser *parser)
{
    char c = *parser->at;
    if (c == '{')
        return parse_container(parser, JSON_OBJECT);
    if (c == '[')
        return parse_container(parser, JSON_ARRAY);
    if (c == '"')
        return parse_string(parser);
    return c == '-' || is_digit(c) ? parse_number(parser) : parse_word(parser);
}

struct json_node *json_text_parse(const char *text, struct growing_arena *arena,
                                  struct error *error)
{
    struct parser parser = {.text = text, .at = text, .arena = arena, .error = error};
    if (!utf8_valid(text, strlen(text)))
        return refuse(&parser, text, "the text is not UTF-8");
    skip_blanks(&parser);
    struct json_node *root = parse_value(&parser);
    if (root == NULL)
        return NULL;
    skip_blanks(&parser);
    return *parser.at == '\0' ? root
                              : refuse(&parser, parser.at, "something follows the value's end");
}

const char *json_type_name(enum json_type type)
{
    static const char *const names[] = {
        [JSON_NULL] = "null",        [JSON_FALSE] = "a bool",    [JSON_TRUE] = "a bool",
        [JSON_NUMBER] = "a number",  [JSON_STRING] = "a string", [JSON_ARRAY] = "an array",
        [JSON_OBJECT] = "an object",
    };
    return names[type];
}
