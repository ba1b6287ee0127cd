/*
 * A fuzz target: one function that takes an input, any bytes at all, and ends the program where
 * something does not hold that must hold of every input.
 *
 * libFuzzer and AFL++ call the function with inputs of their own; replay.c calls it with those that
 * are kept. A target keeps nothing from one input to the next, so that one input alone shows what
 * was found.
 */
#ifndef SLUICE_TESTS_FUZZ_TARGET_H
#define SLUICE_TESTS_FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/compiler.h"

/*
 * Processor time that an input may take, also with sanitizers: whoever calls the function below is
 * given one that looks at this (target.c, by --wrap), whatever else the machine does.
 */
#define TARGET_SECONDS 5

/* Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes where and what to standard error and aborts. */
_Noreturn void target_failed(const char *file, int line, const char *format, ...) PRINTF_LIKE(3, 4);

/* What follows the condition is formatted like printf and says what is wrong. */
#define EXPECT(holds, ...)                                                                         \
    do {                                                                                           \
        if (!(holds))                                                                              \
            target_failed(__FILE__, __LINE__, __VA_ARGS__);                                        \
    } while (false)

#endif
