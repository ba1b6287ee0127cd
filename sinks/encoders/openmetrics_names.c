#include "sinks/encoders/openmetrics_names.h"

static const char *const type_names[OPENMETRICS_TYPES] = {
    [OPENMETRICS_COUNTER] = "counter",     [OPENMETRICS_GAUGE] = "gauge",
    [OPENMETRICS_HISTOGRAM] = "histogram", [OPENMETRICS_GAUGEHISTOGRAM] = "gaugehistogram",
    [OPENMETRICS_SUMMARY] = "summary",     [OPENMETRICS_UNKNOWN] = "unknown",
};

_Static_assert(sizeof "_gaugehistogram" - 1 <= OPENMETRICS_NAME_ROOM, "the longest of them fits");

const char *openmetrics_type_name(enum openmetrics_type type)
{
    return type_names[type];
}

/* The suffixes of samples' names, and the types of families that have such samples. */
#define OF(type) (1u << OPENMETRICS_##type)
static const struct suffix {
    const char *text;
    unsigned types;
} suffixes[] = {
    {"_total", OF(COUNTER)},
    {"_bucket", OF(HISTOGRAM) | OF(GAUGEHISTOGRAM)},
    {"_count", OF(HISTOGRAM) | OF(SUMMARY)},
    {"_sum", OF(HISTOGRAM) | OF(SUMMARY)},
    {"_gcount", OF(GAUGEHISTOGRAM)},
    {"_gsum", OF(GAUGEHISTOGRAM)},
};

/* The types of families that have samples with the name of the family. */
static const unsigned plain_types = OF(GAUGE) | OF(SUMMARY) | OF(UNKNOWN);

static bool has_suffixed(const struct openmetrics_index *index, const char *name, size_t size,
                         const struct suffix *suffix)
{
    size_t i = openmetrics_find(index, name, size);
    for (; openmetrics_is_named(index, i, name, size); i = openmetrics_next_family(index, i))
        if ((suffix->types & 1u << openmetrics_index_load(index, i).type) != 0)
            return true;
    return false;
}

/*
 * Returns true if samples of another family have the name of this family: for example, samples of
 * the histogram `a` have the name of the family `a_count`.
 */
static bool is_called_alike(const struct openmetrics_index *index, const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size_t length = strlen(suffixes[i].text);
        if (size > length && memcmp(name + size - length, suffixes[i].text, length) == 0 &&
            has_suffixed(index, name, size - length, &suffixes[i]))
            return true;
    }
    return false;
}

static bool is_in_conflict(const struct openmetrics_index *index, size_t first)
{
    const struct openmetrics_sample head = openmetrics_index_load(index, first);
    const char *name = openmetrics_index_name(index, first);
    if (first != 0 && openmetrics_is_named(index, first - 1, name, head.name_size))
        return true;
    return (plain_types & 1u << head.type) != 0 && is_called_alike(index, name, head.name_size);
}

static void mark(struct openmetrics_index *index, size_t i, bool finally)
{
    char *at = openmetrics_index_bytes(index, i);
    struct openmetrics_sample head = openmetrics_sample_load(at);
    if (finally)
        head.left_out = true;
    else
        head.renamed = true;
    openmetrics_sample_store(at, &head);
}

/*
 * Marks the samples that are in a conflict: to be renamed, or, with `finally`, to be omitted.
 * Returns true if there are any.
 */
static bool mark_conflicts(struct openmetrics_index *index, bool finally)
{
    bool any = false;
    size_t next;
    for (size_t first = 0; first < index->count; first = next) {
        next = openmetrics_next_family(index, first);
        if (!is_in_conflict(index, first))
            continue;
        any = true;
        for (size_t i = first; i < next; i++)
            mark(index, i, finally);
    }
    return any;
}

static void rename_marked(struct openmetrics_index *index)
{
    for (size_t i = 0; i < index->count; i++) {
        char *at = openmetrics_index_bytes(index, i);
        struct openmetrics_sample head = openmetrics_sample_load(at);
        if (!head.renamed)
            continue;
        const char *type = openmetrics_type_name((enum openmetrics_type)head.type);
        size_t length = strlen(type);
        char *end = at + sizeof head + head.name_size;
        *end = '_';
        memcpy(end + 1, type, length);
        head.name_size += (uint32_t)length + 1;
        head.unit_size = 0; /* the new name does not end with the unit */
        openmetrics_sample_store(at, &head);
    }
}

void openmetrics_assign_names(struct openmetrics_index *index)
{
    if (!mark_conflicts(index, false))
        return;
    rename_marked(index);
    openmetrics_order(index);
    mark_conflicts(index, true);
}
