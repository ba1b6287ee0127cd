#include "sinks/encoders/part_cache.h"

#include <stdlib.h>
#include <string.h>

#include "collector/contract/encoder.h"
#include "collector/text/compiler.h"
#include "collector/text/plain_text.h"
#include "sinks/encoders/sample_labels.h"

/* An entry has one of two places, which its hash selects. */
#define ENTRIES_BITS 8
#define ENTRIES      ((size_t)2 << ENTRIES_BITS)

_Static_assert(sizeof(struct part_entry) == PART_ENTRY_SIZE, "entries have no padding");

/* The longest text that the cache keeps, in bytes and in words. */
#define TEXT_SIZE  240
#define TEXT_WORDS (TEXT_SIZE / 8)

/*
 * A set of labels that the samples of a message share. It has one of two places, which its hash
 * selects.
 */
#define SHARED_BITS  7
#define SHARED       ((size_t)2 << SHARED_BITS)
#define SHARED_WORDS (2 + TEXT_WORDS)

struct part_shared {
    uint64_t number; /* different for each set, even for sets in the same place; 0: no set */
    uint64_t hash;
    size_t words;
    uint64_t word[SHARED_WORDS];
};

_Static_assert(ENTRIES *PART_ENTRY_SIZE + SHARED * sizeof(struct part_shared) <= ENCODER_CACHE_SIZE,
               "the memory plan contains the cache");

/*
 * A key consists of a word with one byte for each of these numbers, a word with the number of the
 * set of shared labels, and the words of each text.
 */
enum head_byte { HEAD_KIND, HEAD_TEMPORALITY, HEAD_TYPE, HEAD_NAME, HEAD_UNIT, HEAD_LABELS };

_Static_assert(2 + 3 * TEXT_WORDS <= PART_KEY_WORDS, "the name, the unit and labels fit in a key");

/*
 * Of each period of this number of samples, at least a quarter must be found; otherwise the cache
 * pauses for this number of messages.
 */
#define PERIOD 1024
#define PAUSE  16384

bool part_cache_init(struct part_cache *cache)
{
    *cache = (struct part_cache){0};
    char *memory = calloc(1, ENTRIES * PART_ENTRY_SIZE + SHARED * sizeof *cache->shared);
    if (memory == NULL)
        return false;
    cache->entries = (struct part_entry *)(void *)memory;
    cache->shared = (struct part_shared *)(void *)(memory + ENTRIES * PART_ENTRY_SIZE);
    return true;
}

void part_cache_destroy(struct part_cache *cache)
{
    free(cache->entries);
}

/* --- keys ------------------------------------------------------------------------------------- */

/* A key that is being made. */
struct making {
    uint64_t *next; /* place of the next word */
    uint64_t hash;
};

/*
 * The hash is a polynomial of the words. Senders can choose texts with the same hash, which then
 * replace each other, as any other texts may.
 */
#define HASH_FACTOR UINT64_C(0x9e3779b97f4a7c15)

static inline void add_word(struct making *key, uint64_t word)
{
    *key->next++ = word;
    key->hash = (key->hash + word) * HASH_FACTOR;
}

/* Returns the only word of a text of less than 8 bytes. */
static inline uint64_t short_word(const struct text *text)
{
    return text->size == 0 ? 0
                           : plain_text_load_short((const unsigned char *)text->data, text->size);
}

/* Adds the text's bytes to the key, in whole words; the last ones may overlap those before them. */
static ALWAYS_INLINE void add_text(struct making *key, const struct text *text)
{
    const unsigned char *bytes = (const unsigned char *)text->data;
    size_t size = text->size;
    if (size < 8) {
        add_word(key, short_word(text));
        return;
    }
    const unsigned char *last = bytes + size - 8;
    for (; bytes < last; bytes += 8)
        add_word(key, plain_text_load_8(bytes));
    add_word(key, plain_text_load_8(last));
}

static void end_key(struct part_key *key, const struct making *making)
{
    key->words = (size_t)(making->next - key->word);
    key->hash = (making->hash ^ making->hash >> 32) * HASH_FACTOR;
}

static bool is_same(const struct part_key *key, uint64_t hash, size_t words, const void *word)
{
    return key->hash == hash && key->words == words && memcmp(key->word, word, 8 * words) == 0;
}

/* Returns which of two places to use: a free one, or else the two in turn. */
static size_t place_in(bool first_free, bool second_free, uint64_t turn)
{
    return first_free ? 0 : second_free ? 1 : turn & 1;
}

/* --- labels that samples share ---------------------------------------------------------------- */

/* Returns true if the set has these labels: compares them with the words that add_text added. */
static inline bool is_set_of(const struct part_shared *set, const struct schema_ops *ops,
                             const struct text *labels)
{
    const unsigned char *bytes = (const unsigned char *)labels->data;
    const uint64_t *word = set->word;
    if (*word++ != (uintptr_t)ops || *word++ != labels->size)
        return false;
    if (labels->size < 8)
        return *word == short_word(labels);
    const unsigned char *last = bytes + labels->size - 8;
    for (; bytes < last; bytes += 8)
        if (*word++ != plain_text_load_8(bytes))
            return false;
    return *word == plain_text_load_8(last);
}

