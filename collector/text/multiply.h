/*
 * Multiplies two numbers of 64 bits to one of 128 bits: with the processor's instruction where the
 * compiler has a type of 128 bits (GCC, clang), otherwise from products of halves. Pure functions;
 * any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_MULTIPLY_H
#define SLUICE_COLLECTOR_TEXT_MULTIPLY_H

#include <stdint.h>

/* Computes high * 2^64 + low = a * b. */
static inline void multiply_halves(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low)
{
    uint64_t a0 = a & UINT32_MAX, a1 = a >> 32;
    uint64_t b0 = b & UINT32_MAX, b1 = b >> 32;
    uint64_t low_low = a0 * b0;
    uint64_t middle = a1 * b0 + (low_low >> 32);
    uint64_t carry = a0 * b1 + (middle & UINT32_MAX);
    *high = a1 * b1 + (middle >> 32) + (carry >> 32);
    *low = (carry << 32) | (low_low & UINT32_MAX);
}

static inline void multiply_64(uint64_t a, uint64_t b, uint64_t *high, uint64_t *low)
{
#if defined(__SIZEOF_INT128__)
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    *high = (uint64_t)(product >> 64);
    *low = (uint64_t)product;
#else
    multiply_halves(a, b, high, low);
#endif
}

#endif
