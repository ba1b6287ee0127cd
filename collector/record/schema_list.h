/*
 * A listener's schemas, or those of several: which datagrams each is for, and where its messages
 * stand in them.
 *
 * A list is immutable and owns its schemas. It is counted: a batch holds a reference from its
 * opening to its last release, so that what is on its way keeps the schemas that decoded it, and
 * whoever lets go last frees them. A slot holds the list that a listener has now; the main thread
 * may put another one there at any time. Lists are made and put by the main thread; taken,
 * retained and released by any.
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
    uint32_t numbering; /* of its senders (struct sequence_key); as made, its place in the list */
    struct schema *schema;
};

struct schema_list {
    _Atomic unsigned references;
    size_t count; /* at least one */
    struct schema_entry entries[];
};

/*
 * Makes all schemas of a listener's configuration; a file is read for it and may take its time. The
 * one reference is the caller's. Returns 0, or -1 with `error` filled: by the schema that could
 * not be made.
 */
int schema_list_create(struct schema_list **out, const struct schema_config *configs, size_t count,
                       struct error *error);

/*
 * Whether two configurations, of that many schemas each, are the same: then one list serves both,
 * and whoever decodes finds one set of tables in the cache and not many.
 */
bool schema_configs_equal(const struct schema_config *a, size_t a_count,
                          const struct schema_config *b, size_t b_count);

/*
 * Whether the schema at place `index` of one list takes the same datagrams, and reads the same
 * numbers from them, as the one at the same place of the other. False where either list is shorter.
 */
bool schema_list_same_numbers(const struct schema_list *a, const struct schema_list *b,
                              size_t index);

/* Whether a schema of the list has this numbering. */
bool schema_list_has_numbering(const struct schema_list *list, uint32_t numbering);

void schema_list_retain(struct schema_list *list);
/* NULL is allowed. */
void schema_list_release(struct schema_list *list);

/* The first that takes a datagram from `source` that begins with these bytes, or NULL. */
const struct schema_entry *schema_list_find(const struct schema_list *list,
                                            const struct address *source, const uint8_t *data,
                                            size_t size);

/* The schemas' names, joined by ", ", to be freed; NULL where memory is short. */
char *schema_list_names(const struct schema_list *list);

struct schema_slot;

/* Takes over the caller's reference. Returns NULL where memory is short; then it takes none. */
struct schema_slot *schema_slot_create(struct schema_list *list);

/* Lets go of its list. NULL is allowed. */
void schema_slot_destroy(struct schema_slot *slot);

/* The list that is there now, with a reference for the caller. */
struct schema_list *schema_slot_take(struct schema_slot *slot);

/*
 * The list that is there now, without a reference: for the main thread, which alone puts another
 * one. NULL where there is none, or no slot.
 */
const struct schema_list *schema_slot_list(const struct schema_slot *slot);

/* Whether this list, in which the caller has a reference, is the one that is there now. */
bool schema_slot_holds(const struct schema_slot *slot, const struct schema_list *list);

/* Takes over the caller's reference and lets go of the list that was there. */
void schema_slot_put(struct schema_slot *slot, struct schema_list *list);

#endif
