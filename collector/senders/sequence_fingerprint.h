/* Computes the hash by which a sequence table (sequence.h) finds a sender. */
#ifndef SLUICE_COLLECTOR_SENDERS_SEQUENCE_FINGERPRINT_H
#define SLUICE_COLLECTOR_SENDERS_SEQUENCE_FINGERPRINT_H

#include <stdint.h>

#include "collector/senders/sequence.h"

/*
 * Computes the key's fingerprint with the table's secret, or copies it from key->recent if that is
 * for the same key.
 */
void sequence_fingerprint(const uint8_t secret[16], const struct sequence_key *key,
                          uint64_t fingerprint[2]);

#endif
