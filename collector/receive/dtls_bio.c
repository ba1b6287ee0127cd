#include "collector/receive/dtls_bio.h"

#include <string.h>

#include "collector/base/rule.h"

/* Bytes of the IP header (without options) and the UDP header. */
#define OVERHEAD_IPV4 28
#define OVERHEAD_IPV6 48

/* Set by the main thread before other threads use them. */
static const struct tls_library *loaded;
static BIO_METHOD *wires;

static struct dtls_wire *begin_call(BIO *bio)
{
    struct dtls_wire *wire = loaded->BIO_get_data(bio);
    RULE(wire != NULL, "a BIO is called while its server lives");
    loaded->BIO_clear_flags(bio, BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY);
    return wire;
}

static int read_record(BIO *bio, char *to, int size)
{
    struct dtls_wire *wire = begin_call(bio);
    const struct dtls_record *record = wire->input;
    if (record == NULL) {
        loaded->BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
        return -1;
    }
    wire->input = NULL;
    size_t bytes = dtls_record_size(record);
    if (bytes > (size_t)size)
        bytes = (size_t)size;
    memcpy(to, record->header, bytes);
    return (int)bytes;
}

/*
 * Sends an answer. Reports success to OpenSSL even if it was not sent, because the network may lose
 * an answer too; OpenSSL or the client then repeats its message.
 */
static int write_answer(BIO *bio, const char *from, int size)
{
    struct dtls_wire *wire = begin_call(bio);
    if (wire->to != NULL &&
        !wire->options->answer(wire->options->context, wire->from, wire->to, from, (size_t)size))
        counter_add(&wire->options->counters->answers_unsent, 1);
    return size;
}

static long control_wire(BIO *bio, int command, long number, void *pointer)
{
    const struct dtls_wire *wire = loaded->BIO_get_data(bio);
    (void)number;
    (void)pointer;
    switch (command) {
    case BIO_CTRL_FLUSH:
        return 1;
    case BIO_CTRL_DGRAM_GET_MTU_OVERHEAD:
        return wire->to != NULL && wire->to->family == ADDRESS_IPV6 ? OVERHEAD_IPV6 : OVERHEAD_IPV4;
    default:
        return 0;
    }
}

bool dtls_bio_prepare(const struct tls_library *library)
{
    if (wires != NULL)
        return true;
    loaded = library;
    wires = library->BIO_meth_new(library->BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "datagrams");
    return wires != NULL && library->BIO_meth_set_read(wires, read_record) == 1 &&
           library->BIO_meth_set_write(wires, write_answer) == 1 &&
           library->BIO_meth_set_ctrl(wires, control_wire) == 1;
}

bool dtls_bio_attach(const struct tls_library *library, SSL *ssl, struct dtls_wire *wire)
{
    RULE(library == loaded && wires != NULL, "associations begin after the library was loaded");
    BIO *bio = library->BIO_new(wires);
    if (bio == NULL)
        return false;
    library->BIO_set_data(bio, wire);
    library->BIO_set_init(bio, 1);
    library->SSL_set_bio(ssl, bio, bio);
    return true;
}
