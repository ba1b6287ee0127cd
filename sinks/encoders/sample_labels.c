#include "sinks/encoders/sample_labels.h"

#include <string.h>

#include "collector/base/rule.h"
#include "collector/text/compiler.h"
#include "sinks/encoders/added_label.h"
#include "sinks/encoders/sample_shape.h"

void sample_labels_begin_record(struct sample_labels *labels, struct arena *scratch)
{
    labels->scratch = scratch;
    labels->steps = 0;
    labels->shared.seen = NULL;
    labels->shared.of = NULL;
}

static void begin(struct sample_labels *labels, const struct record *record,
                  const struct sample *sample, const struct sample_exemplar *exemplar)
{
    labels->record = record;
    labels->sample = sample;
    labels->exemplar = exemplar;
    labels->cursor = (struct schema_cursor){.scratch = labels->scratch};
    labels->count = 0;
    labels->bits = 0;
    labels->choice = LABELS_AS_SENT;
    labels->repeats_key = false;
    labels->own_ended = false;
    labels->own_count = 0;
    labels->own_bits = 0;
    labels->first = false;
    labels->noting = NULL;
    labels->repeated = NULL;
}

void sample_labels_begin(struct sample_labels *labels, const struct record *record,
                         const struct sample *sample, const struct sample_exemplar *exemplar)
{
    begin(labels, record, sample, exemplar);
    if (exemplar != NULL)
        labels->choice = LABELS_OF_EXEMPLAR;
    else if (labels->rules != NULL)
        labels->choice = LABELS_AS_RULED;
    labels->sent_ended = false;
    labels->added = 0;
    labels->made = 0;
}

void sample_labels_begin_sent(struct sample_labels *labels, const struct record *record,
                              const struct sample *sample)
{
    begin(labels, record, sample, NULL);
}

/* --- walking ---------------------------------------------------------------------------------- */

static bool next_sent(struct sample_labels *labels, struct label *label)
{
    const struct schema *schema = labels->record->schema;
    label->shared = NULL;
    return schema->ops->next_label(schema, labels->record->message, labels->sample, &labels->cursor,
                                   label);
}

static bool next_of_exemplar(struct sample_labels *labels, struct label *label)
{
    const struct schema *schema = labels->record->schema;
    label->shared = NULL;
    return schema->ops->next_exemplar_label(schema, labels->record->message, labels->sample,
                                            labels->exemplar, &labels->cursor, label);
}

static void forget_added(struct sample_labels *labels)
{
    RULE(labels->scratch->used >= labels->made, "an added label's value is in the scratch arena");
    labels->scratch->used -= labels->made;
    labels->made = 0;
}

static bool next_added(struct sample_labels *labels, struct label *label)
{
    const struct sample_pairs *list = labels->rules->add_label;
    labels->cursor.made = 0;
    forget_added(labels);
    while (list != NULL && labels->added < list->count) {
        const struct sample_pair *pair = &list->pairs[labels->added++];
        label->key = pair->from;
        label->value = added_label_value(&pair->to, labels->record, &labels->host, labels->scratch,
                                         &labels->made);
        label->shared = NULL;
        if (label->value.size != 0 || labels->scratch->exhausted)
            return true;
        forget_added(labels);
    }
    return false;
}

/* Finds the next label, and applies the rules to it. Dropped labels count as steps here. */
static NEVER_INLINE bool next_ruled(struct sample_labels *labels, struct label *label)
{
    while (!labels->sent_ended && labels->steps <= MAX_LABEL_STEPS) {
        labels->sent_ended = !next_sent(labels, label);
        if (labels->sent_ended)
            break;
        if (sample_shape_key(labels->rules, &label->key, &labels->steps, MAX_LABEL_STEPS))
            return true;
        labels->steps += 1 + labels->cursor.made;
    }
    return next_added(labels, label);
}

bool sample_labels_walk(struct sample_labels *labels, struct label *label)
{
    if (labels->choice == LABELS_AS_SENT)
        return next_sent(labels, label);
    if (labels->choice == LABELS_OF_EXEMPLAR)
        return next_of_exemplar(labels, label);
    return next_ruled(labels, label);
}

bool sample_labels_next_sent(struct sample_labels *labels, struct label *label, struct output *out)
{
    while (sample_labels_next(labels, label, out)) {
        if (sample_labels_note(labels, &label->key, out))
            return true;
        if (out->overflow)
            break;
    }
    return false;
}

/* --- labels that samples share ---------------------------------------------------------------- */

