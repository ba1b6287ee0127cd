/* Language extensions that compilers spell differently. They do not change what the code does. */
#ifndef SLUICE_COLLECTOR_TEXT_COMPILER_H
#define SLUICE_COLLECTOR_TEXT_COMPILER_H

#include <stddef.h>

#if defined(__MINGW32__)
/* MinGW's printf is that of C11 or of Microsoft's library; the build selects one. */
#include <stdio.h>
#define PRINTF_KIND __MINGW_PRINTF_FORMAT
#else
#define PRINTF_KIND printf
#endif

#if defined(__GNUC__) || defined(__clang__)
/* The function formats like printf: `format_at` and `first` are 1-based argument positions. */
#define PRINTF_LIKE(format_at, first) __attribute__((format(PRINTF_KIND, format_at, first)))
#else
#define PRINTF_LIKE(format_at, first)
#endif

/*
 * For clang's check of locks (-Wthread-safety): a function releases the locks that it has acquired,
 * once on each path. A function that returns with a lock held declares ACQUIRES; one that releases
 * a lock of its caller declares RELEASES.
 */
#if defined(__clang__)
#define LOCK_TYPE      __attribute__((capability("mutex")))
#define ACQUIRES(lock) __attribute__((acquire_capability(lock)))
#define RELEASES(lock) __attribute__((release_capability(lock)))
#define UNCHECKED_LOCK __attribute__((no_thread_safety_analysis))
#else
#define LOCK_TYPE
#define ACQUIRES(lock)
#define RELEASES(lock)
#define UNCHECKED_LOCK
#endif

/*
 * ALWAYS_INLINE replaces `inline` for parts of a hot loop that compilers consider too large.
 * NEVER_INLINE is for rare parts that, inlined, would make the loop use more registers and stack.
 */
#if defined(__GNUC__) || defined(__clang__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NEVER_INLINE  __attribute__((noinline))
#else
#define ALWAYS_INLINE __forceinline
#define NEVER_INLINE  __declspec(noinline)
#endif

/* States that the program never gets here, for example because a switch has all cases. */
#if defined(__GNUC__) || defined(__clang__)
#define UNREACHABLE() __builtin_unreachable()
#else
#define UNREACHABLE() __assume(0)
#endif

/* Loads the memory at the address into the cache in advance, because it will be used soon. */
#if defined(__GNUC__) || defined(__clang__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* Prefetches all cache lines of `size` bytes, with any alignment. */
static inline void prefetch_all(const void *memory, size_t size)
{
    for (size_t at = 0; at < size; at += 64)
        PREFETCH((const char *)memory + at);
    PREFETCH((const char *)memory + size - 1);
}

#endif
