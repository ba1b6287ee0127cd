#include "tests/support/platform/outputs.h"

#include <string.h>

#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

/*
 * HANG_MS is a time that only a hang reaches. A stream that accepts no data for FULL_MS counts as
 * full.
 */
#define HANG_MS 20000
#define FULL_MS 100

struct output_file *output_open(const char *path)
{
    struct output_file *file = NULL;
    struct output_file_start start;
    struct error error = {.text = ""};
    if (output_file_open_append(path, 0, NULL, &file, &start, &error) != 0)
        fail_msg("%s", error.text);
    assert_non_null(file);
    assert_int_equal(start.torn, TORN_LINE_NONE);
    return file;
}

struct output_file *output_open_name(const char *name)
{
    return output_open(scratch_path(name));
}

struct output_file *output_open_stdout(void)
{
    struct output_file *file = NULL;
    struct error error = {.text = ""};
    if (output_file_open_stdout(&file, &error) != 0)
        fail_msg("%s", error.text);
    return file;
}

/* Returns true if the handle becomes writable or its reader closes within this time. */
static bool is_ready(const struct output_file *file, int timeout_ms)
{
    struct wakeup *wakeup;
    assert_int_equal(wakeup_create(&wakeup, &(struct error){0}), 0);
    enum wakeup_reason reason = wakeup_wait(wakeup, output_file_handle(file), true, timeout_ms);
    wakeup_destroy(wakeup);
    return reason == WAKEUP_WRITABLE || reason == WAKEUP_BROKEN;
}

enum write_result output_write(struct output_file *file, const void *bytes, size_t size,
                               size_t *written)
{
    struct error error = {.text = ""};
    enum write_result result;
    *written = 0;
    while ((result = output_file_write(file, bytes, size, written, &error)) == WRITE_WOULD_BLOCK) {
        assert_int_equal(*written, 0);
        if (!is_ready(file, HANG_MS))
            fail_msg("it accepts no more bytes");
    }
    if (result == WRITE_FAILED)
        fail_msg("%s", error.text);
    return result;
}

void output_put_text(struct output_file *file, const char *text)
{
    size_t written;
    for (; *text != '\0'; text += written)
        assert_int_equal(output_write(file, text, strlen(text), &written), WRITE_OK);
}

void output_assert_closed(struct output_file *file)
{
    size_t written;
    assert_int_equal(output_write(file, "line\n", 5, &written), WRITE_CLOSED);
    assert_int_equal(written, 0);
}

/* --- a full output ---------------------------------------------------------------------------- */

enum write_result output_offer_numbers(struct output_file *file, size_t at, size_t *written)
{
    uint8_t block[OUTPUT_BLOCK];
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (uint8_t)((at + i) % 251);
    *written = 0;
    return output_file_write(file, block, sizeof block, written, NULL);
}

enum write_result output_write_numbers(struct output_file *file, size_t at, size_t *written)
{
    enum write_result result;
    while ((result = output_offer_numbers(file, at, written)) == WRITE_WOULD_BLOCK)
        assert_true(is_ready(file, HANG_MS));
    return result;
}

size_t output_fill(struct output_file *file)
{
    size_t accepted = 0;
    for (;;) {
        size_t written;
        enum write_result result = output_offer_numbers(file, accepted, &written);
        accepted += written;
        if (result == WRITE_WOULD_BLOCK && !is_ready(file, FULL_MS))
            return accepted;
        assert_true(result == WRITE_WOULD_BLOCK || result == WRITE_OK);
    }
}

void assert_numbers(const uint8_t *bytes, size_t size, size_t at)
{
    for (size_t i = 0; i < size; i++)
        assert_int_equal(bytes[i], (at + i) % 251);
}
