/*
 * Declares the interface of a fuzz target: a function that takes an arbitrary input. It ends the
 * program if a property that must hold for every input does not hold.
 *
 * libFuzzer and AFL++ call it with their own inputs; replay.c calls it with saved ones. A target
 * keeps no state between inputs, so that a single input reproduces a fault.
 */
#ifndef SLUICE_TESTS_FUZZ_TARGET_H
#define SLUICE_TESTS_FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/text/compiler.h"

/*
 * The most processor time for an input, in seconds, also with sanitizers. target.c checks it: the
 * linker redirects calls of LLVMFuzzerTestOneInput to that file (--wrap).
 */
#define TARGET_SECONDS 5

/* Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Prints the position and the message to standard error, and aborts. */
_Noreturn void target_failed(const char *file, int line, const char *format, ...) PRINTF_LIKE(3, 4);

/* The arguments after the condition are those of printf, and describe the error. */
#define EXPECT(holds, ...)                                                                         \
    do {                                                                                           \
        if (!(holds))                                                                              \
            target_failed(__FILE__, __LINE__, __VA_ARGS__);                                        \
    } while (false)

#endif
