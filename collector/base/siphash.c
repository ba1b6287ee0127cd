#include "collector/base/siphash.h"

#include "collector/base/byte_order.h"

static uint64_t rotate_left(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void rounds(uint64_t v[4], int count)
{
    uint64_t v0 = v[0], v1 = v[1], v2 = v[2], v3 = v[3];
    for (int i = 0; i < count; i++) {
        v0 += v1;
        v2 += v3;
        v1 = rotate_left(v1, 13) ^ v0;
        v3 = rotate_left(v3, 16) ^ v2;
        v0 = rotate_left(v0, 32);
        v2 += v1;
        v0 += v3;
        v1 = rotate_left(v1, 17) ^ v2;
        v3 = rotate_left(v3, 21) ^ v0;
        v2 = rotate_left(v2, 32);
    }
    v[0] = v0;
    v[1] = v1;
    v[2] = v2;
    v[3] = v3;
}

static void mix_in(struct siphash *hash, uint64_t word)
{
    hash->v[3] ^= word;
    rounds(hash->v, 2);
    hash->v[0] ^= word;
}

void siphash_begin(struct siphash *hash, const uint8_t key[16])
{
    uint64_t k0 = little_u64(key);
    uint64_t k1 = little_u64(key + 8);
    *hash = (struct siphash){.v = {
                                 k0 ^ UINT64_C(0x736f6d6570736575),
                                 k1 ^ UINT64_C(0x646f72616e646f6d) ^ 0xee,
                                 k0 ^ UINT64_C(0x6c7967656e657261),
                                 k1 ^ UINT64_C(0x7465646279746573),
                             }};
}

static void fan_out_byte(struct siphash *hash, uint8_t byte)
{
    hash->tail |= (uint64_t)byte << (8 * hash->tail_at);
    if (++hash->tail_at == 8) {
        mix_in(hash, hash->tail);
        hash->tail = 0;
        hash->tail_at = 0;
    }
}

void siphash_feed(struct siphash *hash, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    hash->total = (uint8_t)(hash->total + size);
    while (size != 0 && (hash->tail_at != 0 || size < 8)) {
        fan_out_byte(hash, *at++);
        size--;
    }
    for (; size >= 8; size -= 8, at += 8)
        mix_in(hash, little_u64(at));
    for (; size != 0; size--)
        fan_out_byte(hash, *at++);
}

void siphash_end(struct siphash *hash, uint64_t result[2])
{
    uint64_t *v = hash->v;
    mix_in(hash, hash->tail | (uint64_t)hash->total << 56);
    v[2] ^= 0xee;
    rounds(v, 4);
    result[0] = v[0] ^ v[1] ^ v[2] ^ v[3];
    v[1] ^= 0xdd;
    rounds(v, 4);
    result[1] = v[0] ^ v[1] ^ v[2] ^ v[3];
}
