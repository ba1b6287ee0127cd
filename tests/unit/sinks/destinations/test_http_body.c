/* Tests the bodies of requests: the records of a block, converted by an encoder or compressed. */
#include "sinks/destinations/http_body.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#define HEAD  "a,b\n"
#define COUNT 3
#define ROOM  4096
#define RECORDS                                                                                    \
    "1,2\n"                                                                                        \
    "33,44\n"                                                                                      \
    "5,6\n"

static struct delivery_record records[COUNT] = {
    {.offset = 4, .size = 4}, {.offset = 8, .size = 6}, {.offset = 14, .size = 4}};
static struct delivery_block block = {
    .bytes = (const uint8_t *)HEAD RECORDS,
    .size = sizeof(HEAD RECORDS) - 1,
    .records = records,
    .count = COUNT,
};

static const struct encoder_ops lines = {.name = "csv"};

/* --- an encoder and a compression whose output shows their input ------------------------------ */

static bool bracket(size_t shape, const char *bytes, size_t size, void *scratch, struct output *out)
{
    memset(scratch, 1, size);
    output_char(out, shape == 0 ? '(' : '[');
    output_bytes(out, bytes, size);
    output_char(out, shape == 0 ? ')' : ']');
    return memchr(bytes, '!', size) == NULL;
}

static size_t two_more(size_t size)
{
    return size + 2;
}

static size_t as_many(size_t size)
{
    return size;
}

static const struct request_shape shapes[] = {{.content_type = "a"}, {.content_type = "b"}};
static const struct encoder_request request = {
    .shapes = shapes, .shape_count = 2, .scratch = as_many, .bound = two_more, .write = bracket};
static const struct encoder_ops bracketed = {.name = "x", .request = &request};

static size_t longest;

static size_t mark(struct compression *compression, const void *in, size_t size, void *out,
                   size_t capacity)
{
    (void)compression;
    if (size > longest || size + 1 > capacity)
        return 0;
    memcpy((char *)out + 1, in, size);
    *(char *)out = '~';
    return size + 1;
}

static size_t one_more(size_t size)
{
    return size + 1;
}

static size_t no_memory(void)
{
    return 7;
}

static struct compression *open_mark(void);

static void close_mark(struct compression *compression)
{
    free(compression);
}

static const struct compression_ops marked = {.name = "mark",
                                              .memory = no_memory,
                                              .create = open_mark,
                                              .destroy = close_mark,
                                              .bound = one_more,
                                              .compress = mark};

static struct compression *open_mark(void)
{
    struct compression *made = malloc(sizeof *made);
    assert_non_null(made);
    made->ops = &marked;
    return made;
}

/* --- making bodies ---------------------------------------------------------------------------- */

/*
 * Makes the body of `count` records from `first`. Returns the result. If `expected` is not NULL,
 * asserts that the body is equal to it.
 */
static enum http_body_result assert_body(const struct encoder_ops *encoder,
                                         const struct compression_ops *compression, size_t first,
                                         size_t count, size_t shape, const char *expected)
{
    const struct http_range range = {first, count};
    struct http_body_maker *maker = http_body_maker_create(encoder, compression, ROOM);
    struct http_body body;
    char bytes[ROOM];
    assert_non_null(maker);
    assert_true(http_body_init(&body, maker));
    enum http_body_result result = http_body_make(maker, &body, &block, &range, shape);
    if (expected != NULL) {
        size_t used = 0;
        assert_int_equal(result, HTTP_BODY_MADE);
        for (size_t i = 0; i < HTTP_BODY_PIECES; i++) {
            if (body.pieces[i].size != 0)
                memcpy(bytes + used, body.pieces[i].data, body.pieces[i].size);
            used += body.pieces[i].size;
        }
        assert_int_equal(used, http_body_size(&body));
        assert_int_equal(used, strlen(expected));
        assert_memory_equal(bytes, expected, used);
    }
    http_body_free(&body);
    http_body_maker_destroy(maker);
    return result;
}

TEST(lines_are_sent_as_they_lie_there_each_part_after_its_head)
{
    assert_body(&lines, NULL, 0, 3, 0, HEAD RECORDS);
    assert_body(&lines, NULL, 0, 1, 0, HEAD "1,2\n");
    assert_body(&lines, NULL, 1, 2, 0, HEAD "33,44\n5,6\n");
    assert_body(&lines, NULL, 2, 1, 0, HEAD "5,6\n");
}

TEST(an_encoder_makes_requests_of_records_without_a_head)
{
    assert_body(&bracketed, NULL, 0, 3, 0, "(" RECORDS ")");
    assert_body(&bracketed, NULL, 1, 1, 1, "[33,44\n]");
}

TEST(what_is_made_is_compressed)
{
    longest = ROOM;
    assert_body(&lines, &marked, 1, 1, 0, "~" HEAD "33,44\n");
    assert_body(&bracketed, &marked, 1, 1, 0, "~(33,44\n)");
}

TEST(records_of_one_group_are_sent_without_those_between_them)
{
    longest = ROOM;
    records[1].group = 1;
    assert_body(&lines, NULL, 0, 3, 0, HEAD "1,2\n5,6\n");
    assert_body(&lines, NULL, 1, 2, 0, HEAD "33,44\n");
    assert_body(&bracketed, NULL, 0, 3, 0, "(1,2\n5,6\n)");
    assert_body(&lines, &marked, 0, 3, 0, "~" HEAD "1,2\n5,6\n");
    records[1].group = 0;
}

TEST(what_is_too_long_to_be_compressed_is_reported_as_such)
{
    longest = 10;
    assert_int_equal(assert_body(&lines, &marked, 0, 3, 0, NULL), HTTP_BODY_TOO_LARGE);
    assert_body(&lines, &marked, 0, 1, 0, "~" HEAD "1,2\n");
}

TEST(bytes_that_the_encoder_did_not_write_are_reported_as_foreign)
{
    static const struct delivery_record one = {.offset = 0, .size = 1};
    struct delivery_record record = one;
    struct delivery_block foreign = {
        .bytes = (const uint8_t *)"!", .size = 1, .records = &record, .count = 1};
    const struct http_range range = {0, 1};
    struct http_body_maker *maker = http_body_maker_create(&bracketed, NULL, ROOM);
    struct http_body body;
    assert_true(http_body_init(&body, maker));
    assert_int_equal(http_body_make(maker, &body, &foreign, &range, 0), HTTP_BODY_FOREIGN);
    http_body_free(&body);
    http_body_maker_destroy(maker);
}

TEST(the_memory_that_is_planned_has_all_parts)
{
    size_t alone = http_body_memory(&lines, NULL, ROOM, 4);
    assert_int_equal(http_body_memory(&lines, &marked, ROOM, 4), alone + ROOM + 4 * (ROOM + 1) + 7);
    assert_int_equal(http_body_memory(&bracketed, NULL, ROOM, 4), alone + ROOM + 4 * (ROOM + 2));
}
