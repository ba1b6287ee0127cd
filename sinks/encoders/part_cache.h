/*
 * Caches the parts of a sample's line that do not depend on its value and its times: its name,
 * kind, unit and labels, as an encoder writes them.
 *
 * Senders repeat most series in each datagram. An encoder looks a sample up by the texts that the
 * sender sent, and copies the parts that it wrote for an earlier sample with the same texts. The
 * cache has a fixed size, and newer entries replace older ones. If few samples are found, because
 * there are more series than entries, the cache pauses. Lines are the same with and without the
 * cache.
 *
 * Belongs to one encoder and is used by its thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_PART_CACHE_H
#define SLUICE_SINKS_ENCODERS_PART_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/record.h"
#include "collector/contract/schema.h"

/* A key consists of texts that are copied to words. Longer keys are not in the cache. */
#define PART_KEY_WORDS 92

struct part_key {
    size_t words; /* 0: there is no key */
    uint64_t hash;
    uint64_t word[PART_KEY_WORDS];
};

/*
 * Bytes of an entry. An odd number of cache lines, so that the beginnings of entries are spread
 * over the processor's cache.
 */
#define PART_ENTRY_SIZE 960

struct part_entry {
    uint64_t hash;
    uint32_t steps; /* steps of writing the labels (sample_labels.h) */
    uint16_t words; /* 0: the entry is empty */
    uint16_t before_size, after_size;
    char bytes[PART_ENTRY_SIZE - 18]; /* the words of the key, then both parts */
};

struct part_shared;

struct part_cache {
    struct part_entry *entries; /* owned, with `shared` */
    struct part_shared *shared; /* sets of labels that the samples of a message share */
    const void *message;        /* the message whose shared labels were looked up last */
    uint64_t shared_number;     /* the number of their set; 0: they are not in the cache */
    const struct part_shared *last_shared; /* the set that was found last; NULL: none yet */
    uint64_t last_number;                  /* number of the newest set */
    struct part_key key;  /* the key of the sample that was looked up last and not found */
    size_t replaced;      /* number of entries written so far */
    size_t looked, found; /* in the current period */
    size_t paused;        /* number of messages whose samples will not be looked up */
};

/* Return the part of a line before the value, and the part after the value. */
static inline const char *part_entry_before(const struct part_entry *entry)
{
    return entry->bytes + 8 * (size_t)entry->words;
}

static inline const char *part_entry_after(const struct part_entry *entry)
{
    return part_entry_before(entry) + entry->before_size;
}

/* Returns false, with nothing to destroy, if memory is short. */
bool part_cache_init(struct part_cache *cache);
void part_cache_destroy(struct part_cache *cache);

/*
 * Begins a record. Its message may be at the same address as an earlier message, so the cache
 * forgets the address.
 */
static inline void part_cache_begin_record(struct part_cache *cache)
{
    cache->message = NULL;
}

/*
 * Returns the entry with the parts of the sample's line, which is valid until the next call; or
 * NULL.
 */
const struct part_entry *part_cache_find(struct part_cache *cache, const struct record *record,
                                         const struct sample *sample);

/*
 * Keeps the parts of the line of the sample that part_cache_find has just not found, and the steps
 * that its labels took. Does nothing if the sample has too many texts.
 */
void part_cache_keep(struct part_cache *cache, struct text before, struct text after, size_t steps);

#endif
