#include "sinks/destinations/record_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/siphash.h"
#include "collector/contract/record.h"
#include "collector/contract/schema.h"

#define SCRATCH_SIZE 1024 /* memory for labels that must be converted to text */

/* Only this number of labels is read, so that a datagram full of labels cannot keep a sink busy. */
#define LABELS_MOST 1024

static size_t key_put(uint8_t *key, const char *text, size_t size)
{
    if (size > DELIVERY_KEY_SIZE)
        size = DELIVERY_KEY_SIZE;
    memcpy(key, text, size);
    return size;
}

static size_t put_source(const struct record *record, uint8_t *key)
{
    char text[ADDRESS_TEXT_SIZE];
    return key_put(key, text, address_format_host(&record->source, text));
}

static size_t put_sender(const struct record *record, uint8_t *key)
{
    return record->sender == NULL ? 0 : key_put(key, record->sender, strlen(record->sender));
}

/* --- labels of the first sample --------------------------------------------------------------- */

struct labels {
    const struct record *record;
    struct sample sample;
    struct schema_cursor cursor;
    size_t count;
};

static bool begin_labels(struct labels *labels, const struct record *record, struct arena *scratch)
{
    const struct schema *schema = record->schema;
    struct schema_cursor samples = {.scratch = scratch};
    if (schema == NULL || !schema->has_samples ||
        !schema->ops->next_sample(schema, record->message, &samples, &labels->sample))
        return false;
    labels->record = record;
    labels->cursor = (struct schema_cursor){.scratch = scratch};
    labels->count = 0;
    return true;
}

static bool key_next_label(struct labels *labels, struct label *label)
{
    const struct record *record = labels->record;
    label->shared = NULL;
    return labels->count++ < LABELS_MOST && !labels->cursor.scratch->exhausted &&
           record->schema->ops->next_label(record->schema, record->message, &labels->sample,
                                           &labels->cursor, label);
}

static void feed(struct siphash *hash, const struct text *text)
{
    uint64_t size = text->size;
    siphash_feed(hash, &size, sizeof size);
    siphash_feed(hash, text->data, text->size);
}

/*
 * The labels' hashes are added, so their order does not matter. The hash needs no secret: a sender
 * that chooses colliding labels only gives two of its own series the same key.
 */
static size_t put_series(struct labels *labels, uint8_t *key)
{
    static const uint8_t fixed[16] = {0};
    uint64_t result[2];
    struct siphash hash;
    siphash_begin(&hash, fixed);
    feed(&hash, &labels->sample.name);
    siphash_end(&hash, result);
    uint64_t sum = result[0];
    struct label label;
    while (key_next_label(labels, &label)) {
        siphash_begin(&hash, fixed);
        feed(&hash, &label.key);
        feed(&hash, &label.value);
        siphash_end(&hash, result);
        sum += result[0];
    }
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, sum);
    return key_put(key, text, sizeof text - 1);
}

static size_t key_put_label(struct labels *labels, const char *name, uint8_t *key)
{
    const struct text wanted = {name, strlen(name)};
    struct label label;
    while (key_next_label(labels, &label))
        if (text_equal(&label.key, &wanted))
            return key_put(key, label.value.data, label.value.size);
    return 0;
}

size_t record_key(const struct key_options *options, const struct record *record, uint8_t *key)
{
    if (options->kind == KEY_NONE)
        return 0;
    if (options->kind == KEY_SOURCE)
        return put_source(record, key);
    if (options->kind == KEY_SENDER)
        return put_sender(record, key);
    _Alignas(ARENA_ALIGNMENT) uint8_t memory[SCRATCH_SIZE];
    struct arena scratch = {.base = memory, .capacity = sizeof memory};
    struct labels labels;
    if (!begin_labels(&labels, record, &scratch))
        return 0;
    return options->kind == KEY_SERIES ? put_series(&labels, key)
                                       : key_put_label(&labels, options->label, key);
}
