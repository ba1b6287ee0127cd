/*
 * Counts the samples of a message that have the name and labels of an earlier sample, for example
 * because two elements have the same keys. A store would keep only one of such samples. Samples of
 * the same part always differ. So parts are compared first, by a hash of their names and labels.
 * Samples are compared only if the hashes of their parts are equal.
 */
#include <string.h>

#include "collector/base/fingerprint.h"
#include "proto/wildcard/wildcard_plan.h"

/*
 * The most entries of the table that are searched for a part: a sender can choose labels whose
 * hashes collide.
 */
#define PROBES ((size_t)64)

/* The most names that are compared for a message; further samples are not counted. */
#define NAMES ((size_t)1 << 16)

/* The most bytes of a label's value that are compared, except for texts. */
#define VALUE_SIZE ((size_t)256)

/* --- hashes ----------------------------------------------------------------------------------- */

/* The key is not secret: PROBES limits the work if a sender makes hashes collide. */
static const struct fingerprint_key key = {
    {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xbf58476d1ce4e5b9), UINT64_C(0x94d049bb133111eb),
     UINT64_C(0xd6e8feb86659fd93)}};

static uint64_t add_text(uint64_t hash, const struct text *text)
{
    return fingerprint_add(&key, hash, text->data, text->size);
}

/* Returns the sum of the labels' hashes, which does not depend on their order. */
static uint64_t hash_of_labels(const struct wildcard_label *labels)
{
    uint64_t sum = 0;
    for (; labels != NULL; labels = labels->next) {
        char room[VALUE_SIZE];
        struct output out = {.data = room, .capacity = sizeof room};
        struct text value = wildcard_label_value(labels, &out);
        uint64_t hash = add_text(fingerprint_begin(&key, 0), &labels->key);
        sum += fingerprint_end(&key, add_text(hash, &value));
    }
    return sum;
}

static uint64_t hash_of_element(struct wildcard_element *element)
{
    uint64_t sum = 0;
    for (const struct wildcard_element *at = element; at != NULL; at = at->around) {
        if (at != element && at->hash != 0)
            return element->hash = sum + at->hash;
        sum += hash_of_labels(at->labels);
    }
    return element->hash = sum;
}

static uint64_t hash_of_part(const struct wildcard_part *part)
{
    struct wildcard_element *element = part->element;
    uint64_t labels = element->hash != 0 ? element->hash : hash_of_element(element);
    if (wildcard_is_info(part))
        labels += hash_of_labels(element->texts);
    uint64_t hash = add_text(fingerprint_begin(&key, labels + (part->type != NULL)), &part->name);
    return fingerprint_end(&key, part->field == NULL ? hash : add_text(hash, &part->key));
}

/* --- samples ---------------------------------------------------------------------------------- */

/*
 * Returns true if `other` has a sample with the name of this field of `part`. Usually it is the
 * same field. Otherwise it is a field with the same name, such as one of the same oneof.
 */
static bool has_name(const struct wildcard_part *other, const struct wildcard_part *part,
                     const struct wildcard_field *field, size_t *left)
{
    if (other->type == part->type && wildcard_has_sample(other, field))
        return true;
    for (size_t i = 0; i < other->type->field_count && *left != 0; i++, --*left)
        if (text_equal(&other->type->fields[i].name, &field->name) &&
            wildcard_has_sample(other, &other->type->fields[i]))
            return true;
    return false;
}

/* Returns how many samples of `part`, the numbers of a message, are also in `other`. */
static size_t numbers_in_both(const struct wildcard_part *part, const struct wildcard_part *other,
                              struct text *name, size_t *left)
{
    size_t count = 0;
    for (size_t i = 0; other->type != NULL && i < part->type->field_count; i++) {
        const struct wildcard_field *field = &part->type->fields[i];
        if (!wildcard_has_sample(part, field) || !has_name(other, part, field, left))
            continue;
        if (count++ == 0)
            *name = field->name;
    }
    return count;
}

/*
 * Returns how many samples of `part`, a list of numbers, are also in `other`: those at the same
 * positions.
 */
static size_t elements_in_both(const struct wildcard_part *part, const struct wildcard_part *other)
{
    if (other->field == NULL)
        return 0;
    size_t here = field_elements(part->field->field, part->message);
    size_t there = field_elements(other->field->field, other->message);
    return here < there ? here : there;
}

/*
 * Returns how many samples of `part` are also in `other`, a part with the same hash. Sets *name to
 * the last name of the first one.
 */
static size_t samples_in_both(const struct wildcard_part *part, const struct wildcard_part *other,
                              struct text *name, size_t *left)
{
    *name = part->name;
    if (part->type != NULL)
        return numbers_in_both(part, other, name, left);
    return part->field != NULL ? elements_in_both(part, other) : 1;
}

/* --- the table -------------------------------------------------------------------------------- */

/*
 * Returns the table's entry with this hash, or the free entry for it. Returns NULL after PROBES
 * other entries.
 */
static struct wildcard_part **table_find(struct wildcard_part **table, size_t size, uint64_t hash)
{
    for (size_t i = 0; i < PROBES; i++) {
        struct wildcard_part **at = &table[(hash + i) & (size - 1)];
        if (*at == NULL || (*at)->hash == hash)
            return at;
    }
    return NULL;
}

/* The repeated samples that were found so far. */
struct finding {
    struct decoded *out;
    const struct wildcard_part *first; /* the first part with samples of an earlier one */
    size_t left;                       /* number of comparisons left, from NAMES */
};

/*
 * Adds the part to the table. If the table has a part with its hash, counts the samples in both
 * instead.
 */
static void count_part(struct wildcard_part **table, size_t size, struct wildcard_part *part,
                       struct finding *finding)
{
    part->hash = hash_of_part(part);
    struct wildcard_part **at = table_find(table, size, part->hash);
    if (at == NULL)
        return;
    if (*at == NULL) {
        *at = part;
        return;
    }
    struct text name;
    size_t count = samples_in_both(part, *at, &name, &finding->left);
    if (count != 0 && finding->first == NULL) {
        finding->first = part;
        finding->out->repeated_name = name;
    }
    finding->out->series_repeated += count;
}

bool wildcard_find_repeated(struct wildcard_walk *walk, struct wildcard_part *parts,
                            struct decoded *out)
{
    struct arena *arena = walk->arena;
    size_t used = arena->used;
    size_t size = 1;
    if (walk->part_count < 2)
        return true;
    while (size < 2 * walk->part_count)
        size *= 2;
    struct wildcard_part **table = arena_allocate(arena, size * sizeof *table);
    if (table == NULL)
        return false;
    struct finding finding = {.out = out, .left = NAMES};
    memset(table, 0, size * sizeof *table);
    for (struct wildcard_part *part = parts; part != NULL; part = part->next)
        count_part(table, size, part, &finding);
    arena->used = used;
    const struct wildcard_part *first = finding.first;
    return first == NULL || first->type == NULL ||
           wildcard_join(walk, &first->name, '.', &out->repeated_name, &out->repeated_name);
}
