#include "collector/output/encoding_group.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/platform/thread.h"

/* Room for the lines of one batch. */
struct place {
    uint64_t serial;   /* of the batch; 0: of none */
    uint64_t freed_at; /* by the group's clock */
    unsigned users;    /* that read or write it at present */
    unsigned takers;   /* that have had it */
    bool filling;
    struct encoded_batch *lines;
};

struct encoding_group {
    struct encoding_group *next;
    struct encoding_groups *groups;
    const struct encoder_ops *ops;
    struct encoding_member *members; /* the main thread's */
    _Atomic unsigned member_count;
    struct mutex *lock; /* guards what follows; held for a batch at a time, not while encoding */
    uint64_t clock;
    size_t place_count;
    struct place places[ENCODED_MOST];
};

struct encoding_member {
    struct encoding_member *next;
    struct encoding_group *group;
    const struct encoder_options *options;
};

struct encoding_groups {
    struct encoding_group *first;
};

/* --- places ----------------------------------------------------------------------------------- */

static struct place *find(struct encoding_group *group, uint64_t serial)
{
    for (size_t i = 0; i < group->place_count; i++)
        if (group->places[i].serial == serial)
            return &group->places[i];
    return NULL;
}

/* Of places that are free the one that was used last is better: a cache still has it. */
static bool is_better(const struct place *a, const struct place *b)
{
    return a->serial != b->serial ? a->serial < b->serial : a->freed_at > b->freed_at;
}

/*
 * The place for another batch, or NULL: of the earliest, which most sinks have had, but not of a
 * later one: who is far behind takes nothing away from who is not.
 */
static struct place *claim(struct encoding_group *group, uint64_t serial)
{
    struct place *best = NULL;
    for (size_t i = 0; i < group->place_count; i++) {
        struct place *place = &group->places[i];
        if (place->users == 0 && (best == NULL || is_better(place, best)))
            best = place;
    }
    if (best == NULL || best->serial > serial)
        return NULL;
    best->serial = serial;
    best->takers = 0;
    best->filling = true;
    return best;
}

/* The place that holds them; it may be another one from one lock to the next. */
static struct place *place_of(struct encoding_group *group, const struct encoded_batch *lines)
{
    size_t i = 0;
    while (i + 1 < group->place_count && group->places[i].lines != lines)
        i++;
    RULE(group->places[i].lines == lines && group->places[i].users != 0,
         "lines of a batch are released once, to their group");
    return &group->places[i];
}

/* --- encoding --------------------------------------------------------------------------------- */

/* Returns whether the record's lines had room, and are few enough for every sink (encoder_allows). */
static bool add(struct encoded_batch *to, struct encoder *encoder, const struct record *record,
                struct output *out)
{
    size_t before = out->used;
    if (to->count == ENCODED_RECORDS)
        return false;
    struct encoded encoded = encoder->ops->encode(encoder, record->listener, record, out);
    if (out->overflow || out->used - before > AMPLIFICATION_FREE) {
        out->used = before;
        return false;
    }
    to->records[to->count++] = (struct encoded_record){
        .record = record,
        .end = (uint32_t)out->used,
        .counts = encoded_counts_of(&encoded),
    };
    return true;
}

static void encode(struct encoded_batch *to, struct encoder *encoder, const struct batch *batch)
{
    struct output out = {.data = to->text, .capacity = sizeof to->text};
    to->count = 0;
    to->rest = batch->first;
    while (to->rest != NULL && add(to, encoder, to->rest, &out))
        to->rest = to->rest->next;
    to->size = out.used;
}

/* --- taking ----------------------------------------------------------------------------------- */

/* Locked, as it comes and as it goes. Returns where the place is then. */
static struct place *fill(struct encoding_group *group, struct place *place,
                          struct encoder *encoder, const struct batch *batch)
{
    struct encoded_batch *lines = place->lines;
    place->users++;
    mutex_unlock(group->lock);
    encode(lines, encoder, batch);
    mutex_lock(group->lock);
    place = place_of(group, lines);
    place->users--;
    place->filling = false;
    return place;
}

/* The same. *place: of the batch, with its lines, where the result is ENCODING_TAKEN. */
static enum encoding_result get(struct encoding_group *group, struct encoder *encoder,
                                const struct batch *batch, struct place **place)
{
    *place = find(group, batch->serial);
    if (*place != NULL)
        return (*place)->filling ? ENCODING_BUSY : ENCODING_TAKEN;
    *place = claim(group, batch->serial);
    if (*place == NULL)
        return ENCODING_NONE;
    *place = fill(group, *place, encoder, batch);
    return ENCODING_TAKEN;
}

/* A large batch is one of few records, or of one: there is little room for their lines. */
static bool is_shared(const struct encoding_member *member, const struct batch *batch)
{
    const struct encoding_group *group = member->group;
    return !batch->large && atomic_load_explicit(&group->member_count, memory_order_relaxed) > 1;
}

enum encoding_result encoding_group_take(struct encoding_member *member, struct encoder *encoder,
                                         const struct batch *batch,
                                         const struct encoded_batch **out)
{
    struct encoding_group *group = member->group;
    struct place *place;
    if (!is_shared(member, batch))
        return ENCODING_NONE;
    mutex_lock(group->lock);
    enum encoding_result result = get(group, encoder, batch, &place);
    if (result == ENCODING_TAKEN) {
        place->users++;
        *out = place->lines;
    }
    mutex_unlock(group->lock);
    return result;
}

