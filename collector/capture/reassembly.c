#include "collector/capture/reassembly.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"

#define SLOT_BYTES 65536 /* the largest datagram (65,535 bytes), rounded up to whole units */
#define UNIT       8     /* fragment offsets are multiples of this number of bytes */
#define UNITS      (SLOT_BYTES / UNIT)

/*
 * A fragment belongs to a stored datagram only if it was captured at most this time before or after
 * the fragment that was stored first: 60 s (RFC 8200, section 4.5). RFC 1122, section 3.3.2, allows
 * 60 s for IPv4.
 */
#define LIFETIME_NS UINT64_C(60000000000)

struct slot {
    uint64_t number; /* increases with each datagram that begins; 0 if the slot is free */
    int64_t time_ns;
    struct frame_hosts hosts;
    uint32_t id;
    uint8_t next_header; /* valid after the fragment at offset 0 was stored */
    bool unwanted;       /* the datagram is not UDP or not to the port */
    bool refused;        /* IPv6 fragments contradicted each other, so it never completes */
    bool end_known;      /* the last fragment was stored, so `reach` is the datagram's size */
    size_t reach;        /* end of the stored byte with the highest offset */
    size_t units;
    uint64_t fragments;
    uint8_t come[UNITS / 8]; /* a bit for each unit that was stored */
    uint8_t bytes[SLOT_BYTES];
};

struct reassembly {
    struct capture_counts *counts;
    uint64_t begun;
    struct slot slots[REASSEMBLY_SLOTS];
};

struct reassembly *reassembly_create(struct capture_counts *counts)
{
    struct reassembly *reassembly = calloc(1, sizeof *reassembly);
    if (reassembly != NULL)
        reassembly->counts = counts;
    return reassembly;
}

/* A datagram that is not UDP or not to the port does not count as incomplete. */
static void discard_slot(struct reassembly *reassembly, struct slot *slot)
{
    RULE(slot->number != 0 && slot->fragments != 0, "a discarded slot has a fragment");
    if (slot->unwanted) {
        reassembly->counts->other += slot->fragments;
    } else {
        reassembly->counts->fragments += slot->fragments;
        reassembly->counts->incomplete++;
    }
    slot->number = 0;
}

static bool same_datagram(const struct slot *slot, const struct frame_fragment *fragment)
{
    return slot->id == fragment->id && slot->hosts.ip_version == fragment->hosts.ip_version &&
           memcmp(slot->hosts.source, fragment->hosts.source, 16) == 0 &&
           memcmp(slot->hosts.destination, fragment->hosts.destination, 16) == 0;
}

/*
 * Returns true if `time_ns` is more than LIFETIME_NS before or after the slot's time. The frames of
 * a capture may be in any order of time.
 */
static bool outlived(const struct slot *slot, int64_t time_ns)
{
    uint64_t apart = time_ns > slot->time_ns ? (uint64_t)time_ns - (uint64_t)slot->time_ns
                                             : (uint64_t)slot->time_ns - (uint64_t)time_ns;
    return apart > LIFETIME_NS;
}

static struct slot *begin_datagram(struct reassembly *reassembly, struct slot *slot,
                                   const struct frame_fragment *fragment, int64_t time_ns)
{
    RULE(slot >= reassembly->slots && slot < reassembly->slots + REASSEMBLY_SLOTS,
         "a slot belongs to its reassembly");
    if (slot->number != 0)
        discard_slot(reassembly, slot);
    slot->number = ++reassembly->begun;
    slot->time_ns = time_ns;
    slot->hosts = fragment->hosts;
    slot->id = fragment->id;
    slot->next_header = fragment->next_header;
    slot->unwanted = false;
    slot->refused = false;
    slot->end_known = false;
    slot->reach = 0;
    slot->units = 0;
    slot->fragments = 0;
    memset(slot->come, 0, sizeof slot->come);
    return slot;
}

/*
 * Returns the slot of the fragment's datagram. If there is none, begins the datagram in a free
 * slot, or in that of the oldest datagram.
 */