/* Frees the text that was made for the last label. */
void sample_labels_leave(struct sample_labels *labels)
{
    RULE(labels->scratch->used >= labels->cursor.made, "a made text is in the scratch arena");
    labels->scratch->used -= labels->cursor.made;
    labels->cursor.made = 0;
}

bool sample_labels_repeat(struct sample_labels *labels, const struct label *label, char separator,
                          struct output *out)
{
    struct shared_labels *shared = &labels->shared;
    if (labels->choice != LABELS_AS_SENT)
        return false;
    if (!labels->own_ended) {
        labels->own_ended = true;
        labels->own_count = labels->count;
        labels->own_bits = labels->bits;
    }
    if (shared->seen != label->shared) {
        shared->seen = label->shared;
        labels->first = true;
    }
    if (labels->first)
        return false;
    if (labels->noting != NULL) {
        labels->noted++;
        return false;
    }
    if (shared->of != label->shared) {
        labels->noting = label->shared;
        labels->noted = 1;
        labels->noted_at = out->used;
        labels->noted_steps = labels->steps;
        return false;
    }
    if ((labels->bits & shared->bits) != 0)
        return false; /* a label of the sample may have the same key, and then takes precedence */
    if (labels->count + shared->count > MAX_LABELS)
        return false;
    sample_labels_leave(labels);
    if (labels->count != 0)
        output_char(out, separator);
    labels->repeated = out->data + out->used;
    output_bytes(out, shared->text, shared->size);
    sample_labels_count_steps(labels, shared->steps, out);
    return true;
}

/* Stores the keys of the shared labels, as positions in `text`. */
static void remember_keys(struct sample_labels *labels, const char *text)
{
    struct shared_labels *shared = &labels->shared;
    RULE(labels->own_count <= labels->count, "shared keys follow those before them");
    RULE(labels->count - labels->own_count <= MAX_SHARED_LABELS, "there is room for shared keys");
    shared->bits = 0;
    shared->count = 0;
    for (size_t i = labels->own_count; i < labels->count; i++) {
        const struct text *key = &labels->keys[i];
        shared->bits |= sample_labels_bit(key->data, key->size);
        shared->keys[shared->count++] =
            (struct shared_key){(uint16_t)(key->data - text), (uint16_t)key->size};
    }
}

void sample_labels_note_shared(struct sample_labels *labels, const struct output *out)
{
    struct shared_labels *shared = &labels->shared;
    const void *of = labels->noting;
    /*
     * The text of the shared labels can be copied only if the sample's own labels have suppressed
     * none of them (`all`). It is also not copied if own and shared keys have a bit in common: they
     * were then compared, and took steps that another sample may not need.
     */
    bool all = !out->overflow && labels->count - labels->own_count == labels->noted;
    size_t at = labels->noted_at + (labels->own_count != 0); /* after the separator */
    labels->noting = NULL;
    if (!all || labels->noted > MAX_SHARED_LABELS || out->used - at > sizeof shared->text)
        return;
    remember_keys(labels, out->data + at);
    shared->of = (shared->bits & labels->own_bits) == 0 ? of : NULL;
    shared->steps = labels->steps - labels->noted_steps;
    if (labels->record->size > CACHED_RECORD_MOST)
        shared->steps = 0;
    shared->size = out->used - at;
    memcpy(shared->text, out->data + at, shared->size);
}

void sample_labels_add_repeated(struct sample_labels *labels)
{
    const struct shared_labels *shared = &labels->shared;
    if (labels->repeated == NULL)
        return;
    RULE(labels->count + shared->count <= MAX_LABELS, "there is room for repeated keys");
    for (size_t i = 0; i < shared->count; i++)
        labels->keys[labels->count++] =
            (struct text){labels->repeated + shared->keys[i].at, shared->keys[i].size};
    labels->bits |= shared->bits;
    labels->repeated = NULL;
}

/* --- keys ------------------------------------------------------------------------------------- */

/*
 * Counts the steps. If no own label of the sample can have the key of a shared label, compares it
 * only with shared labels, so that the steps do not depend on the sample's own labels.
 */
bool sample_labels_is_known(struct sample_labels *labels, const struct text *key)
{
    bool beyond_own = (labels->own_bits & sample_labels_bit(key->data, key->size)) == 0;
    for (size_t i = beyond_own ? labels->own_count : 0; i < labels->count; i++) {
        const struct text *known = &labels->keys[i];
        labels->steps++;
        if (known->size != key->size)
            continue;
        labels->steps += key->size / 8;
        if (key->size == 0 || memcmp(known->data, key->data, key->size) == 0)
            return true;
    }
    return false;
}
