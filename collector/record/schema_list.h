/*
 * The schemas of one or several listeners: which datagrams each is for, and where its messages are
 * in them.
 *
 * A list is immutable and owns its schemas. It has a reference count: a batch holds a reference
 * from its opening to its last release, so that records in flight keep the schemas that decoded
 * them; the last release frees the list. A slot holds a listener's present list; the main thread
 * may replace it at any time. The main thread creates and puts lists; any thread may take, retain
 * and release them.
 */
#ifndef SLUICE_COLLECTOR_RECORD_SCHEMA_LIST_H
#define SLUICE_COLLECTOR_RECORD_SCHEMA_LIST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/framing.h"
#include "collector/contract/schema.h"
#include "collector/contract/schema_config.h"
#include "collector/contract/schema_match.h"

struct schema_entry {
    struct schema_match match;
    enum framing framing;
    size_t header;      /* bytes */
    uint32_t numbering; /* `numbering` of its senders' struct sequence_key; at first the entry's
                           index */
    struct schema *schema;
};

struct schema_list {
    _Atomic unsigned references;
    size_t count; /* at least one */
    struct schema_entry entries[];
};

/*
 * Creates all schemas of a listener's configuration, which may read files and block. The caller
 * holds the only reference. Returns 0, or -1 with *error set by the schema that failed. *failed
 * becomes the index of that schema, or `count` if memory is short; `failed` may be NULL.
 */
int schema_list_create(struct schema_list **out, const struct schema_config *configs, size_t count,
                       size_t *failed, struct error *error);

/*
 * Whether two configurations are equal. Listeners with equal configurations share one list, so that
 * the processor's cache has only one set of decoding tables.
 */
bool schema_configs_equal(const struct schema_config *a, size_t a_count,
                          const struct schema_config *b, size_t b_count);

/*
 * Whether the schemas at `index` of the two lists take the same datagrams and read the same
 * sequence numbers from them. Returns false if either list is too short.
 */
bool schema_list_same_numbers(const struct schema_list *a, const struct schema_list *b,
                              size_t index);

/* Whether a schema of the list has this numbering. */
bool schema_list_has_numbering(const struct schema_list *list, uint32_t numbering);

void schema_list_retain(struct schema_list *list);
/* NULL is allowed. */
void schema_list_release(struct schema_list *list);

/* Whether the entry is in the list. */
static inline bool schema_list_contains(const struct schema_list *list,
                                        const struct schema_entry *entry)
{
    return entry >= list->entries && entry < list->entries + list->count;
}

/*
 * Returns the first entry that takes a datagram that came from `source` and begins with these
 * bytes, or NULL. `sender`: the name of the key that sealed it; NULL: it was not sealed.
 */
const struct schema_entry *schema_list_find(const struct schema_list *list,
                                            const struct address *source, const char *sender,
                                            const uint8_t *data, size_t size);

/* The schemas' names, joined by ", ", to be freed by the caller. Returns NULL if out of memory. */
char *schema_list_names(const struct schema_list *list);

struct schema_slot;

/*
 * Takes over the caller's reference to the list. If out of memory, returns NULL, and the caller
 * keeps the reference.
 */
struct schema_slot *schema_slot_create(struct schema_list *list);

/* Frees the slot and releases its list. NULL is allowed. */
void schema_slot_destroy(struct schema_slot *slot);

/* The present list, with a reference for the caller. */
struct schema_list *schema_slot_take(struct schema_slot *slot);

/*
 * Main thread: the present list, without a reference: it stays valid because only the main thread
 * replaces it. NULL: the slot is NULL or has no list.
 */
const struct schema_list *schema_slot_list(const struct schema_slot *slot);

/* Whether `list`, to which the caller holds a reference, is the slot's present list. */
bool schema_slot_holds(const struct schema_slot *slot, const struct schema_list *list);

/* Takes over the caller's reference to the new list, and releases the list that was in the slot. */
void schema_slot_put(struct schema_slot *slot, struct schema_list *list);

#endif
