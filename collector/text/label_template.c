#include "collector/text/label_template.h"

#include <string.h>

const char *const label_field_names[] = {
    [LABEL_HOSTNAME] = "hostname", [LABEL_SOURCE] = "source", [LABEL_LISTENER] = "listener",
    [LABEL_SCHEMA] = "schema",     [LABEL_SENDER] = "sender", [LABEL_SENDER_ID] = "sender_id",
};

static enum label_field find_label(const char *name, size_t size)
{
    for (int field = LABEL_TEXT + 1; field < LABEL_FIELD_COUNT; field++)
        if (strlen(label_field_names[field]) == size &&
            memcmp(label_field_names[field], name, size) == 0)
            return (enum label_field)field;
    return LABEL_WRONG;
}

/* Reads a piece that begins with a percent sign. Returns its size in bytes. */
static size_t read_label_field(const char *from, size_t left, struct label_piece *piece)
{
    const char *end = memchr(from, '}', left);
    piece->text = (struct text){from, left};
    piece->field = LABEL_WRONG;
    if (left >= 2 && from[1] == '%') {
        piece->field = LABEL_TEXT;
        piece->text.size = 1;
        return 2;
    }
    if (left < 2 || from[1] != '{' || end == NULL)
        return left;
    piece->text.size = (size_t)(end - from) + 1;
    piece->field = find_label(from + 2, (size_t)(end - from) - 2);
    return piece->text.size;
}

bool label_template_next(const struct text *value, size_t *at, struct label_piece *piece)
{
    size_t left = value->size - *at;
    const char *from = value->data + *at;
    if (left == 0)
        return false;
    if (*from == '%') {
        *at += read_label_field(from, left, piece);
        return true;
    }
    const char *percent = memchr(from, '%', left);
    size_t size = percent == NULL ? left : (size_t)(percent - from);
    *piece = (struct label_piece){LABEL_TEXT, {from, size}};
    *at += size;
    return true;
}