static struct slot *find_or_begin(struct reassembly *reassembly,
                                  const struct frame_fragment *fragment, int64_t time_ns)
{
    struct slot *oldest = &reassembly->slots[0];
    for (size_t i = 0; i < REASSEMBLY_SLOTS; i++) {
        struct slot *slot = &reassembly->slots[i];
        if (slot->number != 0 && same_datagram(slot, fragment)) {
            if (!outlived(slot, time_ns))
                return slot;
            return begin_datagram(reassembly, slot, fragment, time_ns);
        }
        if (slot->number < oldest->number)
            oldest = slot;
    }
    return begin_datagram(reassembly, oldest, fragment, time_ns);
}

static bool has_come(const struct slot *slot, size_t unit)
{
    return (slot->come[unit / 8] >> (unit % 8) & 1) != 0;
}

static size_t part_size(const struct frame_fragment *fragment, size_t at)
{
    size_t left = fragment->size - at;
    return left < UNIT ? left : UNIT;
}

/* Returns true if the fragment overlaps stored units, unless it repeats them exactly. */
static bool contradicts(const struct slot *slot, const struct frame_fragment *fragment)
{
    size_t repeated = 0;
    bool differs = false;
    for (size_t at = 0; at < fragment->size; at += UNIT) {
        if (!has_come(slot, (fragment->offset + at) / UNIT))
            continue;
        repeated++;
        if (memcmp(slot->bytes + fragment->offset + at, fragment->data + at,
                   part_size(fragment, at)) != 0)
            differs = true;
    }
    return differs || (repeated != 0 && repeated != (fragment->size + UNIT - 1) / UNIT);
}

/*
 * Returns true if the fragment ends after the known end of the datagram, or would end the datagram
 * before stored bytes.
 */
static bool disagrees_on_end(const struct slot *slot, const struct frame_fragment *fragment)
{
    size_t end = fragment->offset + fragment->size;
    return (slot->end_known && end > slot->reach) || (!fragment->more && slot->reach > end);
}

static void store(struct slot *slot, const struct frame_fragment *fragment)
{
    RULE(slot->number != 0 && !slot->refused, "fragments are stored in a slot in use");
    RULE(fragment->offset % UNIT == 0 && fragment->size != 0 &&
             fragment->offset + fragment->size <= SLOT_BYTES,
         "a fragment lies within the largest datagram");
    RULE(!fragment->more || fragment->size % UNIT == 0,
         "only the last fragment ends within a unit");
    if (fragment->offset == 0 && !has_come(slot, 0)) {
        slot->next_header = fragment->next_header;
        slot->unwanted = fragment->unwanted;
    }
    for (size_t at = 0; at < fragment->size; at += UNIT) {
        size_t unit = (fragment->offset + at) / UNIT;
        if (has_come(slot, unit))
            continue;
        memcpy(slot->bytes + fragment->offset + at, fragment->data + at, part_size(fragment, at));
        slot->come[unit / 8] |= (uint8_t)(1u << unit % 8);
        slot->units++;
    }
    size_t end = fragment->offset + fragment->size;
    if (end > slot->reach)
        slot->reach = end;
    if (!fragment->more)
        slot->end_known = true;
}

bool reassembly_add(struct reassembly *reassembly, const struct frame_fragment *fragment,
                    int64_t time_ns, struct reassembled *reassembled)
{
    struct slot *slot = find_or_begin(reassembly, fragment, time_ns);
    slot->fragments++;
    if (slot->refused)
        return false;
    bool ends_differ = disagrees_on_end(slot, fragment);
    if (fragment->hosts.ip_version == 6 && (ends_differ || contradicts(slot, fragment))) {
        slot->refused = true;
        return false;
    }
    if (ends_differ)
        return false;
    store(slot, fragment);
    RULE(slot->units <= (slot->reach + UNIT - 1) / UNIT, "stored units lie before the reach");
    if (!slot->end_known || slot->units != (slot->reach + UNIT - 1) / UNIT)
        return false;

    *reassembled = (struct reassembled){
        .hosts = slot->hosts,
        .next_header = slot->next_header,
        .data = slot->bytes,
        .size = slot->reach,
        .fragments = slot->fragments,
    };
    slot->number = 0;
    return true;
}

void reassembly_flush(struct reassembly *reassembly)
{
    for (size_t i = 0; i < REASSEMBLY_SLOTS; i++)
        if (reassembly->slots[i].number != 0)
            discard_slot(reassembly, &reassembly->slots[i]);
}

void reassembly_destroy(struct reassembly *reassembly)
{
    free(reassembly);
}
