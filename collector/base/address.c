#include "collector/base/address.h"

#include <stdio.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/base/rule.h"

static const uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

struct address address_from_ipv6(const uint8_t bytes[16], uint32_t scope, uint16_t port)
{
    if (memcmp(bytes, mapped_prefix, sizeof mapped_prefix) == 0)
        return address_from_ipv4(bytes + 12, port);
    struct address address = {.family = ADDRESS_IPV6, .port = port, .scope = scope};
    memcpy(address.bytes, bytes, 16);
    return address;
}

struct address address_from_process(uint32_t user, uint32_t process)
{
    RULE(process >> ADDRESS_PROCESS_BITS == 0, "a process id has at most 24 bits");
    struct address address = {
        .family = ADDRESS_LOCAL, .port_high = (uint8_t)(process >> 16), .port = (uint16_t)process};
    put_network_u32(address.bytes, user);
    return address;
}

struct address address_network(const struct address *address)
{
    struct address network = *address;
    if (network.family == ADDRESS_IPV6)
        memset(network.bytes + 8, 0, 8);
    return network;
}

bool address_is_wildcard(const struct address *address)
{
    static const uint8_t none[16];
    return memcmp(address->bytes, none, sizeof none) == 0;
}

bool address_needs_zone(const struct address *address)
{
    return address->family == ADDRESS_IPV6 && address->scope == 0 && address->bytes[0] == 0xfe &&
           (address->bytes[1] & 0xc0) == 0x80;
}

bool address_is_multicast(const struct address *address)
{
    if (address->family == ADDRESS_IPV4)
        return address->bytes[0] >> 4 == 0xe;
    return address->family == ADDRESS_IPV6 && address->bytes[0] == 0xff;
}

static size_t put_decimal(char *text, uint32_t value)
{
    char digits[10];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    for (size_t i = 0; i < count; i++)
        text[i] = digits[count - 1 - i];
    return count;
}

static size_t put_hex(char *text, unsigned value)
{
    static const char digits[] = "0123456789abcdef";
    size_t count = 0;
    for (int shift = 12; shift >= 0; shift -= 4)
        if (count != 0 || (value >> shift) != 0 || shift == 0)
            text[count++] = digits[(value >> shift) & 15];
    return count;
}

static size_t format_ipv4(const uint8_t bytes[4], char *text)
{
    size_t used = 0;
    for (int i = 0; i < 4; i++) {
        if (i != 0)
            text[used++] = '.';
        used += put_decimal(text + used, bytes[i]);
    }
    return used;
}

/*
 * Finds the longest run of two or more zero groups; of equally long runs, the first (RFC 5952,
 * 4.2).
 */
static void longest_zero_run(const unsigned groups[8], int *start, int *length)
{
    *start = -1;
    *length = 1;
    for (int i = 0; i < 8; i++) {
        int run = 0;
        while (i + run < 8 && groups[i + run] == 0)
            run++;
        if (run > *length) {
            *start = i;
            *length = run;
        }
        i += run;
    }
}

static size_t format_ipv6(const struct address *address, char *text)
{
    unsigned groups[8];
    for (int i = 0; i < 8; i++)
        groups[i] = (unsigned)address->bytes[2 * i] << 8 | address->bytes[2 * i + 1];
    int zero_start, zero_length;
    longest_zero_run(groups, &zero_start, &zero_length);

    size_t used = 0;
    for (int i = 0; i < 8; i++) {
        if (i == zero_start) {
            text[used++] = ':';
            text[used++] = ':';
            i += zero_length - 1;
            continue;
        }
        if (i != 0 && text[used - 1] != ':')
            text[used++] = ':';
        used += put_hex(text + used, groups[i]);
    }
    if (address->scope != 0) {
        text[used++] = '%';
        used += put_decimal(text + used, address->scope);
    }
    return used;
}

static size_t format_user(const uint8_t bytes[4], char *text)
{
    static const char prefix[] = "uid:";
    memcpy(text, prefix, sizeof prefix - 1);
    return sizeof prefix - 1 + put_decimal(text + sizeof prefix - 1, network_u32(bytes));
}

