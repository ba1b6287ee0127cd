/*
 * Output files as a sink uses them: a write that would block waits for the handle and offers the
 * same bytes again. An error fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_OUTPUTS_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_OUTPUTS_H

#include <stdint.h>

#include "collector/platform/output_file.h"

/* Opens a path, or a name in the scratch directory, without a torn end. */
struct output_file *output_open(const char *path);
struct output_file *output_open_name(const char *name);
struct output_file *output_open_stdout(void);

/* Writes a first part when the handle is writable. Never returns WRITE_WOULD_BLOCK. */
enum write_result output_write(struct output_file *file, const void *bytes, size_t size,
                               size_t *written);

/* Writes all of a text; or finds out that the reader has closed. */
void output_put_text(struct output_file *file, const char *text);
void output_assert_closed(struct output_file *file);

/* --- a full output ---------------------------------------------------------------------------- */

/*
 * The size of a block in bytes: more than a pipe accepts whole or not at all, and not a divisor of
 * the pipe's capacity.
 */
#define OUTPUT_BLOCK 10000

/* Offers the next block of the numbers 0 to 250, repeated, of which `at` bytes are written. */
enum write_result output_offer_numbers(struct output_file *file, size_t at, size_t *written);

/* As output_offer_numbers, but waits until the handle is writable: never WRITE_WOULD_BLOCK. */
enum write_result output_write_numbers(struct output_file *file, size_t at, size_t *written);

/* Writes such blocks until the file is full. Returns the bytes accepted. */
size_t output_fill(struct output_file *file);

/* Asserts that the bytes are such numbers, from the one at `at` on. */
void assert_numbers(const uint8_t *bytes, size_t size, size_t at);

#endif
