#include "collector/record/schema_list.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/framing/otlp_udp.h"
#include "collector/platform/thread.h"
#include "collector/text/text.h"

/* --- lists ------------------------------------------------------------------------------------ */

static int make_schema(const struct schema_config *config, struct schema **out, struct error *error)
{
    const struct schema_options options = {
        .source = config->source,
        .message = config->message,
        .nested = config->nested,
        .sequence = config->sequence,
        .sequence_key = config->sequence_key,
        .name = config->name,
        .value = config->value,
        .time = config->time,
        .labels = config->labels,
        .text_samples = config->text_samples,
    };
    return config->ops->create(&options, out, error);
}

int schema_list_create(struct schema_list **out, const struct schema_config *configs, size_t count,
                       size_t *failed, struct error *error)
{
    size_t ignored;
    size_t *wrong = failed != NULL ? failed : &ignored;
    *wrong = count;
    struct schema_list *list = calloc(1, sizeof *list + count * sizeof list->entries[0]);
    if (list == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for schemas");
        return -1;
    }
    RULE(count != 0, "a listener has a schema");
    atomic_init(&list->references, 1);
    for (; list->count < count; list->count++) {
        const struct schema_config *config = &configs[list->count];
        struct schema_entry *entry = &list->entries[list->count];
        if (make_schema(config, &entry->schema, error) != 0) {
            *wrong = list->count;
            schema_list_release(list);
            return -1;
        }
        entry->numbering = (uint32_t)list->count;
        entry->match = config->match;
        /* Sealed datagrams are opened before a schema is chosen, so the schema sees plain ones. */
        entry->framing = config->framing == FRAMING_SEALED ? FRAMING_DATAGRAM : config->framing;
        entry->header = config->header;
    }
    *out = list;
    return 0;
}

static bool same_match(const struct schema_match *a, const struct schema_match *b)
{
    return a->kind == b->kind && a->prefix == b->prefix && a->magic_size == b->magic_size &&
           memcmp(a->magic, b->magic, a->magic_size) == 0 && strcmp(a->key, b->key) == 0 &&
           a->network.family == b->network.family && a->network.scope == b->network.scope &&
           memcmp(a->network.bytes, b->network.bytes, sizeof a->network.bytes) == 0;
}

static bool same_schema(const struct schema_config *a, const struct schema_config *b)
{
    return a->ops == b->ops && same_text(a->source, b->source) &&
           same_text(a->message, b->message) && same_text(a->nested, b->nested) &&
           same_text(a->sequence, b->sequence) && same_text(a->sequence_key, b->sequence_key) &&
           same_text(a->name, b->name) && same_text(a->value, b->value) &&
           same_text(a->time, b->time) && same_text(a->labels, b->labels) &&
           a->text_samples == b->text_samples && same_match(&a->match, &b->match) &&
           a->framing == b->framing && a->header == b->header;
}

bool schema_configs_equal(const struct schema_config *a, size_t a_count,
                          const struct schema_config *b, size_t b_count)
{
    if (a_count != b_count)
        return false;
    for (size_t i = 0; i < a_count; i++)
        if (!same_schema(&a[i], &b[i]))
            return false;
    return true;
}

static bool entries_same_numbers(const struct schema_entry *a, const struct schema_entry *b)
{
    const struct schema_ops *ops = a->schema->ops;
    return ops == b->schema->ops && a->framing == b->framing && a->header == b->header &&
           (ops->same_numbers == NULL || ops->same_numbers(a->schema, b->schema));
}

/*
 * Also compares the matches of earlier entries. They are tried first, so they decide which
 * datagrams reach this entry.
 */
bool schema_list_same_numbers(const struct schema_list *a, const struct schema_list *b,
                              size_t index)
{
    if (index >= a->count || index >= b->count)
        return false;
    for (size_t i = 0; i <= index; i++)
        if (!same_match(&a->entries[i].match, &b->entries[i].match))
            return false;
    return entries_same_numbers(&a->entries[index], &b->entries[index]);
}

