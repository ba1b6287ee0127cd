#include "collector/senders/sequence_sets.h"

#include <stdlib.h>

#include "collector/base/rule.h"

size_t sequence_sets_memory(size_t senders, uint32_t window)
{
    return sharded_sets_for(senders) * sequence_set_size(window) + SEQUENCE_CACHE_LINE;
}

static uint8_t *first_line_of(void *memory)
{
    return (uint8_t *)(((uintptr_t)memory + SEQUENCE_CACHE_LINE - 1) / SEQUENCE_CACHE_LINE *
                       SEQUENCE_CACHE_LINE);
}

bool sequence_sets_create(struct sequence_sets *sets, size_t senders, uint32_t window,
                          const uint8_t secret[16])
{
    sets->window = window;
    /* The memory is zeroed only by calloc, so that pages that no sender uses take no memory. */
    sets->memory = calloc(1, sequence_sets_memory(senders, window));
    sets->first = first_line_of(sets->memory);
    return sharded_sets_create(&sets->frame, sharded_sets_for(senders), secret) &&
           sets->memory != NULL;
}

void sequence_sets_destroy(struct sequence_sets *sets)
{
    sharded_sets_destroy(&sets->frame);
    free(sets->memory);
    free(sets->senders);
}

static size_t kept_memory(size_t sets)
{
    return sets * WAYS * sizeof(struct sequence_sender);
}

size_t sequence_sets_senders_memory(size_t senders)
{
    return kept_memory(sharded_sets_for(senders));
}

bool sequence_sets_keep_senders(struct sequence_sets *sets)
{
    RULE(sets->senders == NULL, "senders are kept from one call on");
    sets->senders = calloc(1, kept_memory(sets->frame.count));
    return sets->senders != NULL;
}

/* Returns the index of the sender's slot in the set, or WAYS if the set does not have it. */
static size_t find_way(const struct sequence_set *set, const uint64_t fingerprint[2])
{
    size_t way = 0;
    while (way < WAYS &&
           (set->last_used[way] == 0 ||
            atomic_load_explicit(&set->fingerprint[way], memory_order_relaxed) != fingerprint[0] ||
            set->sender[way].fingerprint != fingerprint[1]))
        way++;
    return way;
}

bool sequence_sets_find(const struct sequence_sets *sets, const struct sequence_step *step,
                        struct slot *slot)
{
    *slot = (struct slot){step->set, find_way(sequence_set_at(sets, step->set), step->fingerprint)};
    if (slot->way != WAYS)
        return true;
    slot->set = second_set(&sets->frame, step->set, step->fingerprint);
    slot->way = find_way(sequence_set_at(sets, slot->set), step->fingerprint);
    return slot->way != WAYS;
}

/* Ranks an empty slot lowest, then the sender that has been quiet longest. */
static int64_t quiet_longest(const void *sets, struct slot slot)
{
    uint64_t last_used = sequence_set_at(sets, slot.set)->last_used[slot.way];
    return last_used == 0 ? INT64_MIN : (int64_t)last_used;
}

struct slot sequence_sets_choose(const struct sequence_sets *sets, const struct sequence_step *step)
{
    const size_t both[] = {step->set, second_set(&sets->frame, step->set, step->fingerprint)};
    return slot_of_least(both, quiet_longest, sets);
}

struct sequence_suspect sequence_sets_suspect(const struct sequence_sets *sets, struct slot slot)
{
    uint64_t tick = sequence_set_at(sets, slot.set)->last_used[slot.way];
    const struct sequence_kept_suspect *kept =
        &sets->suspects[slot.set % SHARDS][tick % SEQUENCE_SUSPECTS];
    return (struct sequence_suspect){.is_open = tick != 0 && kept->tick == tick,
                                     .number = kept->number};
}

void sequence_sets_keep_suspect(struct sequence_sets *sets, struct slot slot, uint64_t tick,
                                const struct sequence_suspect *suspect)
{
    if (suspect->is_open)
        sets->suspects[slot.set % SHARDS][tick % SEQUENCE_SUSPECTS] =
            (struct sequence_kept_suspect){.tick = tick, .number = suspect->number};
}
