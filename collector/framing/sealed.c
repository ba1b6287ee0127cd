#include "collector/framing/sealed.h"

#include <string.h>

#include "collector/base/byte_order.h"

enum {
    AT_VERSION = 4,
    AT_MODE = 5,
    AT_RESERVED = 6,
    AT_KEY_ID = 8,
    AT_SESSION = 16,
    AT_COUNTER = 24,
    AT_TIME = 32,
};

#define VERSION 1

static const uint8_t magic[] = {'S', 'L', 'S', 'D'};

static void put_u64(uint8_t *bytes, uint64_t value)
{
    put_network_u32(bytes, (uint32_t)(value >> 32));
    put_network_u32(bytes + 4, (uint32_t)value);
}

static uint64_t get_u64(const uint8_t *bytes)
{
    return ordered_u64(BYTE_ORDER_BIG_ENDIAN, bytes);
}

static bool is_ours(const uint8_t *datagram)
{
    uint8_t mode = datagram[AT_MODE];
    return memcmp(datagram, magic, sizeof magic) == 0 && datagram[AT_VERSION] == VERSION &&
           (mode == SEALED_AUTHENTICATED || mode == SEALED_ENCRYPTED) &&
           network_u16(datagram + AT_RESERVED) == 0;
}

enum decode_cause sealed_read(const uint8_t *datagram, size_t size, struct sealed_header *header)
{
    if (size < SEALED_OVERHEAD)
        return CAUSE_SHORT_HEADER;
    uint64_t time_ns = get_u64(datagram + AT_TIME);
    *header = (struct sealed_header){
        .mode = (enum sealed_mode)datagram[AT_MODE],
        .key_id = get_u64(datagram + AT_KEY_ID),
        .session = get_u64(datagram + AT_SESSION),
        .counter = get_u64(datagram + AT_COUNTER),
        .time_ns = (int64_t)(time_ns & INT64_MAX),
    };
    bool good =
        is_ours(datagram) && header->key_id != 0 && header->counter != 0 && time_ns <= INT64_MAX;
    return good ? CAUSE_UNKNOWN : CAUSE_FOREIGN_HEADER;
}

void sealed_write(const struct sealed_header *header, uint8_t *datagram)
{
    memcpy(datagram, magic, sizeof magic);
    datagram[AT_VERSION] = VERSION;
    datagram[AT_MODE] = (uint8_t)header->mode;
    put_network_u16(datagram + AT_RESERVED, 0);
    put_u64(datagram + AT_KEY_ID, header->key_id);
    put_u64(datagram + AT_SESSION, header->session);
    put_u64(datagram + AT_COUNTER, header->counter);
    put_u64(datagram + AT_TIME, (uint64_t)header->time_ns);
}
