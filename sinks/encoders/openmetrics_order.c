#include "sinks/encoders/openmetrics_order.h"

#include "collector/base/rule.h"
#include "sinks/encoders/offset_order.h"

static int compare_bytes(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int order = memcmp(a, b, a_size < b_size ? a_size : b_size);
    return order != 0 ? order : (a_size > b_size) - (a_size < b_size);
}

static int compare_family(const char *a, const struct openmetrics_sample *of_a, const char *b,
                          const struct openmetrics_sample *of_b)
{
    int order = compare_bytes(a + sizeof *of_a, of_a->name_size, b + sizeof *of_b, of_b->name_size);
    return order != 0 ? order : (int)of_a->type - (int)of_b->type;
}

static int compare_metric(const char *a, const struct openmetrics_sample *of_a, const char *b,
                          const struct openmetrics_sample *of_b)
{
    int order = compare_family(a, of_a, b, of_b);
    return order != 0 ? order
                      : compare_bytes(a + of_a->labels_at, of_a->labels_size, b + of_b->labels_at,
                                      of_b->labels_size);
}

static bool in_order(const char *a, const char *b)
{
    const struct openmetrics_sample of_a = openmetrics_sample_load(a);
    const struct openmetrics_sample of_b = openmetrics_sample_load(b);
    int order = compare_metric(a, &of_a, b, &of_b);
    return order != 0 ? order < 0 : of_a.time_ns <= of_b.time_ns;
}

void openmetrics_order(struct openmetrics_index *index)
{
    offset_order(index->block, index->at, index->count, in_order);
}

static bool same_family(const struct openmetrics_index *index, size_t a, size_t b)
{
    const struct openmetrics_sample of_a = openmetrics_index_load(index, a);
    const struct openmetrics_sample of_b = openmetrics_index_load(index, b);
    return compare_family(openmetrics_index_bytes(index, a), &of_a,
                          openmetrics_index_bytes(index, b), &of_b) == 0;
}

bool openmetrics_same_metric(const struct openmetrics_index *index, size_t a, size_t b)
{
    const struct openmetrics_sample of_a = openmetrics_index_load(index, a);
    const struct openmetrics_sample of_b = openmetrics_index_load(index, b);
    return compare_metric(openmetrics_index_bytes(index, a), &of_a,
                          openmetrics_index_bytes(index, b), &of_b) == 0;
}

static int compare_name(const struct openmetrics_index *index, size_t i, const char *name,
                        size_t size)
{
    size_t own = openmetrics_index_load(index, i).name_size;
    return compare_bytes(openmetrics_index_name(index, i), own, name, size);
}

size_t openmetrics_find(const struct openmetrics_index *index, const char *name, size_t size)
{
    size_t low = 0;
    size_t high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_name(index, middle, name, size) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool openmetrics_is_named(const struct openmetrics_index *index, size_t i, const char *name,
                          size_t size)
{
    return i < index->count && compare_name(index, i, name, size) == 0;
}

size_t openmetrics_next_family(const struct openmetrics_index *index, size_t i)
{
    RULE(i < index->count, "a family begins at a sample");
    size_t next = i + 1;
    while (next < index->count && same_family(index, i, next))
        next++;
    return next;
}
