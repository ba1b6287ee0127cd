#include "collector/senders/sequence_fingerprint.h"

#include <string.h>

#include "collector/base/siphash.h"

static void keep_recent(struct sequence_recent *recent, const struct sequence_key *key,
                        const uint64_t fingerprint[2])
{
    recent->known = key->sender_size <= sizeof recent->name;
    if (!recent->known)
        return;
    recent->listener = key->listener;
    recent->numbering = key->numbering;
    recent->source = *key->source;
    recent->name_size = key->sender_size;
    if (key->sender_size != 0)
        memcpy(recent->name, key->sender, key->sender_size);
    memcpy(recent->fingerprint, fingerprint, sizeof recent->fingerprint);
}

/*
 * The name comes last, after a head of fixed size, so two different keys never give the same input.
 */
static void hash_key(const uint8_t secret[16], const struct sequence_key *key,
                     uint64_t fingerprint[2])
{
    const struct address *source = key->source;
    uint8_t head[32] = {0}; /* whole words are hashed fastest */
    memcpy(head, source->bytes, sizeof source->bytes);
    memcpy(head + 16, &source->scope, sizeof source->scope);
    memcpy(head + 20, &key->listener, sizeof key->listener);
    memcpy(head + 24, &key->numbering, sizeof key->numbering);
    head[28] = source->family;
    struct siphash hash;
    siphash_begin(&hash, secret);
    siphash_feed(&hash, head, sizeof head);
    siphash_feed(&hash, key->sender, key->sender_size);
    siphash_end(&hash, fingerprint);
}

void sequence_fingerprint_hash(const uint8_t secret[16], const struct sequence_key *key,
                               uint64_t fingerprint[2])
{
    hash_key(secret, key, fingerprint);
    if (key->recent != NULL)
        keep_recent(key->recent, key, fingerprint);
}
