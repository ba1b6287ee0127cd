/* The name of a TLS peer: the subject of its verified certificate. */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_NAME_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/contract/sender_name.h"
#include "collector/receive/stream_channel.h"
#include "collector/receive/tls_library.h"

/*
 * Writes the peer's name, after the handshake. Returns false, with no name, if the peer has no
 * certificate.
 */
bool tls_name(const struct tls_library *library, const SSL *ssl, uint8_t name[CHANNEL_NAME_SIZE]);

enum tls_name_result {
    TLS_NAME_FOUND,
    TLS_NAME_NONE,     /* the peer has no certificate */
    TLS_NAME_UNUSABLE, /* the peer's certificate has no name that is allowed for a sender */
};

/*
 * Writes the subject's common name (the last one) as the name of a sender, after the handshake. A
 * common name that is not allowed as a sender's name is not used, nor shortened or changed to an
 * allowed one: otherwise two certificates could get the same name. The name is empty if it was not
 * found.
 */
enum tls_name_result tls_name_text(const struct tls_library *library, const SSL *ssl,
                                   char name[SENDER_NAME_MAX + 1]);

#endif
