/*
 * Tests the bytes that a DTLS server reads before it knows a client: headers, sizes, and the
 * ClientHello.
 */
#include <string.h>

#include "collector/receive/dtls_record.h"
#include "tests/support/test.h"

struct bytes {
    uint8_t data[4096];
    size_t size;
};

static void put(struct bytes *to, const void *bytes, size_t size)
{
    assert_true(to->size + size <= sizeof to->data);
    memcpy(to->data + to->size, bytes, size);
    to->size += size;
}

static void put_header(struct bytes *to, uint8_t type, uint16_t epoch, size_t size)
{
    const uint8_t head[DTLS_RECORD_HEADER] = {
        type, 254, 253, (uint8_t)(epoch >> 8), (uint8_t)epoch, 1, 2, 3,
        4,    5,   6,   (uint8_t)(size >> 8),  (uint8_t)size};
    put(to, head, sizeof head);
}

/*
 * Writes a record with a fragment of a message: the `size` bytes of it from offset `at`. The
 * message claims to have `claimed` bytes.
 */
static void put_message(struct bytes *to, uint8_t type, size_t claimed, uint16_t number, size_t at,
                        const void *bytes, size_t size)
{
    const uint8_t head[DTLS_MESSAGE_HEADER] = {type,
                                               (uint8_t)(claimed >> 16),
                                               (uint8_t)(claimed >> 8),
                                               (uint8_t)claimed,
                                               (uint8_t)(number >> 8),
                                               (uint8_t)number,
                                               (uint8_t)(at >> 16),
                                               (uint8_t)(at >> 8),
                                               (uint8_t)at,
                                               (uint8_t)(size >> 16),
                                               (uint8_t)(size >> 8),
                                               (uint8_t)size};
    put(to, head, sizeof head);
    put(to, bytes, size);
}

static size_t make_hello(uint8_t *body, uint8_t id, uint8_t cookie)
{
    uint8_t *at = body;
    *at++ = 254;
    *at++ = 253;
    memset(at, 7, DTLS_RANDOM_SIZE);
    at += DTLS_RANDOM_SIZE;
    *at++ = id;
    memset(at, 8, id);
    at += id;
    *at++ = cookie;
    memset(at, 9, cookie);
    at += cookie;
    memcpy(at, (const uint8_t[]){0, 2, 0xc0, 0x2b, 1, 0}, 6);
    return (size_t)(at - body) + 6;
}

static bool reads_hello(const uint8_t *body, size_t claimed, size_t at, size_t size,
                        struct dtls_hello *hello)
{
    static struct bytes bytes; /* static, because the hello refers to these bytes */
    struct dtls_record record;
    bytes.size = 0;
    put_header(&bytes, DTLS_HANDSHAKE, 0, DTLS_MESSAGE_HEADER + size);
    put_message(&bytes, 1, claimed, 1, at, body, size);
    assert_true(dtls_record_read(bytes.data, bytes.size, &record));
    return dtls_hello_read(&record, hello);
}

TEST(a_record_is_read_if_it_is_whole_and_others_may_follow)
{
    struct bytes bytes = {.size = 0};
    struct dtls_record record;
    put_header(&bytes, DTLS_APPLICATION_DATA, 0x102, 300);
    bytes.size += 300;
    for (size_t size = 0; size < bytes.size; size++)
        assert_false(dtls_record_read(bytes.data, size, &record));
    assert_true(dtls_record_read(bytes.data, bytes.size + 50, &record));
    assert_int_equal(record.type, DTLS_APPLICATION_DATA);
    assert_int_equal(record.epoch, 0x102);
    assert_true(record.sequence == 0x010203040506);
    assert_int_equal(record.size, 300);
    assert_int_equal(dtls_record_size(&record), 313);
    assert_ptr_equal(record.body, bytes.data + DTLS_RECORD_HEADER);
}

TEST(other_protocols_are_not_records)
{
    struct dtls_record record;
    struct bytes bytes = {.size = 0};
    put_header(&bytes, DTLS_HANDSHAKE, 0, 0);
    assert_true(dtls_record_read(bytes.data, bytes.size, &record));
    bytes.data[1] = 3; /* the version of TLS */
    assert_false(dtls_record_read(bytes.data, bytes.size, &record));
    bytes.data[1] = 254;
    for (unsigned type = 0; type < 256; type++) {
        bytes.data[0] = (uint8_t)type;
        assert_int_equal(dtls_record_read(bytes.data, bytes.size, &record),
                         type >= 20 && type <= 23);
    }
    bytes.data[0] = DTLS_ALERT;
    memset(bytes.data + 11, 0xff, 2);
    assert_false(dtls_record_read(bytes.data, 70000, &record));
}