static const struct part_shared *
look_shared_up(struct part_cache *cache, const struct schema_ops *ops, const struct text *labels)
{
    struct part_key *key = &cache->key;
    struct making making = {key->word, 0};
    /*
     * Equal bytes of another schema are other labels. The address does not change the hash: where
     * sets are must not depend on where the program is loaded.
     */
    *making.next++ = (uintptr_t)ops;
    add_word(&making, labels->size);
    add_text(&making, labels);
    end_key(key, &making);
    struct part_shared *set = &cache->shared[2 * (key->hash >> (64 - SHARED_BITS))];
    for (size_t i = 0; i < 2; i++)
        if (set[i].number != 0 && is_same(key, set[i].hash, set[i].words, set[i].word))
            return &set[i];
    struct part_shared *replaced =
        &set[place_in(set[0].number == 0, set[1].number == 0, ++cache->last_number)];
    replaced->number = cache->last_number;
    replaced->hash = key->hash;
    replaced->words = key->words;
    memcpy(replaced->word, key->word, 8 * key->words);
    return replaced;
}

/*
 * Returns the number of the set of labels that the message's samples share; 0: it has none.
 * Messages of one sender often follow each other, so the set that was found last is tried first.
 */
static uint64_t find_shared(struct part_cache *cache, const struct record *record)
{
    const struct schema_ops *ops = record->schema->ops;
    struct text labels;
    if (!ops->label_bytes(record->message, NULL, &labels) || labels.size > TEXT_SIZE)
        return 0;
    if (cache->last_shared == NULL || !is_set_of(cache->last_shared, ops, &labels))
        cache->last_shared = look_shared_up(cache, ops, &labels);
    return cache->last_shared->number;
}

/* --- entries ---------------------------------------------------------------------------------- */

static struct part_entry *set_of(const struct part_cache *cache)
{
    return &cache->entries[2 * (cache->key.hash >> (64 - ENTRIES_BITS))];
}

static inline bool is_entry_of(const struct part_entry *entry, const struct part_key *key)
{
    return is_same(key, entry->hash, entry->words, entry->bytes);
}

/* Pauses the cache after a period in which it was of little use. */
static NEVER_INLINE void end_period(struct part_cache *cache)
{
    if (cache->found < PERIOD / 4)
        cache->paused = PAUSE;
    cache->looked = cache->found = 0;
}

static inline const struct part_entry *find_entry(struct part_cache *cache)
{
    const struct part_entry *entry = set_of(cache);
    if (cache->looked++ == PERIOD)
        end_period(cache);
    if (!is_entry_of(entry, &cache->key) && !is_entry_of(++entry, &cache->key))
        return NULL;
    cache->found++;
    cache->key.words = 0;
    return entry;
}

/* Sets the key of the sample, unless its texts are too long. */
static inline void set_key(struct part_cache *cache, const struct sample *sample,
                           const struct text *labels)
{
    struct making making = {cache->key.word, 0};
    if (sample->name.size > TEXT_SIZE || sample->unit.size > TEXT_SIZE || labels->size > TEXT_SIZE)
        return;
    add_word(&making, (uint64_t)sample->kind << 8 * HEAD_KIND |
                          (uint64_t)sample->temporality << 8 * HEAD_TEMPORALITY |
                          (uint64_t)sample->type << 8 * HEAD_TYPE |
                          (uint64_t)sample->name.size << 8 * HEAD_NAME |
                          (uint64_t)sample->unit.size << 8 * HEAD_UNIT |
                          (uint64_t)labels->size << 8 * HEAD_LABELS);
    add_word(&making, cache->shared_number);
    add_text(&making, &sample->name);
    add_text(&making, &sample->unit);
    add_text(&making, labels);
    end_key(&cache->key, &making);
}

/* Returns the number of the set of labels for a new message; 0: the cache is not used for it. */
static inline uint64_t begin_message(struct part_cache *cache, const struct record *record)
{
    cache->message = record->message;
    if (record->schema->ops->label_bytes == NULL || record->size > CACHED_RECORD_MOST)
        return 0;
    if (cache->paused != 0) {
        cache->paused--;
        return 0;
    }
    return find_shared(cache, record);
}

const struct part_entry *part_cache_find(struct part_cache *cache, const struct record *record,
                                         const struct sample *sample)
{
    struct text labels;
    if (cache->message != record->message)
        cache->shared_number = begin_message(cache, record);
    cache->key.words = 0;
    if (cache->shared_number == 0 ||
        !record->schema->ops->label_bytes(record->message, sample, &labels))
        return NULL;
    set_key(cache, sample, &labels);
    return cache->key.words == 0 ? NULL : find_entry(cache);
}

void part_cache_keep(struct part_cache *cache, struct text before, struct text after, size_t steps)
{
    struct part_key *key = &cache->key;
    size_t words = key->words;
    size_t key_size = 8 * words;
    key->words = 0; /* a key is for one sample */
    if (words == 0 || steps > UINT32_MAX)
        return;
    struct part_entry *set = set_of(cache);
    struct part_entry *entry =
        &set[place_in(set[0].words == 0, set[1].words == 0, cache->replaced++)];
    size_t room = sizeof entry->bytes - key_size;
    if (before.size > room || after.size > room - before.size)
        return;
    entry->hash = key->hash;
    entry->steps = (uint32_t)steps;
    entry->words = (uint16_t)words;
    entry->before_size = (uint16_t)before.size;
    entry->after_size = (uint16_t)after.size;
    memcpy(entry->bytes, key->word, key_size);
    memcpy(entry->bytes + key_size, before.data, before.size);
    memcpy(entry->bytes + key_size + before.size, after.data, after.size);
}
