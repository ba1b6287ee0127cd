#include "sinks/encoders/series_hash.h"

#include "collector/base/byte_order.h"

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t chain(uint64_t hash, const struct text *text)
{
    const unsigned char *at = (const unsigned char *)text->data;
    size_t left = text->size;
    hash = mix(hash ^ (left + UINT64_C(0x9e3779b97f4a7c15)));
    for (; left >= 8; left -= 8, at += 8)
        hash = mix(hash ^ little_u64(at));
    if (left == 0)
        return hash;
    uint64_t rest = 0;
    while (left-- != 0)
        rest = rest << 8 | at[left];
    return mix(hash ^ rest);
}

uint64_t series_hash_name(const struct text *name)
{
    return chain(0, name);
}

uint64_t series_hash_label(const struct label *label)
{
    return chain(chain(1, &label->key), &label->value);
}

uint64_t series_hash_whole(uint64_t sum)
{
    return mix(sum);
}
