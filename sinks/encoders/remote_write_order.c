#include "sinks/encoders/remote_write_order.h"

static int compare_series(const char *a, const struct remote_write_sample *of_a, const char *b,
                          const struct remote_write_sample *of_b)
{
    size_t size = of_a->labels_size < of_b->labels_size ? of_a->labels_size : of_b->labels_size;
    int order = memcmp(a + sizeof *of_a, b + sizeof *of_b, size);
    return order != 0
               ? order
               : (of_a->labels_size > of_b->labels_size) - (of_a->labels_size < of_b->labels_size);
}

/* Whether `b` does not come before `a`; of equal ones the order stays. */
static bool in_order(const char *a, const char *b)
{
    const struct remote_write_sample of_a = remote_write_sample_load(a);
    const struct remote_write_sample of_b = remote_write_sample_load(b);
    int order = compare_series(a, &of_a, b, &of_b);
    return order != 0 ? order < 0 : of_a.time_ms <= of_b.time_ms;
}

/* Merges the runs [begin, middle) and [middle, end) of `from` into `to`. */
static void merge(const char *block, const uint32_t *from, uint32_t *to, size_t begin,
                  size_t middle, size_t end)
{
    size_t left = begin;
    size_t right = middle;
    for (size_t i = begin; i < end; i++) {
        bool take_left =
            left < middle && (right == end || in_order(block + from[left], block + from[right]));
        to[i] = take_left ? from[left++] : from[right++];
    }
}

/* The C library's qsort may allocate, and does not keep the order of equal ones. */
static void sort(struct remote_write_index *index)
{
    size_t count = index->count;
    uint32_t *from = index->at;
    uint32_t *to = index->at + count;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * run) {
            size_t middle = begin + run < count ? begin + run : count;
            size_t end = begin + 2 * run < count ? begin + 2 * run : count;
            merge(index->block, from, to, begin, middle, end);
        }
        uint32_t *other = from;
        from = to;
        to = other;
    }
    if (from != index->at)
        memcpy(index->at, from, count * sizeof *from);
}

bool remote_write_order(struct remote_write_index *index, size_t size)
{
    index->count = 0;
    for (size_t at = 0; at < size; at += remote_write_sample_load(index->block + at).size) {
        if (!remote_write_sample_is_whole(index->block + at, size - at))
            return false;
        index->at[index->count++] = (uint32_t)at;
    }
    sort(index);
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
