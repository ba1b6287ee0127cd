#include "tests/support/text/json_tree.h"

#include <stdlib.h>
#include <string.h>

#include "collector/text/utf8.h"

#define MAX_DEPTH 300

struct reader {
    const char *at;
    const char *end;
    int depth;
};

static struct json_tree *read_value(struct reader *reader);

static char peek(const struct reader *reader)
{
    if (reader->at == reader->end)
        return '\0';
    return *reader->at;
}

static bool take(struct reader *reader, char c)
{
    if (reader->at == reader->end || *reader->at != c)
        return false;
    reader->at++;
    return true;
}

static void skip_space(struct reader *reader)
{
    while (peek(reader) == ' ' || peek(reader) == '\t' || peek(reader) == '\n' ||
           peek(reader) == '\r')
        reader->at++;
}

static struct json_tree *make(enum json_kind kind, size_t text_size)
{
    struct json_tree *tree = calloc(1, sizeof *tree);
    if (tree == NULL)
        abort();
    tree->kind = kind;
    tree->text = calloc(1, text_size + 1);
    if (tree->text == NULL)
        abort();
    return tree;
}

void json_tree_free(struct json_tree *tree)
{
    if (tree == NULL)
        return;
    for (size_t i = 0; i < tree->count; i++)
        json_tree_free(tree->children[i]);
    free(tree->children);
    free(tree->text);
    free(tree);
}

/* --- strings ---------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c);
    return found == NULL ? -1 : (int)(found - digits);
}

/*
 * Reads four hexadecimal digits. Refuses surrogates, because the code under test never writes them.
 */
static long read_code(struct reader *reader)
{
    long code = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(peek(reader));
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
        reader->at++;
    }
    return code >= 0xd800 && code <= 0xdfff ? -1 : code;
}

static void put_utf8(struct json_tree *tree, long code)
{
    if (code < 0x80) {
        tree->text[tree->size++] = (char)code;
    } else if (code < 0x800) {
        tree->text[tree->size++] = (char)(0xc0 | code >> 6);
        tree->text[tree->size++] = (char)(0x80 | (code & 63));
    } else {
        tree->text[tree->size++] = (char)(0xe0 | code >> 12);
        tree->text[tree->size++] = (char)(0x80 | (code >> 6 & 63));
        tree->text[tree->size++] = (char)(0x80 | (code & 63));
    }
}

static bool read_escape(struct reader *reader, struct json_tree *tree)
{
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    if (take(reader, 'u')) {
        long code = read_code(reader);
        if (code < 0)
            return false;
        put_utf8(tree, code);
        return true;
    }
    const char *found = peek(reader) == '\0' ? NULL : strchr(names, peek(reader));
    if (found == NULL)
        return false;
    reader->at++;
    tree->text[tree->size++] = values[found - names];
    return true;
}

/*
 * Returns the number of bytes before the quote that ends the string. The string has at most this
 * length, because an escape is longer than its character.
 */
static size_t bytes_to_quote(const struct reader *reader)
{
    const char *at = reader->at;
    while (at < reader->end && (*at != '"' || at == reader->at))
        at += *at == '\\' ? 2 : 1;
    return (size_t)(at - reader->at);
}

static struct json_tree *read_string(struct reader *reader)
{
    struct json_tree *tree = make(JSON_STRING, bytes_to_quote(reader));
    bool good = take(reader, '"');
    while (good && reader->at != reader->end && *reader->at != '"') {
        char c = *reader->at++;
        if (c == '\\')
            good = read_escape(reader, tree);
        else if ((unsigned char)c < 0x20)
            good = false;
        else
            tree->text[tree->size++] = c;
    }
    if (good && take(reader, '"') && utf8_valid(tree->text, tree->size))
        return tree;
    json_tree_free(tree);
    return NULL;
}

/* --- numbers and whole values ----------------------------------------------------------------- */

static bool take_digits(struct reader *reader)
{
    const char *start = reader->at;
    while (peek(reader) >= '0' && peek(reader) <= '9')
        reader->at++;
    return reader->at != start;
}

static struct json_tree *read_number(struct reader *reader)
{
    const char *start = reader->at;
    (void)take(reader, '-');
    bool good = take(reader, '0') || take_digits(reader);
    if (good && take(reader, '.'))
        good = take_digits(reader);
    if (good && (take(reader, 'e') || take(reader, 'E'))) {
        (void)(take(reader, '+') || take(reader, '-'));
        good = take_digits(reader);
    }
    if (!good)
        return NULL;
    struct json_tree *tree = make(JSON_NUMBER, (size_t)(reader->at - start));
    tree->size = (size_t)(reader->at - start);
    memcpy(tree->text, start, tree->size);
    return tree;
}