void encoding_group_release(struct encoding_member *member, const struct encoded_batch *encoded)
{
    struct encoding_group *group = member->group;
    mutex_lock(group->lock);
    struct place *place = place_of(group, encoded);
    place->users--;
    place->takers++;
    if (place->users == 0 && place->takers >= atomic_load(&group->member_count)) {
        place->serial = 0;
        place->freed_at = ++group->clock;
    }
    mutex_unlock(group->lock);
}

void encoding_group_prepare(struct encoding_member *member, struct encoder *encoder,
                            const struct batch *batch)
{
    struct encoding_group *group = member->group;
    struct place *place;
    if (!is_shared(member, batch))
        return;
    mutex_lock(group->lock);
    get(group, encoder, batch, &place);
    mutex_unlock(group->lock);
}

/* --- groups ----------------------------------------------------------------------------------- */

struct encoding_groups *encoding_groups_create(void)
{
    return calloc(1, sizeof(struct encoding_groups));
}

void encoding_groups_destroy(struct encoding_groups *groups)
{
    RULE(groups == NULL || groups->first == NULL, "groups end when all sinks have left");
    free(groups);
}

static void destroy_group(struct encoding_group *group)
{
    for (size_t i = 0; i < group->place_count; i++)
        free(group->places[i].lines);
    mutex_destroy(group->lock);
    free(group);
}

static struct encoding_group *find_group(const struct encoding_groups *groups,
                                         const struct encoder_ops *ops,
                                         const struct encoder_options *options)
{
    struct encoding_group *group = groups->first;
    while (group != NULL &&
           (group->ops != ops || !encoder_options_equal(group->members->options, options)))
        group = group->next;
    return group;
}

static struct encoding_group *add_group(struct encoding_groups *groups,
                                        const struct encoder_ops *ops)
{
    struct encoding_group *group = calloc(1, sizeof *group);
    if (group == NULL)
        return NULL;
    group->lock = mutex_create();
    if (group->lock == NULL) {
        free(group);
        return NULL;
    }
    group->groups = groups;
    group->ops = ops;
    group->next = groups->first;
    groups->first = group;
    return group;
}

static void remove_group(struct encoding_group *group)
{
    struct encoding_group **link = &group->groups->first;
    while (*link != group)
        link = &(*link)->next;
    *link = group->next;
    destroy_group(group);
}

/* How many places so many sinks have; one alone needs none. */
static size_t places_of(size_t members)
{
    if (members < 2)
        return 0;
    return members < ENCODED_MOST / ENCODED_EACH ? members * ENCODED_EACH : ENCODED_MOST;
}

size_t encoding_group_memory(size_t members)
{
    if (members == 0)
        return 0;
    return members * sizeof(struct encoding_member) + sizeof(struct encoding_group) +
           places_of(members) * sizeof(struct encoded_batch);
}

static size_t places_wanted(const struct encoding_group *group)
{
    return places_of(atomic_load(&group->member_count));
}

/* Locked. Returns false where memory is short. */
static bool add_places(struct encoding_group *group)
{
    while (group->place_count < places_wanted(group)) {
        struct encoded_batch *lines = malloc(sizeof *lines); /* pages are touched as needed */
        if (lines == NULL)
            return false;
        group->places[group->place_count++] = (struct place){.lines = lines};
    }
    return true;
}

/* Locked. One that somebody uses stays until another member leaves. */
static void remove_places(struct encoding_group *group)
{
    size_t wanted = places_wanted(group);
    for (size_t i = group->place_count; i-- != 0 && group->place_count > wanted;) {
        if (group->places[i].users != 0)
            continue;
        free(group->places[i].lines);
        group->places[i] = group->places[--group->place_count];
    }
}

struct encoding_member *encoding_group_join(struct encoding_groups *groups,
                                            const struct encoder_ops *ops,
                                            const struct encoder_options *options)
{
    struct encoding_member *member = calloc(1, sizeof *member);
    if (member == NULL)
        return NULL;
    struct encoding_group *group = find_group(groups, ops, options);
    if (group == NULL)
        group = add_group(groups, ops);
    if (group == NULL) {
        free(member);
        return NULL;
    }
    *member = (struct encoding_member){group->members, group, options};
    group->members = member;
    mutex_lock(group->lock);
    atomic_fetch_add(&group->member_count, 1);
    bool added = add_places(group);
    mutex_unlock(group->lock);
    if (added)
        return member;
    encoding_group_leave(member);
    return NULL;
}

void encoding_group_leave(struct encoding_member *member)
{
    if (member == NULL)
        return;
    struct encoding_group *group = member->group;
    struct encoding_member **link = &group->members;
    while (*link != member)
        link = &(*link)->next;
    *link = member->next;
    free(member);
    mutex_lock(group->lock);
    atomic_fetch_sub(&group->member_count, 1);
    remove_places(group);
    mutex_unlock(group->lock);
    if (group->members == NULL)
        remove_group(group);
}
