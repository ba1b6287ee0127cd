/* Decompresses a frame of gzip or zstd by their libraries, and looks at its checksum. */
#ifndef SLUICE_TESTS_FUZZ_READERS_FRAME_H
#define SLUICE_TESTS_FUZZ_READERS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether all the bytes are frames of that format, "gzip" or "zstd", and sound. */
bool frames_are_sound(const char *format, const uint8_t *bytes, size_t size);

#endif
