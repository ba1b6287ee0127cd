/*
 * Output files as a sink uses them: whoever would block waits for the handle and offers the same
 * again. Each function fails the running cmocka test where it cannot do what it says.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_OUTPUTS_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_OUTPUTS_H

#include <stdint.h>

#include "collector/platform/output_file.h"

/* By a path; or by a name in the scratch directory. Nothing torn is in it. */
struct output_file *output_open(const char *path);
struct output_file *output_open_name(const char *name);
struct output_file *output_open_stdout(void);

/* Writes a first part, when the handle takes it. Never WRITE_WOULD_BLOCK. */
enum write_result output_write(struct output_file *file, const void *bytes, size_t size,
                               size_t *written);

/* Writes all of a text; finds out that nobody reads it. */
void output_put_text(struct output_file *file, const char *text);
void output_assert_closed(struct output_file *file);

/* --- a full one ------------------------------------------------------------------------------- */

/* Bytes of a block: more than a pipe takes whole or not at all, and no whole part of its room. */
#define OUTPUT_BLOCK 10000

/* Offers the next block of the numbers 0 to 250 over and over, of which `at` bytes are out. */
enum write_result output_offer_numbers(struct output_file *file, size_t at, size_t *written);

/* The same, when the handle takes it. Never WRITE_WOULD_BLOCK. */
enum write_result output_write_numbers(struct output_file *file, size_t at, size_t *written);

/* Writes such blocks until nothing more is taken. Returns the bytes accepted. */
size_t output_fill(struct output_file *file);

/* Whether they are such numbers, from the one at `at` on. */
void assert_numbers(const uint8_t *bytes, size_t size, size_t at);

#endif