TEST(a_hello_is_read_in_one_piece_only)
{
    uint8_t body[512];
    struct dtls_hello hello;
    size_t size = make_hello(body, 32, 16);
    assert_true(reads_hello(body, size, 0, size, &hello));
    assert_int_equal(hello.message, 1);
    assert_int_equal(hello.id_size, 32);
    assert_int_equal(hello.id[31], 8);
    assert_int_equal(hello.cookie_size, 16);
    assert_int_equal(hello.cookie[0], 9);
    assert_int_equal(hello.random[0], 7);
    assert_false(reads_hello(body, size + 1, 0, size, &hello));
    assert_false(reads_hello(body, size + 1, 1, size, &hello));
    assert_false(reads_hello(body, size - 1, 0, size, &hello));
    assert_false(reads_hello(body, size, 0, size - 1, &hello));
}

TEST(a_hello_whose_fields_go_beyond_its_end_is_not_read)
{
    uint8_t body[512];
    struct dtls_hello hello;
    size_t size = make_hello(body, 0, 0);
    for (size_t i = 0; i < size - 6; i++)
        assert_false(reads_hello(body, i, 0, i, &hello));
    assert_true(reads_hello(body, size - 6, 0, size - 6, &hello));
    size = make_hello(body, 33, 0); /* a session id of more than 32 bytes */
    assert_false(reads_hello(body, size, 0, size, &hello));
    size = make_hello(body, 1, 255);
    assert_true(reads_hello(body, size, 0, size, &hello));
    assert_int_equal(hello.cookie_size, 255);
    assert_false(reads_hello(body, size - 7, 0, size - 7, &hello));
}

TEST(the_answer_is_shorter_than_the_smallest_hello)
{
    uint8_t body[512], answer[DTLS_VERIFY_REQUEST_SIZE];
    const uint8_t cookie[DTLS_COOKIE_SIZE] = {1, 2, 3, [15] = 16};
    struct bytes bytes = {.size = 0};
    struct dtls_record record;
    size_t size = make_hello(body, 0, 0);
    put_header(&bytes, DTLS_HANDSHAKE, 0, DTLS_MESSAGE_HEADER + size);
    put_message(&bytes, 1, size, 0, 0, body, size);
    assert_true(dtls_record_read(bytes.data, bytes.size, &record));
    assert_true(sizeof answer < bytes.size);
    dtls_verify_request_write(&record, cookie, answer);
    const uint8_t expected[] = {
        22, 254, 255, 0,  0, 1, 2, 3, 4, 5, 6, 0,  31, /* the record number of the hello */
        3,  0,   0,   19, 0, 0, 0, 0, 0, 0, 0, 19, 254, 255, 16};
    assert_memory_equal(answer, expected, sizeof expected);
    assert_memory_equal(answer + sizeof expected, cookie, sizeof cookie);
}

static bool allows(uint8_t type, size_t claimed, uint16_t number, size_t certificates)
{
    struct bytes bytes = {.size = 0};
    struct dtls_record record;
    put_header(&bytes, DTLS_HANDSHAKE, 0, 2 * DTLS_MESSAGE_HEADER + 20);
    put_message(&bytes, 14, 10, 1, 0, "0123456789", 10);
    put_message(&bytes, type, claimed, number, 5, "0123456789", 10);
    assert_true(dtls_record_read(bytes.data, bytes.size, &record));
    return dtls_messages_are_small(&record, certificates);
}

TEST(messages_may_claim_no_more_memory_than_planned)
{
    assert_true(allows(16, 2048, 8, 0));
    assert_false(allows(16, 2049, 8, 0));
    assert_false(allows(16, 2048, 9, 0));
    assert_false(allows(16, 14, 1, 0)); /* the fragment ends after the end of the message */
    assert_true(allows(11, 16384, 1, 16384));
    assert_false(allows(11, 16385, 1, 16384));
    assert_false(allows(11, 16384, 1, 0));
    assert_false(allows(15, 16384, 1, 16384));
    struct bytes bytes = {.size = 0};
    struct dtls_record record;
    put_header(&bytes, DTLS_HANDSHAKE, 0, DTLS_MESSAGE_HEADER - 1);
    bytes.size += DTLS_MESSAGE_HEADER - 1;
    assert_true(dtls_record_read(bytes.data, bytes.size, &record));
    assert_false(dtls_messages_are_small(&record, 0));
}
