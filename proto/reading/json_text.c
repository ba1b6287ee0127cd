#include "proto/reading/json_text.h"

#include <string.h>

#include "collector/text/utf8.h"

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

static struct json_node *json_text_refuse(const char *text, const char *at, const char *why,
                                          struct error *error)
{
    unsigned line;
    unsigned column;
    json_text_place(text, at, &line, &column);
    error_set(error, EXIT_CODE_USAGE, "line %u, column %u: %s", line, column, why);
    return NULL;
}

/*
 * Copies a text of an item, with its escapes decoded and a NUL after it. Returns NULL if memory is
 * short.
 */
static const char *copy_meaning(struct growing_arena *arena, struct text from, size_t *size)
{
    char *copy = growing_arena_allocate(arena, from.size + 1, 1);
    if (copy != NULL)
        *size = json_text_copy(from, copy, from.size + 1);
    return copy;
}

static struct json_node *make_node(struct growing_arena *arena, const struct json_item *item)
{
    struct json_node *node = growing_arena_allocate(arena, 1, sizeof *node);
    if (node == NULL)
        return NULL;
    *node = (struct json_node){.type = item->type, .at = item->at};
    if (item->type == JSON_STRING || item->type == JSON_NUMBER) {
        node->text = copy_meaning(arena, item->text, &node->size);
        if (node->text == NULL)
            return NULL;
    }
    if (item->name.data != NULL) {
        node->name = copy_meaning(arena, item->name, &node->name_size);
        if (node->name == NULL)
            return NULL;
    }
    return node;
}

/* --- the tree --------------------------------------------------------------------------------- */

struct json_node *json_text_parse(const char *text, struct growing_arena *arena,
                                  struct error *error)
{
    struct json_reader reader;
    struct json_item item;
    struct json_node *root = NULL;
    /* By depth: where the next node is stored. */
    struct json_node **next[JSON_MAX_DEPTH + 2] = {&root};
    if (!utf8_valid(text, strlen(text)))
        return json_text_refuse(text, text, "the text is not UTF-8", error);
    json_reader_begin(&reader, text, strlen(text));
    while (json_read(&reader, &item)) {
        if (item.type == JSON_END)
            continue;
        struct json_node *node = make_node(arena, &item);
        if (node == NULL) {
            error_no_memory(error);
            return NULL;
        }
        *next[item.depth] = node;
        next[item.depth] = &node->next;
        next[item.depth + 1] = &node->first;
    }
    return reader.wrong == NULL ? root : json_text_refuse(text, reader.at, reader.wrong, error);
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
