/* Reads keys, texts and list elements in a file of tests. */
#include "collector/config_tests/config_test_parts.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/base/suggestion.h"
#include "collector/config_tests/config_test_file.h"
#include "collector/text/copy.h"

/* --- keys ------------------------------------------------------------------------------------- */

bool config_test_unknown_key(const struct file_reading *reading, enum config_test_scope scope,
                             const char *name, size_t length, struct provenance_mark mark)
{
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    struct parse_error fault;
    suggestion_begin(&suggestion, name, length);
    for (const struct config_test_key *key = config_test_keys; key->name != NULL; key++)
        if (key->scope == scope)
            suggestion_offer(&suggestion, key->name);
    parse_error_set(&fault, 0, "%s is not a key of %s", quoted(name, length, given),
                    config_test_scope_name(scope));
    parse_error_suggest(&fault, suggestion_found(&suggestion));
    return file_parse_error(reading, mark, &fault);
}

const struct config_test_key *config_test_read_key(const struct file_reading *reading,
                                                   enum config_test_scope scope,
                                                   struct config_test_given *given)
{
    const struct yaml_piece *piece = &reading->piece;
    if (piece->kind != PIECE_TEXT) {
        file_wrong_piece(reading, "a name");
        return NULL;
    }
    const struct config_test_key *key = config_test_key_named(scope, piece->text, piece->length);
    if (key == NULL)
        config_test_unknown_key(reading, scope, piece->text, piece->length, piece->mark);
    else if (!file_note_line(reading, key->name, &given->lines[key->id]))
        return NULL;
    return key;
}

/* --- texts ------------------------------------------------------------------------------------ */

bool config_test_read_text(const struct file_reading *reading, const struct config_test_key *key,
                           struct config_test_text *to)
{
    const struct yaml_piece *piece = &reading->piece;
    if (piece->kind != PIECE_TEXT)
        return file_wrong_kind(reading, key->name, "a single value");
    to->data = text_copy(piece->text, piece->length);
    to->size = piece->length;
    to->mark = piece->text_mark;
    return to->data != NULL || file_no_memory(reading);
}

bool config_test_read_word(const struct file_reading *reading, const struct config_test_key *key,
                           struct config_test_text *to)
{
    if (!config_test_read_text(reading, key, to))
        return false;
    return to->size != 0 || file_refuse(reading, to->mark, "%s has no value", key->name);
}

/* --- lists ------------------------------------------------------------------------------------ */

/*
 * The capacity of a list is a power of two. The list is full, and must grow, when `count` is a
 * power of two.
 */
void *config_test_add_element(const struct file_reading *reading, void *list, size_t *count,
                              size_t size)
{
    char *elements;
    RULE(*count <= CONFIG_TEST_LIST_MAX, "a list has at most CONFIG_TEST_LIST_MAX elements");
    memcpy(&elements, list, sizeof elements); /* the type of elements is not known here */
    if (*count == CONFIG_TEST_LIST_MAX) {
        file_refuse(reading, reading->piece.mark, "this list has more than %d items",
                    CONFIG_TEST_LIST_MAX);
        return NULL;
    }
    if ((*count & (*count - 1)) == 0) {
        elements = realloc(elements, (*count == 0 ? 1 : 2 * *count) * size);
        if (elements == NULL) {
            file_no_memory(reading);
            return NULL;
        }
        memcpy(list, &elements, sizeof elements);
    }
    return memset(elements + (*count)++ * size, 0, size);
}
