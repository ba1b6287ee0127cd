/*
 * Compares sealing with the test vectors of tools/packaging/sealed.md. Another implementation reads
 * them in tests/integration/differential/test_sealed_page.py.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/framing/sealed.h"
#include "collector/senders/sender_key_line.h"
#include "collector/text/hex.h"
#include "tests/support/test.h"

static char page[64 * 1024];

static void read_page(void)
{
    FILE *file = fopen(TEST_SEALED_PAGE, "rb");
    assert_non_null(file);
    size_t size = fread(page, 1, sizeof page - 1, file);
    assert_int_equal(fclose(file), 0);
    assert_true(size != 0 && size < sizeof page - 1);
    page[size] = '\0';
}

static char *after(char *from, const char *mark)
{
    char *found = strstr(from, mark);
    assert_non_null(found);
    return found + strlen(mark);
}

/* --- reading a vector ------------------------------------------------------------------------- */

struct vector {
    char name[64], result[16];
    struct sealed_header header;
    uint8_t payload[256], datagram[256];
    size_t payload_size, datagram_size;
};

static void read_digits(const char *text, uint8_t *bytes, size_t *size)
{
    for (; hex_digit_value(text[0]) >= 0; text += 2) {
        assert_true(hex_digit_value(text[1]) >= 0 && *size < 256);
        bytes[(*size)++] = (uint8_t)(hex_digit_value(text[0]) << 4 | hex_digit_value(text[1]));
    }
}

static bool read_text(const char *line, const char *key, char *text, size_t size)
{
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0)
        return false;
    snprintf(text, size, "%s", line + length);
    return true;
}

static void read_line(const char *line, struct vector *vector)
{
    char value[256];
    if (read_text(line, "    ", value, sizeof value) ||
        read_text(line, "datagram = ", value, sizeof value))
        read_digits(value, vector->datagram, &vector->datagram_size);
    else if (read_text(line, "payload =", value, sizeof value))
        read_digits(value + strspn(value, " "), vector->payload, &vector->payload_size);
    else if (read_text(line, "mode = ", value, sizeof value))
        vector->header.mode = (enum sealed_mode)strtoul(value, NULL, 10);
    else if (read_text(line, "session = ", value, sizeof value))
        vector->header.session = strtoull(value, NULL, 16);
    else if (read_text(line, "counter = ", value, sizeof value))
        vector->header.counter = strtoull(value, NULL, 10);
    else if (read_text(line, "time = ", value, sizeof value))
        vector->header.time_ns = strtoll(value, NULL, 10);
    else if (!read_text(line, "case = ", vector->name, sizeof vector->name) &&
             !read_text(line, "result = ", vector->result, sizeof vector->result))
        fail_msg("a line of the page: %s", line);
}

/* --- opening a vector ------------------------------------------------------------------------- */

static struct sender_key_line line_of_key;
static struct sealed_key key;

static const char *open_vector(const struct vector *vector, struct sealed_header *header,
                               uint8_t payload[256])
{
    if (sealed_read(vector->datagram, vector->datagram_size, header) != CAUSE_UNKNOWN)
        return "malformed";
    if (header->key_id != line_of_key.id)
        return "no_key";
    return sealed_open(&key, header->mode, vector->datagram, vector->datagram_size, payload)
               ? "accepted"
               : "forged";
}

static void check(struct vector *vector)
{
    struct sealed_header header;
    uint8_t payload[256], sealed[256 + SEALED_OVERHEAD];
    const char *result = open_vector(vector, &header, payload);
    if (strcmp(result, vector->result) != 0)
        fail_msg("%s: %s", vector->name, result);
    if (strcmp(result, "accepted") != 0)
        return;
    assert_int_equal(vector->datagram_size, vector->payload_size + SEALED_OVERHEAD);
    assert_memory_equal(payload, vector->payload, vector->payload_size);
    assert_int_equal(header.mode, vector->header.mode);
    assert_true(header.session == vector->header.session);
    assert_true(header.counter == vector->header.counter);
    assert_true(header.time_ns == vector->header.time_ns);
    sealed_seal(&key, &header, payload, vector->payload_size, sealed);
    assert_memory_equal(sealed, vector->datagram, vector->datagram_size);
}

TEST(the_pages_vectors_have_their_results)
{
    struct error error;
    size_t checked = 0;
    read_page();
    char *keys = after(after(page, "## Test vectors"), "```text\n");
    assert_null(sender_key_line_parse(keys, strcspn(keys, "\n"), &line_of_key));
    assert_int_equal(sealed_load(&error), 0);
    sealed_key_derive(line_of_key.key, &key);
    struct vector vector = {.datagram_size = 0};
    for (char *line = after(keys, "```text\n"), *next; strncmp(line, "```", 3) != 0; line = next) {
        next = after(line, "\n");
        next[-1] = '\0';
        if (*line != '\0')
            read_line(line, &vector);
        if (strncmp(line, "result", 6) == 0) {
            check(&vector);
            checked++;
            vector = (struct vector){.datagram_size = 0};
        }
    }
    assert_true(checked >= 15);
}
