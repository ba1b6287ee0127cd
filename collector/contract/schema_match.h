/*
 * Selects the datagrams of a port that a schema decodes, by the sender's address or name, or by
 * their first bytes.
 *
 * A struct that is all zero matches every datagram. Parsed by config/match.h. Pure functions; any
 * thread.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_SCHEMA_MATCH_H
#define SLUICE_COLLECTOR_CONTRACT_SCHEMA_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/contract/sender_name.h"

enum schema_match_kind {
    MATCH_ALL,
    MATCH_SOURCE, /* the sender's address is in a network */
    MATCH_MAGIC,  /* the datagram begins with these bytes */
    MATCH_KEY,    /* the sender has proved this name, by framing=sealed or DTLS */
};

/* The maximum number of bytes that MATCH_MAGIC compares. */
#define MATCH_MAGIC_MAX 32

struct schema_match {
    enum schema_match_kind kind;
    /* Bits after the prefix are 0; IPv4-mapped networks are stored as IPv4. */
    struct address network;
    uint8_t prefix; /* number of bits, at most 32 (IPv4) or 128 (IPv6) */
    uint8_t magic[MATCH_MAGIC_MAX];
    uint8_t magic_size;            /* number of bytes in `magic` */
    char key[SENDER_NAME_MAX + 1]; /* the sender's name, for MATCH_KEY */
};

/*
 * Returns true if a datagram from `source` that begins with the `size` bytes at `data` matches. The
 * first MATCH_MAGIC_MAX bytes of a longer datagram are sufficient. `sender` is the sender's
 * authenticated name, or NULL.
 */
bool schema_match_takes(const struct schema_match *match, const struct address *source,
                        const char *sender, const uint8_t *data, size_t size);

#endif
