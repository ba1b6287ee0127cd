/*
 * Represents an address, independent of the operating system: an IP address with a port or, for a
 * process that sends over a local socket, its user and its process id.
 *
 * Addresses are copied, compared and formatted without allocation. An IPv4-mapped IPv6 address (RFC
 * 4291, section 2.5.5.2) is always stored as an IPv4 address.
 *
 * A local process has its user in place of the host and its process id in place of the port. So
 * limits and reports per host apply to each user, however many processes the user starts.
 */
#ifndef SLUICE_COLLECTOR_BASE_ADDRESS_H
#define SLUICE_COLLECTOR_BASE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum address_family { ADDRESS_NONE = 0, ADDRESS_LOCAL = 1, ADDRESS_IPV4 = 4, ADDRESS_IPV6 = 6 };

struct address {
    uint8_t family;    /* enum address_family */
    uint8_t port_high; /* ADDRESS_LOCAL: bits 16 to 23 of the process id, else 0 */
    uint16_t port;     /* host byte order; ADDRESS_LOCAL: bits 0 to 15 of the process id */
    uint32_t scope;    /* IPv6 zone index of a link-local address, else 0 */
    /*
     * Network byte order. An IPv4 address, or the user id of a local process, is in the first 4;
     * the rest is 0.
     */
    uint8_t bytes[16];
};

/* The most bytes that address_format needs: "[...%4294967295]:65535" and the final NUL. */
#define ADDRESS_TEXT_SIZE 72

/* The most bits of a process id (PID_MAX_LIMIT of Linux has 22). */
#define ADDRESS_PROCESS_BITS 24

/*
 * Return the address whose 4 or 16 bytes are in network order. An IPv4-mapped IPv6 address becomes
 * IPv4.
 */
static inline struct address address_from_ipv4(const uint8_t bytes[4], uint16_t port)
{
    struct address address = {.family = ADDRESS_IPV4, .port = port};
    memcpy(address.bytes, bytes, 4);
    return address;
}
struct address address_from_ipv6(const uint8_t bytes[16], uint32_t scope, uint16_t port);

/*
 * Returns the address of a local process. `process` is its id, of at most ADDRESS_PROCESS_BITS
 * bits, or 0 if it is unknown.
 */
struct address address_from_process(uint32_t user, uint32_t process);

/* Returns true if both addresses have the same host and zone. Ignores the ports. */
static inline bool address_same_host(const struct address *a, const struct address *b)
{
    uint64_t first[2], second[2]; /* gcc does not always replace a memcmp of 16 bytes by this */
    memcpy(first, a->bytes, sizeof first);
    memcpy(second, b->bytes, sizeof second);
    return a->family == b->family && a->scope == b->scope && first[0] == second[0] &&
           first[1] == second[1];
}

/* Returns the port, or the id of a local process. */
static inline uint32_t address_port(const struct address *address)
{
    return (uint32_t)address->port_high << 16 | address->port;
}

/* Returns true if both addresses have the same host, zone and port. */
static inline bool address_equal(const struct address *a, const struct address *b)
{
    return address_port(a) == address_port(b) && address_same_host(a, b);
}

/*
 * Returns the network that usually belongs to one host: for IPv6 the /64 (RFC 7934, 3), for IPv4
 * the address itself. The port stays the same. Limits per host compare networks
 * (address_same_host).
 */
struct address address_network(const struct address *address);

/*
 * Returns true if the host is the wildcard address of its family: 0.0.0.0 or ::. Not used for
 * ADDRESS_LOCAL.
 */
bool address_is_wildcard(const struct address *address);

/*
 * Returns true if the host is a link-local IPv6 address (fe80::/10, RFC 4291, 2.5.6) without its
 * zone.
 */
bool address_needs_zone(const struct address *address);
#define ADDRESS_ZONE_MISSING                                                                       \
    "a link-local address needs the interface that leads to it, as in [fe80::1%eth0]"

/*
 * Returns true if the host is a multicast group: 224.0.0.0/4 (RFC 5771) or ff00::/8 (RFC 4291,
 * 2.7).
 */
bool address_is_multicast(const struct address *address);

/*
 * Writes "192.0.2.1:5555" or "[2001:db8::1]:5555" (RFC 5952), or "uid:108:4711" for process 4711 of
 * user 108, and a NUL to the ADDRESS_TEXT_SIZE bytes of `text`. Returns the length of the text
 * without the NUL.
 */
size_t address_format(const struct address *address, char *text);

/* Like address_format, but without the port or process id, and without brackets. */
size_t address_format_host(const struct address *address, char *text);

/*
 * Parses a numeric host of `length` bytes: dotted quad, or RFC 4291 text with an optional "%NUMBER"
 * zone; no brackets, no names. Sets the port to 0. Returns false if the text is not such a host.
 */
bool address_parse_host(const char *text, size_t length, struct address *address);

#endif
