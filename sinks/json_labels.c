#include "sinks/json_labels.h"

#include <string.h>

#include "collector/text/json_writer.h"

/* Whose labels are walked. */
struct walk {
    const struct record *record;
    const struct sample *sample;
    const struct sample_exemplar *exemplar;
    struct schema_cursor cursor;
};

static bool next_label(struct walk *walk, struct label *label)
{
    const struct schema *schema = walk->record->schema;
    const void *message = walk->record->message;
    if (walk->exemplar != NULL)
        return schema->ops->next_exemplar_label(schema, message, walk->sample, walk->exemplar,
                                                &walk->cursor, label);
    return schema->ops->next_label(schema, message, walk->sample, &walk->cursor, label);
}

void json_labels_begin(struct json_labels *labels, struct arena *scratch)
{
    labels->scratch = scratch;
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

/* The keys written so far. */
struct seen {
    size_t count;
    uint64_t bits; /* of each of them */
};

/* One bit of 64, by the key's length, first and last byte: most keys need no comparison at all. */
static uint64_t key_bit(const char *text, size_t size)
{
    size_t first = (unsigned char)text[1];
    size_t last = (unsigned char)text[size - 3]; /* before the quote and the colon */
    return UINT64_C(1) << ((size + first * 5 + last * 7) & 63);
}

/*
 * Writes the label's key. Returns whether that is the first one of its kind; of another, and where
 * the record is too large, nothing is left to write.
 */
static bool write_key(struct json_labels *labels, const struct text *text, struct seen *seen,
                      struct output *out)
{
    size_t start = out->used;
    json_key(out, text->data, text->size);
    if (out->overflow)
        return false;
    struct json_written_key key = {.at = start + (out->data[start] == ',')};
    key.size = out->used - key.at;
    labels->steps += 1 + key.size / 8;
    uint64_t bit = key_bit(out->data + key.at, key.size);
    bool known = (seen->bits & bit) != 0 && is_known(labels, seen->count, out, &key);
    if (known) {
        out->used = start;
        return false;
    }
    if (seen->count == JSON_MAX_LABELS) {
        out->overflow = true;
        return false;
    }
    seen->bits |= bit;
    labels->keys[seen->count++] = key;
    return true;
}

void json_labels_write(struct json_labels *labels, const struct record *record,
                       const struct sample *sample, const struct sample_exemplar *exemplar,
                       struct output *out)
{
    struct walk walk = {record, sample, exemplar, {.scratch = labels->scratch}};
    struct label label;
    struct seen seen = {0};
    output_char(out, '{');
    while (!out->overflow && next_label(&walk, &label)) {
        labels->steps += walk.cursor.made;
        if (write_key(labels, &label.key, &seen, out))
            json_string(out, label.value.data, label.value.size);
        if (labels->steps > JSON_MAX_LABEL_STEPS || labels->scratch->exhausted)
            out->overflow = true;
    }
    output_char(out, '}');
}
