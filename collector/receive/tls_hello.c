#include "collector/receive/tls_hello.h"

/* Types of records (RFC 8446, 5.1) and of a message (4). */
#define RECORD_CHANGE_CIPHER_SPEC 20
#define RECORD_HANDSHAKE          22
#define RECORD_ENCRYPTED          23
#define MESSAGE_CLIENT_HELLO      1

/*
 * Offset in a ClientHello of the length of the session id, after the version and the random bytes.
 */
#define ID_AT ((size_t)34)

static bool is_hello(const struct tls_hello *hello)
{
    return hello->head[0] == MESSAGE_CLIENT_HELLO;
}

/* Reads a byte of a hello's body. Returns false if the list of cipher suites is too long. */
static bool read_hello_byte(struct tls_hello *hello, uint8_t byte)
{
    size_t at = hello->message_at;
    if (at == ID_AT)
        hello->suites_at = ID_AT + 1 + byte;
    if (hello->suites_at != 0 && at == hello->suites_at)
        hello->suites = (size_t)byte << 8;
    else if (hello->suites_at != 0 && at == hello->suites_at + 1)
        hello->suites |= byte;
    return hello->suites <= TLS_HELLO_SUITES_MOST;
}

/* Begins a message whose header is complete. Returns false if it is a hello that is too long. */
static bool begin_message(struct tls_hello *hello)
{
    const uint8_t *head = hello->head;
    hello->message_size = (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
    hello->message_at = 0;
    hello->suites_at = hello->suites = 0;
    if (hello->message_size == 0)
        hello->head_at = 0;
    if (!is_hello(hello)) {
        hello->is_followed = true;
        return true;
    }
    if (hello->longest < hello->message_size)
        hello->longest = hello->message_size;
    return hello->message_size <= TLS_HELLO_MOST;
}

static bool read_message_byte(struct tls_hello *hello, uint8_t byte)
{
    if (hello->head_at < sizeof hello->head) {
        hello->head[hello->head_at++] = byte;
        return hello->head_at < sizeof hello->head || begin_message(hello);
    }
    bool fits = !is_hello(hello) || read_hello_byte(hello, byte);
    if (++hello->message_at == hello->message_size)
        hello->head_at = 0;
    return fits;
}

/*
 * Begins a record whose header is complete. Returns false if the header is invalid: SSL 2 has no
 * record types.
 */
static bool begin_record(struct tls_hello *hello, bool is_old)
{
    uint8_t type = hello->record[0];
    hello->record_at = 0;
    hello->record_left = (size_t)hello->record[3] << 8 | hello->record[4];
    hello->is_over = type == RECORD_CHANGE_CIPHER_SPEC && is_old;
    hello->is_followed = hello->is_followed || type == RECORD_ENCRYPTED;
    return type < 0x80;
}

bool tls_hello_read(struct tls_hello *hello, const uint8_t *bytes, size_t size, bool is_old)
{
    for (size_t i = 0; i < size && !hello->is_over; i++) {
        if (hello->record_left != 0) {
            hello->record_left--;
            if (hello->record[0] == RECORD_HANDSHAKE && !read_message_byte(hello, bytes[i]))
                return false;
            continue;
        }
        hello->record[hello->record_at++] = bytes[i];
        if (hello->record_at == sizeof hello->record && !begin_record(hello, is_old))
            return false;
    }
    return true;
}
