/* What the parts of the reader of a file of tests share: keys, texts and lists. */
#include "collector/cases/case_parts.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/suggestion.h"
#include "collector/cases/case_file.h"
#include "collector/text/copy.h"

/* --- keys ------------------------------------------------------------------------------------- */

bool case_unknown_key(const struct file_reading *reading, enum case_scope scope, const char *name,
                      size_t length, struct provenance_mark mark)
{
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    struct parse_error fault;
    suggestion_begin(&suggestion, name, length);
    for (const struct case_key *key = case_keys; key->name != NULL; key++)
        if (key->scope == scope)
            suggestion_offer(&suggestion, key->name);
    parse_error_set(&fault, 0, "%s is no key of %s", quoted(name, length, given),
                    case_scope_name(scope));
    parse_error_suggest(&fault, suggestion_found(&suggestion));
    return file_parse_error(reading, mark, &fault);
}

const struct case_key *case_take_key(const struct file_reading *reading, enum case_scope scope,
                                     struct case_given *given)
{
    const struct yaml_piece *piece = &reading->piece;
    if (piece->kind != PIECE_TEXT) {
        file_wrong_piece(reading, "a name");
        return NULL;
    }
    const struct case_key *key = case_key_named(scope, piece->text, piece->length);
    if (key == NULL)
        case_unknown_key(reading, scope, piece->text, piece->length, piece->mark);
    else if (!file_note_line(reading, key->name, &given->lines[key->id]))
        return NULL;
    return key;
}

/* --- texts ------------------------------------------------------------------------------------ */

bool case_take_text(const struct file_reading *reading, const struct case_key *key,
                    struct case_text *to)
{
    const struct yaml_piece *piece = &reading->piece;
    if (piece->kind != PIECE_TEXT)
        return file_wrong_kind(reading, key->name, "its value");
    to->data = text_copy(piece->text, piece->length);
    to->size = piece->length;
    to->mark = piece->text_mark;
    return to->data != NULL || file_no_memory(reading);
}

bool case_take_word(const struct file_reading *reading, const struct case_key *key,
                    struct case_text *to)
{
    if (!case_take_text(reading, key, to))
        return false;
    return to->size != 0 || file_refuse(reading, to->mark, "%s has no value", key->name);
}

/* --- lists ------------------------------------------------------------------------------------ */

/* A list grows by doubling. */
void *case_add_element(const struct file_reading *reading, void *list, size_t *count, size_t size)
{
    char *elements;
    memcpy(&elements, list, sizeof elements); /* whatever pointer it is */
    if (*count == CASE_LIST_MAX) {
        file_refuse(reading, reading->piece.mark, "a list has more than %d items here",
                    CASE_LIST_MAX);
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
