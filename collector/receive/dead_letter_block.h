/* The two forms of a dead letter: an entry in a ring buffer, and a block of the capture file. */
#ifndef SLUICE_COLLECTOR_RECEIVE_DEAD_LETTER_BLOCK_H
#define SLUICE_COLLECTOR_RECEIVE_DEAD_LETTER_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/capture/pcapng_writer.h"
#include "collector/capture/udp_packet.h"
#include "collector/contract/decode_failure.h"
#include "collector/contract/listener.h"
#include "collector/ledger/ledger.h"
#include "collector/platform/udp.h"
#include "collector/queue/byte_ring.h"

#define DEAD_LETTER_SCHEMA_SIZE 64

/* The header that precedes a datagram's bytes in the ring. */
struct dead_letter {
    const struct listener *listener;
    int64_t received_ns;
    struct address source;
    struct address destination;
    uint32_t size;      /* bytes of the datagram after this header */
    uint32_t sent_size; /* bytes of the datagram or frame as it was sent */
    enum datagram_reason reason;
    struct decode_failure failure;
    char schema[DEAD_LETTER_SCHEMA_SIZE];
};

/* The upper limit of a block in bytes, including a new section ahead of it. */
#define DEAD_LETTER_BLOCK_MAX                                                                      \
    (PCAPNG_SECTION_SIZE + PCAPNG_PACKET_HEAD + UDP_PACKET_HEADERS + DATAGRAM_MAX_SIZE +           \
     PCAPNG_PACKET_TAIL)

/*
 * Takes a letter's bytes from the ring and writes its block to `to`, which has
 * DEAD_LETTER_BLOCK_MAX bytes. Writes a new section first if `with_section`. Returns the number of
 * bytes written.
 */
size_t dead_letter_block_make(uint8_t *to, bool with_section, struct byte_ring *ring,
                              const struct dead_letter *letter);

#endif
