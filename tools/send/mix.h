/*
 * Which of the datagrams are good ones and which are not: a fixed share of each kind, spread
 * evenly.
 *
 * Deterministic: of the first n datagrams, a kind with the share a/b gets n * a / b, to the nearest
 * (the first one comes after half a period, so that a run of whole periods has exactly its share);
 * where two kinds are due at once, the later in the enum waits for the next datagram. Pure.
 */
#ifndef SLUICE_TOOLS_SEND_MIX_H
#define SLUICE_TOOLS_SEND_MIX_H

#include <stdbool.h>
#include <stdint.h>

enum datagram_kind {
    DATAGRAM_MALFORMED, /* no such message */
    DATAGRAM_EMPTY,     /* no bytes at all */
    DATAGRAM_OVERSIZED, /* as long as UDP carries, and megabytes when decoded */
    DATAGRAM_GOOD,      /* all that is none of the others */
    DATAGRAM_KINDS,
};

/* A share from 0/1 to 1/1. */
struct share {
    uint32_t part;
    uint32_t whole; /* 1 to SHARE_WHOLE_MAX */
};
#define SHARE_WHOLE_MAX 1000000u

struct mix {
    struct share shares[DATAGRAM_GOOD];
    uint64_t owed[DATAGRAM_GOOD]; /* in parts of `whole` */
};

/* Reads "5%", "0.1%" (at most four decimals) or "1/1000". Returns false where it is neither. */
bool share_parse(const char *text, struct share *share);

/* Takes the shares, each perhaps all zero (none). Returns false where they exceed the whole. */
bool mix_init(struct mix *mix, const struct share shares[DATAGRAM_GOOD]);

/* The kind of the next datagram. */
enum datagram_kind mix_next(struct mix *mix);

#endif
