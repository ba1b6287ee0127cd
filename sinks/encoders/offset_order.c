#include "sinks/encoders/offset_order.h"

#include <string.h>

#include "collector/base/rule.h"

struct runs {
    const char *block;
    bool (*in_order)(const char *a, const char *b);
};

static void merge(const struct runs *runs, const uint32_t *from, uint32_t *to, size_t begin,
                  size_t middle, size_t end)
{
    RULE(begin <= middle && middle <= end, "two runs are adjacent");
    const char *block = runs->block;
    size_t left = begin;
    size_t right = middle;
    for (size_t i = begin; i < end; i++) {
        bool take_left = left < middle &&
                         (right == end || runs->in_order(block + from[left], block + from[right]));
        to[i] = take_left ? from[left++] : from[right++];
    }
}

void offset_order(const char *block, uint32_t *at, size_t count,
                  bool (*in_order)(const char *a, const char *b))
{
    const struct runs runs = {block, in_order};
    uint32_t *from = at;
    uint32_t *to = at + count;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * run) {
            size_t middle = begin + run < count ? begin + run : count;
            size_t end = begin + 2 * run < count ? begin + 2 * run : count;
            merge(&runs, from, to, begin, middle, end);
        }
        uint32_t *other = from;
        from = to;
        to = other;
    }
    if (from != at)
        memcpy(at, from, count * sizeof *from);
}
