/*
 * Which of a port's datagrams a schema is for: by who sent them, or by their first bytes.
 *
 * A value, all zero for "every datagram"; made by config/match.h. Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_SCHEMA_MATCH_H
#define SLUICE_COLLECTOR_CONTRACT_SCHEMA_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"

enum schema_match_kind {
    MATCH_ALL,
    MATCH_SOURCE, /* the sender's address is in a network */
    MATCH_MAGIC,  /* the datagram begins with these bytes */
};

/* The most bytes that a datagram may be recognised by. */
#define MATCH_MAGIC_MAX 32

struct schema_match {
    enum schema_match_kind kind;
    struct address network; /* no bit is set after the prefix; an IPv4-mapped one is IPv4's */
    uint8_t prefix;         /* bits, of 32 or 128 */
    uint8_t magic[MATCH_MAGIC_MAX];
    uint8_t magic_size; /* bytes */
};

/*
 * Whether a datagram from `source` that begins with these `size` bytes is taken. All of a longer
 * one than MATCH_MAGIC_MAX bytes need not be given.
 */
bool schema_match_takes(const struct schema_match *match, const struct address *source,
                        const uint8_t *data, size_t size);

#endif
