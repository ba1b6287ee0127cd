/* Decompresses gzip or zstd frames with their libraries, and checks the checksums. */
#ifndef SLUICE_TESTS_FUZZ_READERS_FRAME_H
#define SLUICE_TESTS_FUZZ_READERS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true if all the bytes are valid frames of the format "gzip" or "zstd". */
bool frames_are_sound(const char *format, const uint8_t *bytes, size_t size);

#endif