bool schema_list_has_numbering(const struct schema_list *list, uint32_t numbering)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->entries[i].numbering == numbering)
            return true;
    return false;
}

void schema_list_retain(struct schema_list *list)
{
    atomic_fetch_add_explicit(&list->references, 1, memory_order_relaxed);
}

void schema_list_release(struct schema_list *list)
{
    /* Acquire and release: all threads finish with the schemas before they are freed. */
    if (list == NULL || atomic_fetch_sub_explicit(&list->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < list->count; i++)
        list->entries[i].schema->ops->destroy(list->entries[i].schema);
    free(list);
}

/*
 * Returns true if the entry's schema takes the datagram. The prefix of OTLP over UDP names the kind
 * of content, which must also fit the schema.
 */
static bool entry_takes(const struct schema_entry *entry, const struct address *source,
                        const char *sender, const uint8_t *data, size_t size)
{
    return schema_match_takes(&entry->match, source, sender, data, size) &&
           (entry->framing != FRAMING_OTLP_UDP ||
            otlp_udp_is_for(entry->schema->ops->otlp_udp, data, size));
}

const struct schema_entry *schema_list_find_match(const struct schema_list *list,
                                                  const struct address *source, const char *sender,
                                                  const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < list->count; i++)
        if (entry_takes(&list->entries[i], source, sender, data, size))
            return &list->entries[i];
    return NULL;
}

char *schema_list_names(const struct schema_list *list)
{
    static const char separator[] = ", ";
    size_t size = 1;
    for (size_t i = 0; i < list->count; i++)
        size += strlen(list->entries[i].schema->name) + strlen(separator);
    char *names = malloc(size);
    if (names == NULL)
        return NULL;
    names[0] = '\0';
    for (size_t i = 0; i < list->count; i++) {
        if (i != 0)
            strcat(names, separator);
        strcat(names, list->entries[i].schema->name);
    }
    return names;
}

/* --- slots ------------------------------------------------------------------------------------ */

struct schema_slot {
    struct mutex *lock; /* taken once per batch, not per record */
    struct schema_list *_Atomic list;
};

struct schema_slot *schema_slot_create(struct schema_list *list)
{
    struct schema_slot *slot = calloc(1, sizeof *slot);
    if (slot == NULL)
        return NULL;
    slot->lock = mutex_create();
    if (slot->lock == NULL) {
        free(slot);
        return NULL;
    }
    atomic_init(&slot->list, list);
    return slot;
}

void schema_slot_destroy(struct schema_slot *slot)
{
    if (slot == NULL)
        return;
    schema_list_release(atomic_load(&slot->list));
    mutex_destroy(slot->lock);
    free(slot);
}

struct schema_list *schema_slot_take(struct schema_slot *slot)
{
    mutex_lock(slot->lock);
    struct schema_list *list = atomic_load_explicit(&slot->list, memory_order_relaxed);
    RULE(list != NULL, "a listener that receives has schemas");
    schema_list_retain(list);
    mutex_unlock(slot->lock);
    return list;
}

const struct schema_list *schema_slot_list(const struct schema_slot *slot)
{
    return slot == NULL ? NULL : atomic_load_explicit(&slot->list, memory_order_relaxed);
}

bool schema_slot_holds(const struct schema_slot *slot, const struct schema_list *list)
{
    return atomic_load_explicit(&slot->list, memory_order_relaxed) == list;
}

void schema_slot_put(struct schema_slot *slot, struct schema_list *list)
{
    mutex_lock(slot->lock);
    struct schema_list *before = atomic_load_explicit(&slot->list, memory_order_relaxed);
    atomic_store_explicit(&slot->list, list, memory_order_relaxed);
    mutex_unlock(slot->lock);
    schema_list_release(before);
}
