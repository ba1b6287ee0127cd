/*
 * The few things that compilers spell differently. Nothing here changes what the code does.
 */
#ifndef SLUICE_COLLECTOR_BASE_COMPILER_H
#define SLUICE_COLLECTOR_BASE_COMPILER_H

#include <stddef.h>

#if defined(__MINGW32__)
/* Says which printf it has: C11's, as the build asks for, or the one of Microsoft's library. */
#include <stdio.h>
#define PRINTF_KIND __MINGW_PRINTF_FORMAT
#else
#define PRINTF_KIND printf
#endif

#if defined(__GNUC__) || defined(__clang__)
/* The function formats like printf: `format` and `first` are 1-based argument positions. */
#define PRINTF_LIKE(format_at, first) __attribute__((format(PRINTF_KIND, format_at, first)))
#else
#define PRINTF_LIKE(format_at, first)
#endif

/*
 * Instead of inline: for parts of a hot loop that compilers think too large for it. NEVER_INLINE
 * is for what would only make its registers and its stack more.
 */
#if defined(__GNUC__) || defined(__clang__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE  __attribute__((noinline))
#else
#define ALWAYS_INLINE __forceinline
#define NEVER_INLINE  __declspec(noinline)
#endif

/* Says that what is there will be wanted soon: that it is brought into the cache meanwhile. */
#if defined(__GNUC__) || defined(__clang__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* The same of all the cache lines of `size` bytes; they begin anywhere. */
static inline void prefetch_all(const void *memory, size_t size)
{
    for (size_t at = 0; at < size; at += 64)
        PREFETCH((const char *)memory + at);
    PREFETCH((const char *)memory + size - 1);
}

#endif
