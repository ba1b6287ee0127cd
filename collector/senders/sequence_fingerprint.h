/* Computes the hash by which a sequence table (sequence.h) finds a sender. */
#ifndef SLUICE_COLLECTOR_SENDERS_SEQUENCE_FINGERPRINT_H
#define SLUICE_COLLECTOR_SENDERS_SEQUENCE_FINGERPRINT_H

#include <stdint.h>
#include <string.h>

#include "collector/senders/sequence.h"
#include "collector/text/plain_text.h"

/* Returns true if the sender of the last datagram has this key. */
static inline bool sequence_is_recent(const struct sequence_recent *recent,
                                      const struct sequence_key *key)
{
    return recent->known && recent->name_size == key->sender_size &&
           recent->listener == key->listener && recent->numbering == key->numbering &&
           address_same_host(&recent->source, key->source) &&
           plain_text_equal(recent->name, key->sender, key->sender_size);
}

/* Computes the key's fingerprint with the table's secret, and keeps it in key->recent. */
void sequence_fingerprint_hash(const uint8_t secret[16], const struct sequence_key *key,
                               uint64_t fingerprint[2]);

/* Like sequence_fingerprint_hash, but copies it from key->recent if that is for the same key. */
static inline void sequence_fingerprint(const uint8_t secret[16], const struct sequence_key *key,
                                        uint64_t fingerprint[2])
{
    if (key->recent != NULL && sequence_is_recent(key->recent, key))
        memcpy(fingerprint, key->recent->fingerprint, sizeof key->recent->fingerprint);
    else
        sequence_fingerprint_hash(secret, key, fingerprint);
}

#endif
