#include "proto/outline/tops.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct place {
    const struct message_type *type;
    size_t index; /* index of the type in the set */
};

struct finding {
    const struct type_set *set;
    size_t count;
    struct place *places; /* sorted by the type's address */
    bool *contained;      /* by index of a type: another type contains it */
    bool *reached;        /* by index of a type: it is a top, or a top contains it */
    size_t *visit;        /* by index of a type: the last walk that reached it */
    size_t walks;
    size_t *stack;
    struct top *tops;
    size_t top_count;
};

/* --- types by address ------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t)((const struct place *)a)->type;
    uintptr_t right = (uintptr_t)((const struct place *)b)->type;
    return (left > right) - (left < right);
}

static size_t index_of(const struct finding *finding, const struct message_type *type)
{
    const struct place wanted = {.type = type};
    const struct place *found =
        bsearch(&wanted, finding->places, finding->count, sizeof *found, by_address);
    return found->index;
}

static bool tops_allocate(struct finding *finding)
{
    size_t count = finding->count + 1;
    finding->places = calloc(count, sizeof *finding->places);
    finding->contained = calloc(count, sizeof *finding->contained);
    finding->reached = calloc(count, sizeof *finding->reached);
    finding->visit = calloc(count, sizeof *finding->visit);
    finding->stack = calloc(count, sizeof *finding->stack);
    finding->tops = calloc(count, sizeof *finding->tops);
    return finding->places != NULL && finding->contained != NULL && finding->reached != NULL &&
           finding->visit != NULL && finding->stack != NULL && finding->tops != NULL;
}

static void mark_contained(struct finding *finding)
{
    for (size_t i = 0; i < finding->count; i++)
        finding->places[i] = (struct place){type_set_at(finding->set, i), i};
    qsort(finding->places, finding->count, sizeof *finding->places, by_address);
    for (size_t i = 0; i < finding->count; i++) {
        const struct message_type *type = type_set_at(finding->set, i);
        for (size_t k = 0; k < type->field_count; k++) {
            const struct message_type *inside = type->fields[k].message;
            if (inside != NULL && inside != type)
                finding->contained[index_of(finding, inside)] = true;
        }
    }
}

/* --- walks ------------------------------------------------------------------------------------ */

/*
 * Marks `from` and all types inside it as reached. Returns the number of types inside, without
 * entries of maps.
 */
static size_t walk(struct finding *finding, size_t from)
{
    size_t inside = 0;
    size_t depth = 1;
    finding->walks++;
    finding->stack[0] = from;
    finding->visit[from] = finding->walks;
    while (depth != 0) {
        size_t at = finding->stack[--depth];
        const struct message_type *type = type_set_at(finding->set, at);
        finding->reached[at] = true;
        inside += at != from && !type->map_entry;
        for (size_t i = 0; i < type->field_count; i++) {
            if (type->fields[i].message == NULL)
                continue;
            size_t next = index_of(finding, type->fields[i].message);
            if (finding->visit[next] == finding->walks)
                continue;
            finding->visit[next] = finding->walks;
            finding->stack[depth++] = next;
        }
    }
    return inside;
}

static void add_top(struct finding *finding, size_t index)
{
    size_t inside = walk(finding, index);
    finding->tops[finding->top_count++] = (struct top){
        type_set_at(finding->set, index), type_set_file_at(finding->set, index), inside};
}

static bool is_left_out(const struct message_type *type)
{
    return type->map_entry || type->field_count == 0 ||
           strcmp(type->descriptor->package_name, "google.protobuf") == 0;
}

static void find_tops(struct finding *finding, bool all)
{
    for (int turn = 0; turn < 2; turn++) /* turn 1 adds types that only contain each other */
        for (size_t i = 0; i < finding->count; i++) {
            const struct message_type *type = type_set_at(finding->set, i);
            bool wanted = all ? turn == 0 && !type->map_entry
                              : !is_left_out(type) && !finding->reached[i] &&
                                    (turn == 1 || !finding->contained[i]);
            if (wanted)
                add_top(finding, i);
        }
}

static int by_size(const void *a, const void *b)
{
    const struct top *left = a;
    const struct top *right = b;
    if (left->inside != right->inside)
        return left->inside > right->inside ? -1 : 1;
    return strcmp(left->type->descriptor->name, right->type->descriptor->name);
}

int tops_find(const struct type_set *set, bool all, struct top **tops, size_t *count,
              struct error *error)
{
    struct finding finding = {.set = set, .count = type_set_count(set)};
    bool good = tops_allocate(&finding);
    if (good) {
        mark_contained(&finding);
        find_tops(&finding, all);
        qsort(finding.tops, finding.top_count, sizeof *finding.tops, by_size);
    }
    free(finding.places);
    free(finding.contained);
    free(finding.reached);
    free(finding.visit);
    free(finding.stack);
    if (!good) {
        free(finding.tops);
        return error_no_memory(error);
    }
    *tops = finding.tops;
    *count = finding.top_count;
    return 0;
}
