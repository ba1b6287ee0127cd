/*
 * Lists the schemas of one or more listeners, and finds the schema that decodes a datagram.
 *
 * A list is immutable and owns its schemas. It has a reference count. A batch holds a reference
 * until its last release, so that records in flight keep the schemas that decoded them. The last
 * release frees the list.
 *
 * A slot holds a listener's present list; the main thread may replace it at any time. The main
 * thread creates and puts lists; any thread may take, retain and release them.
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
    size_t header;      /* bytes to skip ahead of the messages */
    uint32_t numbering; /* for struct sequence_key; initially the index of the entry */
    struct schema *schema;
};

struct schema_list {
    _Atomic unsigned references;
    size_t count; /* at least 1 */
    struct schema_entry entries[];
};

/*
 * Creates the schemas of a listener's configuration, which may read files and block. The caller
 * gets the only reference. Returns 0, or -1 with *error set. *failed, unless `failed` is NULL,
 * becomes the index of the schema that failed, or `count` if out of memory.
 */
int schema_list_create(struct schema_list **out, const struct schema_config *configs, size_t count,
                       size_t *failed, struct error *error);

/*
 * Returns true if two configurations are equal. Listeners with equal configurations share a list,
 * so that the processor's cache holds only one set of decoding tables.
 */
bool schema_configs_equal(const struct schema_config *a, size_t a_count,
                          const struct schema_config *b, size_t b_count);

/*
 * Returns true if the schemas at `index` of the two lists accept the same datagrams and read the
 * same sequence numbers from them. Returns false if either list is too short.
 */
bool schema_list_same_numbers(const struct schema_list *a, const struct schema_list *b,
                              size_t index);

/* Returns true if an entry of the list has this numbering. */
bool schema_list_has_numbering(const struct schema_list *list, uint32_t numbering);

void schema_list_retain(struct schema_list *list);
/* NULL is allowed. */
void schema_list_release(struct schema_list *list);

static inline bool schema_list_contains(const struct schema_list *list,
                                        const struct schema_entry *entry)
{
    return entry >= list->entries && entry < list->entries + list->count;
}

/* For schema_list_find only. */
const struct schema_entry *schema_list_find_match(const struct schema_list *list,
                                                  const struct address *source, const char *sender,
                                                  const uint8_t *data, size_t size);

/*
 * Returns the first entry that accepts a datagram from `source` that begins with these bytes, or
 * NULL. `sender` is the name of the key that sealed it, or NULL if it was not sealed. In most lists
 * the first entry accepts all datagrams.
 */
static inline const struct schema_entry *schema_list_find(const struct schema_list *list,
                                                          const struct address *source,
                                                          const char *sender, const uint8_t *data,
                                                          size_t size)
{
    const struct schema_entry *first = &list->entries[0];
    if (first->match.kind == MATCH_ALL && first->framing != FRAMING_OTLP_UDP)
        return first;
    return schema_list_find_match(list, source, sender, data, size);
}

/*
 * Returns the schemas' names, joined by ", ". The caller frees the text. Returns NULL if out of
 * memory.
 */
char *schema_list_names(const struct schema_list *list);

struct schema_slot;

/*
 * Takes over the caller's reference to the list. Returns NULL if out of memory; then the caller
 * keeps the reference.
 */
struct schema_slot *schema_slot_create(struct schema_list *list);

/* Frees the slot and releases its list. NULL is allowed. */
void schema_slot_destroy(struct schema_slot *slot);

/* Returns the present list, with a reference for the caller. */
struct schema_list *schema_slot_take(struct schema_slot *slot);

/*
 * Main thread: returns the present list, without a reference. The list stays valid because only the
 * main thread replaces it. Returns NULL if the slot is NULL or has no list.
 */
const struct schema_list *schema_slot_list(const struct schema_slot *slot);

/* Returns true if `list` is the slot's present list. The caller must hold a reference to `list`. */
bool schema_slot_holds(const struct schema_slot *slot, const struct schema_list *list);

/* Takes over the caller's reference to the new list, and releases the previous list. */
void schema_slot_put(struct schema_slot *slot, struct schema_list *list);

#endif
