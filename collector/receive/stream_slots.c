#include "collector/receive/stream_slots.h"

#include <stdlib.h>

#include "collector/base/rule.h"

struct stream_slot_group {
    struct stream_slot_group *next;
    struct stream_slot slots[];
};

size_t stream_slots_memory(size_t count)
{
    return count * (sizeof(struct stream_slot) + sizeof(struct stream_slot *)) +
           2 * stream_hosts_memory(count + 1);
}

int stream_slots_init(struct stream_slots *slots, struct error *error)
{
    slots->lock = mutex_create();
    if (slots->lock == NULL)
        return error_no_memory(error);
    if (stream_hosts_init(&slots->hosts, error) != 0)
        return -1;
    return stream_hosts_init(&slots->networks, error);
}

void stream_slots_destroy(struct stream_slots *slots)
{
    mutex_destroy(slots->lock);
    stream_hosts_destroy(&slots->hosts);
    stream_hosts_destroy(&slots->networks);
    while (slots->groups != NULL) {
        struct stream_slot_group *group = slots->groups;
        slots->groups = group->next;
        free(group);
    }
    free(slots->all);
}

bool stream_slots_grow(struct stream_slots *slots, size_t count)
{
    if (count <= slots->count)
        return true;
    if (!stream_hosts_grow(&slots->hosts, count + 1) ||
        !stream_hosts_grow(&slots->networks, count + 1))
        return false;
    struct stream_slot **grown = realloc(slots->all, count * sizeof(struct stream_slot *));
    if (grown == NULL)
        return false;
    slots->all = grown;
    size_t more = count - slots->count;
    struct stream_slot_group *group = calloc(1, sizeof *group + more * sizeof group->slots[0]);
    if (group == NULL)
        return false;
    group->next = slots->groups;
    slots->groups = group;
    for (size_t i = 0; i < more; i++)
        slots->all[slots->count++] = &group->slots[i];
    return true;
}

/* --- ownership -------------------------------------------------------------------------------- */

static enum stream_slot_phase phase_of(uint64_t state)
{
    return (enum stream_slot_phase)(state % STREAM_SLOT_PHASES);
}

static uint64_t in_phase(uint64_t state, enum stream_slot_phase phase)
{
    return state - state % STREAM_SLOT_PHASES + phase;
}

static uint64_t next_arming(const struct stream_slot *slot, enum stream_slot_phase phase)
{
    return in_phase(atomic_load(&slot->state) + STREAM_SLOT_PHASES, phase);
}

enum stream_slot_phase stream_slot_phase(const struct stream_slot *slot)
{
    return phase_of(atomic_load(&slot->state));
}

void stream_slot_open(struct stream_slot *slot)
{
    RULE(stream_slot_phase(slot) == SLOT_FREE, "a slot is free before it is opened");
    slot->hung_up = false;
    slot->is_named = false;
    atomic_store(&slot->paused, false);
    atomic_store(&slot->waits, false);
    atomic_store(&slot->state, in_phase(atomic_load(&slot->state), SLOT_OWNED));
}

bool stream_slot_claim(struct stream_slot *slot, bool by_event)
{
    uint64_t state = atomic_load(&slot->state);
    while (phase_of(state) == SLOT_ARMED || (by_event && phase_of(state) == SLOT_ARMING))
        if (atomic_compare_exchange_weak(&slot->state, &state, in_phase(state, SLOT_OWNED)))
            return true;
    return false;
}

void stream_slot_note_times(struct stream_slot *slot)
{
    atomic_store(&slot->due_ns, slot->connection.due_ns);
    atomic_store(&slot->pressure_ns, slot->connection.pressure_ns);
}

uint64_t stream_slot_begin_arming(struct stream_slot *slot)
{
    RULE(stream_slot_phase(slot) == SLOT_OWNED, "only the owner of a slot arms it");
    stream_slot_note_times(slot);
    atomic_fetch_add(&slot->armers, 1);
    uint64_t arming = next_arming(slot, SLOT_ARMING);
    atomic_store(&slot->state, arming);
    return arming;
}

bool stream_slot_end_arming(struct stream_slot *slot, uint64_t arming, bool failed)
{
    uint64_t expected = arming;
    bool ours = atomic_compare_exchange_strong(&slot->state, &expected,
                                               in_phase(arming, failed ? SLOT_OWNED : SLOT_ARMED));
    atomic_fetch_sub(&slot->armers, 1);
    return ours && failed;
}

