/*
 * Uses output files as a sink does: after a write that would block, it waits for the handle and
 * offers the same bytes again. An error fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_OUTPUTS_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_OUTPUTS_H

#include <stdint.h>

#include "collector/platform/output_file.h"

/* Opens a path, or a name in the scratch directory. The file must not end in a partial line. */
struct output_file *output_open(const char *path);
struct output_file *output_open_name(const char *name);
struct output_file *output_open_stdout(void);

/*
 * Waits until the handle is writable, and writes at least one byte. Never returns
 * WRITE_WOULD_BLOCK.
 */
enum write_result output_write(struct output_file *file, const void *bytes, size_t size,
                               size_t *written);

/*
 * output_put_text writes the whole text. output_assert_closed asserts that the reader has closed.
 */
void output_put_text(struct output_file *file, const char *text);
void output_assert_closed(struct output_file *file);

/* --- a full output ---------------------------------------------------------------------------- */

/*
 * The size of a block in bytes. It is larger than the writes that a pipe treats as atomic, and does
 * not divide the pipe's capacity.
 */
#define OUTPUT_BLOCK 10000

/*
 * Offers the next block of the repeated numbers 0 to 250. `at` is the number of bytes written so
 * far.
 */
enum write_result output_offer_numbers(struct output_file *file, size_t at, size_t *written);

/*
 * The same as output_offer_numbers, but waits until the handle is writable. Never returns
 * WRITE_WOULD_BLOCK.
 */
enum write_result output_write_numbers(struct output_file *file, size_t at, size_t *written);

/*
 * Offers blocks of the numbers until the file is full. Returns the number of bytes that were
 * accepted.
 */
size_t output_fill(struct output_file *file);

/* Asserts that the bytes are the repeated numbers 0 to 250 from offset `at` on. */
void assert_numbers(const uint8_t *bytes, size_t size, size_t at);

#endif
