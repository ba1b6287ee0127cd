#include "sinks/json_labels.h"

#include <string.h>

#include "collector/text/json_writer.h"

void json_labels_begin(struct json_labels *labels)
{
    labels->steps = 0;
}

/* Whether the key was written for this sample before; counts the steps that takes. */
static bool is_known(struct json_labels *labels, size_t count, const struct output *out,
                     const struct json_written_key *key)
{
    const char *text = out->data + key->at;
    for (size_t i = 0; i < count; i++) {
        const struct json_written_key *known = &labels->keys[i];
        labels->steps++;
        if (known->size != key->size)
            continue;
        labels->steps += key->size / 8;
        if (memcmp(out->data + known->at, text, key->size) == 0)
            return true;
    }
    return false;
}

/* One bit of 64, by the key's length, first and last byte: most keys need no comparison at all. */
static uint64_t key_bit(const char *text, size_t size)
{
    size_t first = (unsigned char)text[1];
    size_t last = (unsigned char)text[size - 3]; /* before the quote and the colon */
    return UINT64_C(1) << ((size + first * 5 + last * 7) & 63);
}

void json_labels_write(struct json_labels *labels, const struct record *record,
                       const struct sample *sample, struct output *out)
{
    const struct schema_ops *ops = record->schema->ops;
    struct schema_cursor cursor = {0};
    struct label label;
    size_t count = 0;
    uint64_t bits = 0;
    output_char(out, '{');
    while (!out->overflow &&
           ops->next_label(record->schema, record->message, sample, &cursor, &label)) {
        size_t start = out->used;
        json_key(out, label.key.data, label.key.size);
        if (out->overflow)
            return;
        struct json_written_key key = {.at = start + (out->data[start] == ',')};
        key.size = out->used - key.at;
        labels->steps += 1 + key.size / 8;
        uint64_t bit = key_bit(out->data + key.at, key.size);
        bool known = (bits & bit) != 0 && is_known(labels, count, out, &key);
        if (labels->steps > JSON_MAX_LABEL_STEPS || (!known && count == JSON_MAX_LABELS)) {
            out->overflow = true;
            return;
        }
        if (known) {
            out->used = start;
            continue;
        }
        bits |= bit;
        labels->keys[count++] = key;
        json_string(out, label.value.data, label.value.size);
    }
    output_char(out, '}');
}
