/*
 * SipHash-2-4 with a 128-bit result: a keyed hash for short inputs. Without the key, an attacker
 * cannot choose inputs that collide (Aumasson and Bernstein, "SipHash: a fast short-input PRF",
 * 2012; the 128-bit result is from the authors' reference code of 2014). The input may be added in
 * pieces of any size. The caller owns the struct.
 */
#ifndef SLUICE_COLLECTOR_BASE_SIPHASH_H
#define SLUICE_COLLECTOR_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

struct siphash {
    uint64_t v[4];
    uint64_t tail;   /* bytes not yet mixed in; the first byte is the lowest */
    uint8_t tail_at; /* the number of bytes in `tail` */
    uint8_t total;   /* bytes fed, modulo 256 */
};

void siphash_begin(struct siphash *hash, const uint8_t key[16]);
void siphash_feed(struct siphash *hash, const void *bytes, size_t size);
void siphash_end(struct siphash *hash, uint64_t result[2]);

#endif
