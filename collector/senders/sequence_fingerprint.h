/*
 * The hash by which a table of senders' numbers (sequence.h) finds a sender.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SEQUENCE_FINGERPRINT_H
#define SLUICE_COLLECTOR_SENDERS_SEQUENCE_FINGERPRINT_H

#include <stdint.h>

#include "collector/senders/sequence.h"

/* The key's, with the table's secret; known without the hash where the key's recent one is it. */
void sequence_fingerprint(const uint8_t secret[16], const struct sequence_key *key,
                          uint64_t fingerprint[2]);

#endif