size_t address_format_host(const struct address *address, char *text)
{
    size_t used = 0;
    if (address->family == ADDRESS_LOCAL)
        used = format_user(address->bytes, text);
    else if (address->family == ADDRESS_IPV4)
        used = format_ipv4(address->bytes, text);
    else if (address->family == ADDRESS_IPV6)
        used = format_ipv6(address, text);
    text[used] = '\0';
    return used;
}

size_t address_format(const struct address *address, char *text)
{
    size_t used = 0;
    bool brackets = address->family == ADDRESS_IPV6;
    if (brackets)
        text[used++] = '[';
    used += address_format_host(address, text + used);
    if (brackets)
        text[used++] = ']';
    text[used++] = ':';
    used += put_decimal(text + used, address_port(address));
    text[used] = '\0';
    return used;
}

static bool parse_ipv4(const char *text, size_t length, uint8_t bytes[4])
{
    size_t at = 0;
    for (int i = 0; i < 4; i++) {
        if (i != 0 && (at == length || text[at++] != '.'))
            return false;
        unsigned value = 0;
        size_t start = at;
        while (at < length && text[at] >= '0' && text[at] <= '9' && at - start < 3)
            value = value * 10 + (unsigned)(text[at++] - '0');
        if (at == start || value > 255 || (at - start > 1 && text[start] == '0'))
            return false;
        bytes[i] = (uint8_t)value;
    }
    return at == length;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/*
 * Parses groups of hex digits, with at most one "::" and perhaps an IPv4 address at the end (RFC
 * 4291, 2.2).
 */
static bool parse_ipv6(const char *text, size_t length, uint8_t bytes[16])
{
    uint8_t head[16] = {0};
    size_t filled = 0;
    size_t gap = SIZE_MAX;
    size_t at = 0;
    if (length >= 2 && text[0] == ':' && text[1] == ':') {
        gap = 0;
        at = 2;
    }
    while (at < length) {
        size_t end = at;
        while (end < length && text[end] != ':')
            end++;
        if (end == length && memchr(text + at, '.', end - at) != NULL) {
            if (filled > 12 || !parse_ipv4(text + at, end - at, head + filled))
                return false;
            filled += 4;
            break;
        }
        if (end == at || end - at > 4 || filled > 14)
            return false;
        unsigned value = 0;
        for (; at < end; at++) {
            int digit = hex_value(text[at]);
            if (digit < 0)
                return false;
            value = value << 4 | (unsigned)digit;
        }
        head[filled++] = (uint8_t)(value >> 8);
        head[filled++] = (uint8_t)value;
        if (at == length)
            break;
        at++;
        if (at == length)
            return false; /* a single colon at the end is not allowed */
        if (text[at] == ':') {
            if (gap != SIZE_MAX)
                return false;
            gap = filled;
            at++;
        }
    }
    if (gap == SIZE_MAX ? filled != 16 : filled > 14)
        return false;
    if (gap == SIZE_MAX)
        gap = filled;
    memset(bytes, 0, 16);
    memcpy(bytes, head, gap);
    memcpy(bytes + 16 - (filled - gap), head + gap, filled - gap);
    return true;
}

bool address_parse_host(const char *text, size_t length, struct address *address)
{
    uint8_t bytes[16];
    if (parse_ipv4(text, length, bytes)) {
        *address = address_from_ipv4(bytes, 0);
        return true;
    }
    uint32_t scope = 0;
    const char *zone = memchr(text, '%', length);
    if (zone != NULL) {
        size_t host_length = (size_t)(zone - text);
        size_t digits = length - host_length - 1;
        if (digits == 0 || digits > 9)
            return false;
        for (size_t i = 0; i < digits; i++) {
            char c = zone[1 + i];
            if (c < '0' || c > '9')
                return false;
            scope = scope * 10 + (uint32_t)(c - '0');
        }
        length = host_length;
    }
    if (!parse_ipv6(text, length, bytes))
        return false;
    *address = address_from_ipv6(bytes, scope, 0);
    return true;
}