static struct json_tree *read_word(struct reader *reader)
{
    static const struct {
        const char *word;
        enum json_kind kind;
    } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t size = strlen(words[i].word);
        if ((size_t)(reader->end - reader->at) >= size &&
            memcmp(reader->at, words[i].word, size) == 0) {
            reader->at += size;
            return make(words[i].kind, 0);
        }
    }
    return NULL;
}

static bool add(struct json_tree *tree, struct json_tree *child)
{
    if (child == NULL)
        return false;
    if ((tree->count & (tree->count - 1)) == 0) {
        size_t room = tree->count == 0 ? 1 : tree->count * 2;
        struct json_tree **grown = realloc(tree->children, room * sizeof(struct json_tree *));
        if (grown == NULL)
            abort();
        tree->children = grown;
    }
    tree->children[tree->count++] = child;
    return true;
}

static bool same_text(const struct json_tree *a, const struct json_tree *b)
{
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

static bool read_member(struct reader *reader, struct json_tree *object)
{
    skip_space(reader);
    if (!add(object, read_string(reader)))
        return false;
    const struct json_tree *key = object->children[object->count - 1];
    for (size_t i = 0; i + 1 < object->count; i += 2)
        if (same_text(object->children[i], key))
            return false;
    skip_space(reader);
    return take(reader, ':') && add(object, read_value(reader));
}

static struct json_tree *read_container(struct reader *reader, enum json_kind kind)
{
    char close = kind == JSON_OBJECT ? '}' : ']';
    struct json_tree *tree = make(kind, 0);
    reader->at++;
    skip_space(reader);
    if (take(reader, close))
        return tree;
    do {
        if (kind == JSON_OBJECT ? !read_member(reader, tree) : !add(tree, read_value(reader))) {
            json_tree_free(tree);
            return NULL;
        }
        skip_space(reader);
    } while (take(reader, ','));
    if (take(reader, close))
        return tree;
    json_tree_free(tree);
    return NULL;
}

static struct json_tree *read_value(struct reader *reader)
{
    skip_space(reader);
    if (reader->depth == MAX_DEPTH)
        return NULL;
    reader->depth++;
    struct json_tree *tree;
    switch (peek(reader)) {
    case '{':
        tree = read_container(reader, JSON_OBJECT);
        break;
    case '[':
        tree = read_container(reader, JSON_ARRAY);
        break;
    case '"':
        tree = read_string(reader);
        break;
    case 'n':
    case 'f':
    case 't':
        tree = read_word(reader);
        break;
    default:
        tree = read_number(reader);
        break;
    }
    reader->depth--;
    return tree;
}

struct json_tree *json_tree_read(const char *text, size_t size)
{
    struct reader reader = {.at = text, .end = text + size};
    struct json_tree *tree = read_value(&reader);
    skip_space(&reader);
    if (tree != NULL && reader.at == reader.end)
        return tree;
    json_tree_free(tree);
    return NULL;
}

/* --- reading the tree ------------------------------------------------------------------------- */

const struct json_tree *json_tree_member(const struct json_tree *object, const char *key)
{
    for (size_t i = 0; i + 1 < object->count; i += 2)
        if (object->kind == JSON_OBJECT && json_tree_is_string(object->children[i], key))
            return object->children[i + 1];
    return NULL;
}

bool json_tree_is_string(const struct json_tree *tree, const char *text)
{
    return tree != NULL && tree->kind == JSON_STRING && tree->size == strlen(text) &&
           memcmp(tree->text, text, tree->size) == 0;
}

static bool equal_objects(const struct json_tree *a, const struct json_tree *b)
{
    for (size_t i = 0; i < a->count; i += 2) {
        const struct json_tree *other = NULL;
        for (size_t j = 0; j < b->count && other == NULL; j += 2)
            if (same_text(a->children[i], b->children[j]))
                other = b->children[j + 1];
        if (other == NULL || !json_tree_equal(a->children[i + 1], other))
            return false;
    }
    return true;
}

bool json_tree_equal(const struct json_tree *a, const struct json_tree *b)
{
    if (a->kind != b->kind || a->count != b->count)
        return false;
    if (a->kind == JSON_STRING)
        return same_text(a, b);
    if (a->kind == JSON_NUMBER)
        return same_text(a, b) || strtod(a->text, NULL) == strtod(b->text, NULL);
    if (a->kind == JSON_OBJECT)
        return equal_objects(a, b);
    for (size_t i = 0; i < a->count; i++)
        if (!json_tree_equal(a->children[i], b->children[i]))
            return false;
    return true;
}