bool stream_slot_arm(struct stream_slot *slot, struct notifier *notifier, unsigned interests,
                     bool is_new)
{
    struct error error;
    wait_handle socket = slot->connection.channel.socket;
    uint64_t arming = stream_slot_begin_arming(slot);
    int result =
        (is_new ? notifier_watch : notifier_arm)(notifier, socket, slot, interests, &error);
    return stream_slot_end_arming(slot, arming, result != 0);
}

void stream_slot_park(struct stream_slot *slot)
{
    RULE(stream_slot_phase(slot) == SLOT_OWNED, "only the owner of a slot parks it");
    stream_slot_note_times(slot);
    atomic_store(&slot->state, next_arming(slot, SLOT_ARMED));
}

/* --- free slots ------------------------------------------------------------------------------- */

static struct stream_slot *take_for(struct stream_slots *slots, struct stream_host *host)
{
    struct stream_slot *slot = slots->free;
    RULE(slot != NULL || slots->made < slots->count, "there is a slot for each connection");
    if (slot != NULL)
        slots->free = slot->next;
    else
        slot = slots->all[slots->made++];
    slot->host = host;
    slot->network = stream_hosts_enter(&slots->networks, &host->address, SIZE_MAX);
    RULE(slot->network != NULL, "there is a place for each connection's network");
    atomic_fetch_add(&slots->open, 1);
    return slot;
}

struct stream_slot *stream_slots_acquire(struct stream_slots *slots, const struct address *peer,
                                         size_t most, size_t most_of_host, bool *of_host)
{
    struct stream_slot *slot = NULL;
    /* The address whose connections are counted: that of the peer's network. A link-local address
     * counts by itself, because all hosts of a link are in fe80::/64; only such addresses have a
     * scope. */
    const struct address counted = peer->scope != 0 ? *peer : address_network(peer);
    mutex_lock(slots->lock);
    struct stream_host *host = stream_hosts_enter(&slots->hosts, &counted, most_of_host);
    *of_host = host == NULL; /* the table is never full, so the host has reached its limit */
    if (host != NULL && atomic_load(&slots->open) < most)
        slot = take_for(slots, host);
    else
        stream_hosts_leave(&slots->hosts, host);
    mutex_unlock(slots->lock);
    return slot;
}

/*
 * The connection enters the host of its name before it leaves the host of its network. It then
 * counts for two hosts, so the table has room for one host more than there are connections.
 */
void stream_slots_name(struct stream_slots *slots, struct stream_slot *slot,
                       const struct stream_settings *settings)
{
    RULE(stream_slot_phase(slot) == SLOT_OWNED && !slot->is_named,
         "the owner of a slot names it once");
    const struct address name = stream_hosts_named(slot->connection.channel.name);
    slot->is_named = true;
    mutex_lock(slots->lock);
    struct stream_host *host = stream_hosts_enter(&slots->networks, &name, SIZE_MAX);
    RULE(host != NULL, "there is a place for one host more than for connections");
    stream_connection_set_share(&slot->connection, settings, &host->share);
    stream_hosts_leave(&slots->networks, slot->network);
    slot->network = host;
    mutex_unlock(slots->lock);
}

void stream_slots_release(struct stream_slots *slots, struct stream_slot *slot)
{
    enum stream_slot_phase phase = stream_slot_phase(slot);
    RULE(phase == SLOT_OWNED || phase == SLOT_FREE, "only the owner of a slot releases it");
    RULE(atomic_load(&slot->armers) == 0, "no thread arms a slot that is released");
    mutex_lock(slots->lock);
    RULE(atomic_load(&slots->open) != 0, "a slot that is released was counted");
    stream_hosts_leave(&slots->hosts, slot->host);
    stream_hosts_leave(&slots->networks, slot->network);
    atomic_store(&slot->state, in_phase(atomic_load(&slot->state), SLOT_FREE));
    slot->next = slots->free;
    slots->free = slot;
    atomic_fetch_sub(&slots->open, 1);
    mutex_unlock(slots->lock);
}

size_t stream_slots_made(struct stream_slots *slots)
{
    mutex_lock(slots->lock);
    size_t made = slots->made;
    mutex_unlock(slots->lock);
    return made;
}
