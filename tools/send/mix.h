/*
 * Selects the kind of each datagram. Each kind has a fixed share, whose datagrams are spread
 * evenly. Pure.
 *
 * The result is deterministic. Of the first n datagrams, a kind with the share a/b gets n * a / b,
 * rounded to the nearest number. The first one comes after half a period. So a whole number of
 * periods has exactly the share. If two kinds are due at the same datagram, the one that is later
 * in the enum gets the next datagram.
 */
#ifndef SLUICE_TOOLS_SEND_MIX_H
#define SLUICE_TOOLS_SEND_MIX_H

#include <stdbool.h>
#include <stdint.h>

enum datagram_kind {
    DATAGRAM_MALFORMED, /* not a valid message */
    DATAGRAM_EMPTY,     /* no bytes */
    DATAGRAM_OVERSIZED, /* the largest UDP datagram; megabytes when decoded */
    DATAGRAM_GOOD,      /* all other datagrams */
    DATAGRAM_KINDS,
};

/* A share is part / whole, from 0/1 to 1/1. */
struct share {
    uint32_t part;
    uint32_t whole; /* 1 to SHARE_WHOLE_MAX */
};
#define SHARE_WHOLE_MAX 1000000u

struct mix {
    struct share shares[DATAGRAM_GOOD];
    /*
     * For each kind, a sum that grows with each datagram. The kind is due when the sum reaches
     * `whole`.
     */
    uint64_t owed[DATAGRAM_GOOD];
};

/* Parses "5%", "0.1%" (at most four decimals) or "1/1000". Returns false for other texts. */
bool share_parse(const char *text, struct share *share);

/*
 * Sets the shares of all kinds except DATAGRAM_GOOD. A zeroed share is 0. Returns false if their
 * sum exceeds 1.
 */
bool mix_init(struct mix *mix, const struct share shares[DATAGRAM_GOOD]);

enum datagram_kind mix_next(struct mix *mix);

#endif
