#include "sinks/sample_labels.h"

#include <string.h>

void sample_labels_begin_record(struct sample_labels *labels, struct arena *scratch)
{
    labels->scratch = scratch;
    labels->steps = 0;
}

void sample_labels_begin(struct sample_labels *labels, const struct record *record,
                         const struct sample *sample, const struct sample_exemplar *exemplar)
{
    labels->record = record;
    labels->sample = sample;
    labels->exemplar = exemplar;
    labels->cursor = (struct schema_cursor){.scratch = labels->scratch};
    labels->count = 0;
    labels->bits = 0;
}

bool sample_labels_walk(struct sample_labels *labels, struct label *label)
{
    const struct schema *schema = labels->record->schema;
    const void *message = labels->record->message;
    if (labels->exemplar != NULL)
        return schema->ops->next_exemplar_label(schema, message, labels->sample, labels->exemplar,
                                                &labels->cursor, label);
    return schema->ops->next_label(schema, message, labels->sample, &labels->cursor, label);
}

/* Whether the key was written for this sample before; counts the steps that takes. */
bool sample_labels_is_known(struct sample_labels *labels, const struct written_key *key,
                            const struct output *out)
{
    const char *text = out->data + key->at;
    for (size_t i = 0; i < labels->count; i++) {
        const struct written_key *known = &labels->keys[i];
        labels->steps++;
        if (known->size != key->size)
            continue;
        labels->steps += key->size / 8;
        if (memcmp(out->data + known->at, text, key->size) == 0)
            return true;
    }
    return false;
}
