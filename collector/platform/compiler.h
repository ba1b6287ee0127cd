/*
 * The few things that compilers spell differently. Nothing here changes what the code does.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_COMPILER_H
#define SLUICE_COLLECTOR_PLATFORM_COMPILER_H

#if defined(__GNUC__) || defined(__clang__)
/* The function formats like printf: `format` and `first` are 1-based argument positions. */
#define PRINTF_LIKE(format_at, first) __attribute__((format(printf, format_at, first)))
#else
#define PRINTF_LIKE(format_at, first)
#endif

#endif
