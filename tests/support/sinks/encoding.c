#include "tests/support/sinks/encoding.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/proto/schema_made.h"
#include "tests/support/test.h"
#include "tests/support/text/json_tree.h"

#define ARENA_SIZE ((size_t)16 * 1024 * 1024)

struct encoding *encoding_create(const struct schema_ops *schema, const struct encoder_ops *encoder,
                                 const struct encoder_options *options)
{
    struct encoding *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->ops = encoder;
    made->encoder = encoder->create(options);
    made->schema = schema_made(schema);
    made->memory = malloc(ARENA_SIZE);
    assert_non_null(made->encoder);
    assert_non_null(made->schema);
    assert_non_null(made->memory);
    made->arena = (struct arena){.base = made->memory, .capacity = ARENA_SIZE};
    made->listener.name = "udp://127.0.0.1:5555";
    made->record.schema = made->schema;
    made->record.received_ns = ENCODING_RECEIVED_NS;
    made->record.source = address_from_ipv4((const uint8_t[]){192, 0, 2, 1}, 5555);
    return made;
}

void encoding_free(struct encoding *encoding)
{
    encoding->ops->destroy(encoding->encoder);
    encoding->schema->ops->destroy(encoding->schema);
    free(encoding->memory);
    free(encoding);
}

bool encoding_decode(struct encoding *encoding, const void *datagram, size_t size)
{
    encoding->arena.used = 0;
    encoding->record.data = datagram;
    encoding->record.size = (uint32_t)size;
    struct decoded decoded;
    enum decode_result result =
        encoding->schema->ops->decode(encoding->schema, datagram, size, &encoding->arena, &decoded);
    encoding->record.message = decoded.message;
    return result == DECODE_OK;
}

const char *encoding_write(struct encoding *encoding)
{
    struct output out = {.data = encoding->text, .capacity = sizeof encoding->text - 1};
    struct encoded written =
        encoding->ops->encode(encoding->encoder, &encoding->listener, &encoding->record, &out);
    encoding->written = written;
    encoding->lines = written.lines;
    encoding->samples = written.samples;
    encoding->arranged = written.arranged;
    encoding->left_out = written.left_out;
    encoding->joined = written.joined;
    assert_false(out.overflow);
    encoding->size = out.used;
    encoding->text[out.used] = '\0';
    return encoding->text;
}

const char *encoding_write_json(struct encoding *encoding)
{
    encoding_write(encoding);
    size_t lines = 0;
    for (const char *line = encoding->text; line != encoding->text + encoding->size; lines++) {
        const char *end = memchr(line, '\n', encoding->size - (size_t)(line - encoding->text));
        assert_non_null(end);
        struct json_tree *tree = json_tree_read(line, (size_t)(end - line));
        if (tree == NULL)
            fail_msg("no valid JSON: %.*s", (int)(end - line), line);
        json_tree_free(tree);
        line = end + 1;
    }
    assert_int_equal(lines, encoding->lines);
    return encoding->text;
}

bool encoding_overflows(struct encoding *encoding, size_t capacity)
{
    /* The block begins with another line, and ends exactly where the capacity ends. */
    static const char before[] = "{}\n";
    size_t start = sizeof before - 1;
    char *block = malloc(start + capacity);
    assert_non_null(block);
    memcpy(block, before, start);
    struct output out = {.data = block, .used = start, .capacity = start + capacity};
    size_t lines =
        encoding->ops->encode(encoding->encoder, &encoding->listener, &encoding->record, &out)
            .lines;
    assert_in_range(out.used, start, start + capacity);
    assert_memory_equal(block, before, start);
    if (!out.overflow) {
        assert_int_equal(lines, encoding->lines);
        assert_int_equal(out.used - start, encoding->size);
        assert_memory_equal(block + start, encoding->text, encoding->size);
    }
    free(block);
    return out.overflow;
}

void encoding_assert_whole_or_overflow(struct encoding *encoding)
{
    encoding_write(encoding);
    size_t step = encoding->size < 3000 ? 1 : encoding->size / 97;
    for (size_t capacity = 0; capacity < encoding->size; capacity += step)
        assert_true(encoding_overflows(encoding, capacity));
    if (encoding->size != 0)
        assert_true(encoding_overflows(encoding, encoding->size - 1));
    assert_false(encoding_overflows(encoding, encoding->size));
    assert_false(encoding_overflows(encoding, encoding->size + 1));
}
