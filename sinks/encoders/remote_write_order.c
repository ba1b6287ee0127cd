#include "sinks/encoders/remote_write_order.h"

#include "sinks/encoders/offset_order.h"

static int compare_labels(const char *a, const struct remote_write_sample *of_a, const char *b,
                          const struct remote_write_sample *of_b)
{
    size_t size = of_a->labels_size < of_b->labels_size ? of_a->labels_size : of_b->labels_size;
    int order = memcmp(a + sizeof *of_a, b + sizeof *of_b, size);
    return order != 0
               ? order
               : (of_a->labels_size > of_b->labels_size) - (of_a->labels_size < of_b->labels_size);
}

/*
 * Compares two series. Floats and native histograms with the same labels are two series of a
 * request.
 */
static int compare_series(const char *a, const struct remote_write_sample *of_a, const char *b,
                          const struct remote_write_sample *of_b)
{
    int order = compare_labels(a, of_a, b, of_b);
    return order != 0 ? order
                      : (of_a->flags & REMOTE_WRITE_NATIVE) - (of_b->flags & REMOTE_WRITE_NATIVE);
}

static bool in_order(const char *a, const char *b)
{
    const struct remote_write_sample of_a = remote_write_sample_load(a);
    const struct remote_write_sample of_b = remote_write_sample_load(b);
    int order = compare_series(a, &of_a, b, &of_b);
    return order != 0 ? order < 0 : of_a.time_ms <= of_b.time_ms;
}

bool remote_write_order(struct remote_write_index *index, size_t size)
{
    index->count = 0;
    for (size_t at = 0; at < size; at += remote_write_sample_load(index->block + at).size) {
        if (!remote_write_sample_is_whole(index->block + at, size - at))
            return false;
        index->at[index->count++] = (uint32_t)at;
    }
    offset_order(index->block, index->at, index->count, in_order);
    return true;
}

size_t remote_write_next_series(const struct remote_write_index *index, size_t i)
{
    const struct remote_write_sample first = remote_write_index_load(index, i);
    const char *at = index->block + index->at[i];
    for (i++; i < index->count; i++) {
        const struct remote_write_sample other = remote_write_index_load(index, i);
        if (compare_series(at, &first, index->block + index->at[i], &other) != 0)
            break;
    }
    return i;
}
