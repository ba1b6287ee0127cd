#include "tools/decode/opening.h"

#include <inttypes.h>
#include <stdlib.h>

#include "collector/framing/sealed.h"
#include "collector/senders/sender_keys.h"
#include "tools/sending/udp_sender.h"

struct opening {
    struct sender_keys *keys;
    uint8_t content[UDP_PAYLOAD_MAX];
};

int opening_begin(const char *path, struct opening **out, struct error *error)
{
    const struct sender_keys_options options = {.path = path, .for_sending = true};
    struct error reason;
    *out = malloc(sizeof **out);
    if (*out == NULL)
        return error_no_memory(error);
    if (sender_keys_load(&options, &(*out)->keys, &reason) == 0)
        return 0;
    error_set(error, reason.code, "--keys: %s", reason.text);
    free(*out);
    *out = NULL;
    return -1;
}

void opening_end(struct opening *opening)
{
    if (opening == NULL)
        return;
    sender_keys_release(opening->keys);
    free(opening);
}

static int refuse_datagram(struct error *error, const char *text)
{
    error_set(error, EXIT_CODE_BAD_INPUT, "%s", text);
    return -1;
}

static const struct sender_key *find_key(const struct opening *opening,
                                         const struct sealed_header *header, struct error *error)
{
    const struct sender_key *key = sender_keys_find(opening->keys, header->key_id);
    if (key != NULL && sender_key_is_valid(key, header->time_ns))
        return key;
    error_set(error, EXIT_CODE_BAD_INPUT,
              "no_key: the file of --keys has %s with the id %016" PRIx64 "%s",
              key == NULL ? "no key" : "a key", header->key_id,
              key == NULL ? "" : ", which was not valid when the datagram was sent");
    return NULL;
}

int opening_open(struct opening *opening, const uint8_t *datagram, size_t size,
                 const uint8_t **content, size_t *content_size, struct error *error)
{
    struct sealed_header header;
    if (size > UDP_PAYLOAD_MAX)
        return refuse_datagram(error, "malformed: larger than a datagram");
    switch (sealed_read(datagram, size, &header)) {
    case CAUSE_UNKNOWN:
        break;
    case CAUSE_SHORT_HEADER:
        return refuse_datagram(error, "malformed: too short for a sealed datagram");
    default:
        return refuse_datagram(error, "malformed: it has no header of a sealed datagram");
    }
    const struct sender_key *key = find_key(opening, &header, error);
    if (key == NULL)
        return -1;
    if (!sealed_open(&key->seal, header.mode, datagram, size, opening->content))
        return refuse_datagram(error, "forged: it was changed, or sealed with another key");
    *content = opening->content;
    *content_size = size - SEALED_OVERHEAD;
    return 0;
}
