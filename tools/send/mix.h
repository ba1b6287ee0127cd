/*
 * Decides the kind of each datagram: a fixed share of each kind, spread evenly.
 *
 * Deterministic: of the first n datagrams, a kind with the share a/b gets n * a / b, to the
 * nearest. The first one comes after half a period, so a run of whole periods has exactly its
 * share. If two kinds are due at the same datagram, the later one in the enum waits for the next.
 * Pure.
 */
#ifndef SLUICE_TOOLS_SEND_MIX_H
#define SLUICE_TOOLS_SEND_MIX_H

#include <stdbool.h>
#include <stdint.h>

enum datagram_kind {
    DATAGRAM_MALFORMED, /* not a valid message */
    DATAGRAM_EMPTY,     /* no bytes at all */
    DATAGRAM_OVERSIZED, /* as long as UDP allows, and megabytes when decoded */
    DATAGRAM_GOOD,      /* all other datagrams */
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

/* Parses "5%", "0.1%" (at most four decimals) or "1/1000". Returns false for other texts. */
bool share_parse(const char *text, struct share *share);

/* Sets the shares; a share of zero means none. Returns false if they exceed the whole. */
bool mix_init(struct mix *mix, const struct share shares[DATAGRAM_GOOD]);

/* The kind of the next datagram. */
enum datagram_kind mix_next(struct mix *mix);

#endif
