#include "sinks/encoders/added_label.h"

#include <string.h>

#include "collector/contract/listener.h"
#include "collector/contract/schema.h"
#include "collector/text/label_template.h"

static struct text of_string(const char *string)
{
    return (struct text){string, strlen(string)};
}

static struct text sender_id_of(const struct record *record)
{
    const struct schema *schema = record->schema;
    return schema->ops->sender_id == NULL ? (struct text){"", 0}
                                          : schema->ops->sender_id(schema, record->message);
}

static struct text expand(const struct label_piece *piece, const struct record *record,
                          const struct text *host, char address[ADDRESS_TEXT_SIZE])
{
    switch (piece->field) {
    case LABEL_HOSTNAME:
        return *host;
    case LABEL_SOURCE:
        return (struct text){address, address_format_host(&record->source, address)};
    case LABEL_LISTENER:
        return of_string(record->listener->name);
    case LABEL_SCHEMA:
        return of_string(record->schema->name);
    case LABEL_SENDER:
        return of_string(record->sender == NULL ? "" : record->sender);
    case LABEL_SENDER_ID:
        return sender_id_of(record);
    case LABEL_TEXT:
    case LABEL_WRONG: /* refused by the parser */
        break;
    }
    return piece->text;
}

struct text added_label_value(const struct text *value, const struct record *record,
                              const struct text *host, struct arena *arena, size_t *made)
{
    char address[ADDRESS_TEXT_SIZE];
    struct label_piece piece;
    size_t size = 0;
    *made = 0;
    if (memchr(value->data, '%', value->size) == NULL)
        return *value;
    for (size_t at = 0; label_template_next(value, &at, &piece);)
        size += expand(&piece, record, host, address).size;
    size_t before = arena->used;
    char *to = arena_allocate(arena, size);
    *made = arena->used - before;
    if (to == NULL)
        return (struct text){"", 0};
    struct text whole = {to, size};
    for (size_t at = 0; label_template_next(value, &at, &piece);) {
        struct text part = expand(&piece, record, host, address);
        if (part.size != 0)
            memcpy(to, part.data, part.size);
        to += part.size;
    }
    return whole;
}
