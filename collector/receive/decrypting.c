#include "collector/receive/decrypting.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/platform/clock.h"
#include "collector/receive/dtls.h"

struct decrypting {
    struct dtls_server *server;
    struct udp_socket *socket; /* sends the answers; NULL if there is no socket to send them */
    struct datagram_slot datagram;
    const uint8_t *rest; /* the rest of the datagram, in one piece */
    size_t left;
    struct datagram_slot record, plain;
    uint8_t whole[DATAGRAM_MAX_SIZE]; /* copy of a datagram that was received in two parts */
};

static bool answer(void *context, const struct address *from, const struct address *to,
                   const void *bytes, size_t size)
{
    const struct decrypting *decrypting = context;
    return decrypting->socket != NULL &&
           udp_socket_answer(decrypting->socket, from, to, bytes, size);
}

/* --- lifecycle -------------------------------------------------------------------------------- */

bool decrypting_create(struct ingest *ingest)
{
    const struct listener *listener = ingest->listener;
    if (listener->dtls == NULL)
        return true;
    struct decrypting *decrypting = malloc(sizeof *decrypting);
    if (decrypting == NULL)
        return false;
    const struct dtls_server_options options = {.listener = listener,
                                                .counters = ingest->counters,
                                                .answer = answer,
                                                .context = decrypting};
    decrypting->socket = NULL;
    decrypting->left = 0;
    decrypting->server = dtls_functions->create(&options);
    ingest->decrypting = decrypting;
    return decrypting->server != NULL;
}

void decrypting_destroy(struct decrypting *decrypting)
{
    if (decrypting == NULL)
        return;
    dtls_functions->destroy(decrypting->server);
    free(decrypting);
}

size_t decrypting_memory(size_t sessions)
{
    return sizeof(struct decrypting) +
           (dtls_functions == NULL ? 0 : dtls_functions->memory(sessions));
}

void decrypting_use_socket(struct ingest *ingest, struct udp_socket *socket)
{
    if (ingest->decrypting != NULL)
        ingest->decrypting->socket = socket;
}

void decrypting_finish(struct ingest *ingest)
{
    if (ingest->decrypting == NULL)
        return;
    dtls_functions->finish(ingest->decrypting->server);
    ingest->decrypting->socket = NULL;
}

int64_t decrypting_expire(struct ingest *ingest, int64_t now_ns)
{
    return ingest->decrypting == NULL ? INT64_MAX
                                      : dtls_functions->expire(ingest->decrypting->server, now_ns);
}

/* --- records ---------------------------------------------------------------------------------- */

void decrypting_split(struct decrypting *decrypting, const struct datagram_slot *datagram)
{
    size_t front = datagram_front_size(datagram);
    decrypting->datagram = *datagram;
    decrypting->rest = datagram->front;
    decrypting->left = datagram->size;
    decrypting->record.front = NULL; /* the next call returns the first record */
    if (datagram->size == front)
        return;
    memcpy(decrypting->whole, datagram->front, front);
    memcpy(decrypting->whole + front, datagram->rest, datagram->size - front);
    decrypting->rest = decrypting->whole;
}

const struct datagram_slot *decrypting_next(struct decrypting *decrypting)
{
    struct dtls_record read;
    bool is_first = decrypting->record.front == NULL;
    if (decrypting->left == 0 && !is_first)
        return NULL;
    decrypting->record = decrypting->datagram;
    decrypting->record.front = decrypting->rest;
    decrypting->record.rest = decrypting->rest + DATAGRAM_FRONT_SIZE;
    if (is_first && decrypting->datagram.truncated) {
        decrypting->left = 0;
        return &decrypting->record;
    }
    size_t size = decrypting->left;
    if (dtls_record_read(decrypting->rest, decrypting->left, &read))
        size = dtls_record_size(&read);
    decrypting->record.size = decrypting->record.sent_size = (uint32_t)size;
    decrypting->rest += size;
    decrypting->left -= size;
    return &decrypting->record;
}

static void pass_on(struct open_datagram *open, const struct dtls_plain *plain)
{
    struct datagram_slot *slot = &open->ingest->decrypting->plain;
    *slot = *open->slot;
    slot->front = plain->bytes;
    slot->rest = plain->bytes + DATAGRAM_FRONT_SIZE;
    slot->size = slot->sent_size = (uint32_t)plain->size;
    open->slot = slot;
    open->sender = plain->sender;
}

bool decrypt_datagram(struct open_datagram *open, struct refusal *refusal)
{
    const struct datagram_slot *slot = open->slot;
    struct dtls_plain plain;
    struct dtls_input input = {
        .source = &slot->source, .destination = slot->destination, .now_ns = clock_monotonic_ns()};
    RULE(slot == &open->ingest->decrypting->record, "records are handled one by one");
    if (!dtls_record_read(slot->front, slot->size, &input.record)) {
        refused_for(refusal, REASON_MALFORMED);
        refusal->failure = (struct decode_failure){.cause = CAUSE_NOT_DTLS};
        return false;
    }
    switch (dtls_functions->take(open->ingest->decrypting->server, &input, &plain)) {
    case DTLS_PLAIN:
        break;
    case DTLS_SERVED:
        return refused_for(refusal, REASON_HANDSHAKE);
    case DTLS_NO_SESSION:
        return refused_for(refusal, REASON_NO_SESSION);
    case DTLS_FORGED:
        return refused_for(refusal, REASON_FORGED);
    case DTLS_REPLAYED:
        return refused_for(refusal, REASON_REPLAYED);
    case DTLS_REFUSED:
        return refused_for(refusal, REASON_HANDSHAKE_REFUSED);
    }
    pass_on(open, &plain);
    return true;
}
