#include "collector/receive/dtls_record.h"

#include <string.h>

#define VERSION_MAJOR 254

/* Types of handshake messages (RFC 5246, 7.4; RFC 6347, 4.3.2). */
#define MESSAGE_CLIENT_HELLO   1
#define MESSAGE_VERIFY_REQUEST 3
#define MESSAGE_CERTIFICATE    11

/*
 * The upper limit in bytes of a message without certificates. A key exchange or a signature with
 * RSA of 8,192 bits takes 1 KiB. A hello also has lists, for which OpenSSL allocates a few times
 * their size.
 */
#define MESSAGE_MOST 2048

/* The highest message number. A client sends five messages after its first hello. */
#define MESSAGES_MOST 8

static uint64_t read_number(const uint8_t *bytes, size_t size)
{
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++)
        number = number << 8 | bytes[i];
    return number;
}

static void write_number(uint8_t *bytes, size_t size, uint64_t number)
{
    for (size_t i = size; i-- > 0; number >>= 8)
        bytes[i] = (uint8_t)number;
}

/* --- records ---------------------------------------------------------------------------------- */

bool dtls_record_read(const uint8_t *bytes, size_t size, struct dtls_record *record)
{
    if (size < DTLS_RECORD_HEADER || bytes[0] < DTLS_CHANGE_CIPHER_SPEC ||
        bytes[0] > DTLS_APPLICATION_DATA || bytes[1] != VERSION_MAJOR)
        return false;
    *record = (struct dtls_record){
        .type = bytes[0],
        .epoch = (uint16_t)read_number(bytes + 3, 2),
        .sequence = read_number(bytes + 5, 6),
        .header = bytes,
        .body = bytes + DTLS_RECORD_HEADER,
        .size = (size_t)read_number(bytes + 11, 2),
    };
    return record->size <= DTLS_BODY_MOST && record->size <= size - DTLS_RECORD_HEADER;
}

/* --- handshake messages ----------------------------------------------------------------------- */

/* A message, or a fragment of one. */
struct message {
    uint8_t type;
    size_t size;
    uint16_t number;
    size_t part_at, part; /* offset and size of the fragment */
    const uint8_t *body;  /* the bytes of the fragment */
};

static bool read_message(const struct dtls_record *record, size_t *at, struct message *message)
{
    const uint8_t *bytes = record->body + *at;
    size_t left = record->size - *at;
    if (left < DTLS_MESSAGE_HEADER)
        return false;
    *message = (struct message){
        .type = bytes[0],
        .size = (size_t)read_number(bytes + 1, 3),
        .number = (uint16_t)read_number(bytes + 4, 2),
        .part_at = (size_t)read_number(bytes + 6, 3),
        .part = (size_t)read_number(bytes + 9, 3),
        .body = bytes + DTLS_MESSAGE_HEADER,
    };
    *at += DTLS_MESSAGE_HEADER + message->part;
    return message->part <= left - DTLS_MESSAGE_HEADER && message->part_at <= message->size &&
           message->part <= message->size - message->part_at;
}

bool dtls_messages_are_small(const struct dtls_record *record, size_t certificates)
{
    struct message message;
    for (size_t at = 0; at < record->size;) {
        if (!read_message(record, &at, &message))
            return false;
        bool is_large = message.type == MESSAGE_CERTIFICATE && certificates > MESSAGE_MOST;
        if (message.size > (is_large ? certificates : MESSAGE_MOST) ||
            message.number > MESSAGES_MOST)
            return false;
    }
    return true;
}

/* --- the first messages ----------------------------------------------------------------------- */

/* Takes a field of up to 255 bytes, which follows a byte with its length. */
static bool take_field(const uint8_t **at, const uint8_t *end, const uint8_t **field, size_t *size)
{
    if (*at == end || (size_t)(end - *at) - 1 < **at)
        return false;
    *size = **at;
    *field = *at + 1;
    *at = *field + *size;
    return true;
}

bool dtls_hello_read(const struct dtls_record *record, struct dtls_hello *hello)
{
    struct message message;
    size_t end = 0;
    if (record->type != DTLS_HANDSHAKE || record->epoch != 0 ||
        !read_message(record, &end, &message) || end != record->size ||
        message.type != MESSAGE_CLIENT_HELLO || message.part != message.size ||
        message.size > MESSAGE_MOST || message.size < 2 + DTLS_RANDOM_SIZE)
        return false;
    const uint8_t *at = message.body + 2 + DTLS_RANDOM_SIZE;
    const uint8_t *last = message.body + message.size;
    *hello = (struct dtls_hello){
        .message = message.number, .version = message.body, .random = message.body + 2};
    return take_field(&at, last, &hello->id, &hello->id_size) && hello->id_size <= DTLS_ID_MOST &&
           take_field(&at, last, &hello->cookie, &hello->cookie_size);
}

/*
 * RFC 6347, 4.2.1: the answer's record has the number of the hello's record, and both version
 * fields are those of DTLS 1.0.
 */
void dtls_verify_request_write(const struct dtls_record *record,
                               const uint8_t cookie[DTLS_COOKIE_SIZE],
                               uint8_t out[DTLS_VERIFY_REQUEST_SIZE])
{
    static const uint8_t version[] = {VERSION_MAJOR, 255};
    const size_t size = 3 + DTLS_COOKIE_SIZE;
    uint8_t *message = out + DTLS_RECORD_HEADER;
    uint8_t *body = message + DTLS_MESSAGE_HEADER;
    memset(out, 0, DTLS_VERIFY_REQUEST_SIZE);
    out[0] = DTLS_HANDSHAKE;
    memcpy(out + 1, version, sizeof version);
    write_number(out + 5, 6, record->sequence);
    write_number(out + 11, 2, DTLS_MESSAGE_HEADER + size);
    message[0] = MESSAGE_VERIFY_REQUEST;
    write_number(message + 1, 3, size);
    write_number(message + 9, 3, size);
    memcpy(body, version, sizeof version);
    body[2] = DTLS_COOKIE_SIZE;
    memcpy(body + 3, cookie, DTLS_COOKIE_SIZE);
}
