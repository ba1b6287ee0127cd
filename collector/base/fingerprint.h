/*
 * A keyed 64-bit hash for tables of names and addresses that senders choose. Without the key, a
 * sender cannot choose inputs that collide.
 *
 * Each step mixes two words with secret bits, multiplies them to 128 bits and combines the two
 * halves of the product. Go's maps and several tables of Rust use the same construction with a
 * random key. Two different inputs have the same fingerprint with a probability of about 2^-63. It
 * is not a cryptographic hash, so fingerprints must not leave the process; base/siphash.h resists
 * stronger attacks.
 *
 * Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_BASE_FINGERPRINT_H
#define SLUICE_COLLECTOR_BASE_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/byte_order.h"
#include "collector/text/compiler.h"

/* The key: random bits from the operating system. */
struct fingerprint_key {
    uint64_t words[4];
};

/* Multiplies to 128 bits, and combines the upper half with the lower half by exclusive or. */
static inline uint64_t fingerprint_fold(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)(product >> 64) ^ (uint64_t)product;
#else
    uint64_t a1 = a >> 32, a0 = a & 0xffffffff, b1 = b >> 32, b0 = b & 0xffffffff;
    uint64_t low = a0 * b0;
    uint64_t middle = a1 * b0 + (low >> 32);
    uint64_t carry = a0 * b1 + (middle & 0xffffffff);
    return (a1 * b1 + (middle >> 32) + (carry >> 32)) ^ (carry << 32 | (low & 0xffffffff));
#endif
}

/* Returns the number in 4 bytes, least significant byte first. */
static inline uint64_t fingerprint_u32(const uint8_t *bytes)
{
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
           (uint64_t)bytes[3] << 24;
}

/*
 * Begins a fingerprint. `kind` distinguishes inputs that have the same texts but different
 * meanings.
 */
static inline uint64_t fingerprint_begin(const struct fingerprint_key *key, uint64_t kind)
{
    return fingerprint_fold(kind ^ key->words[1], key->words[2]);
}

/*
 * Adds a text and its size. Because of the size, the texts "ab", "c" and the texts "a", "bc" have
 * different fingerprints. `bytes` may be NULL if `size` is 0.
 */
static ALWAYS_INLINE uint64_t fingerprint_add(const struct fingerprint_key *key, uint64_t hash,
                                              const void *bytes, size_t size)
{
    const uint8_t *first = bytes, *at = first;
    uint64_t a = 0, b = 0;
    hash += size * key->words[3];
    for (size_t left = size; left > 16; left -= 16, at += 16)
        hash = fingerprint_fold(little_u64(at) ^ key->words[0], little_u64(at + 8) ^ hash);
    if (size >= 16) {
        a = little_u64(first + size - 16);
        b = little_u64(first + size - 8);
    } else if (size >= 8) {
        a = little_u64(at);
        b = little_u64(first + size - 8);
    } else if (size >= 4) {
        a = fingerprint_u32(at) | fingerprint_u32(first + size - 4) << 32;
    } else if (size != 0) {
        a = (uint64_t)at[0] | (uint64_t)at[size / 2] << 8 | (uint64_t)at[size - 1] << 16;
    }
    return fingerprint_fold(a ^ key->words[0], b ^ hash);
}

/* Returns the fingerprint of the texts added since fingerprint_begin. */
static inline uint64_t fingerprint_end(const struct fingerprint_key *key, uint64_t hash)
{
    return fingerprint_fold(hash ^ key->words[1], key->words[3]);
}

#endif
