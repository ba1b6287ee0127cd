/* The name of a TLS peer: the subject of its verified certificate. */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_NAME_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/contract/sender_name.h"
#include "collector/receive/stream_channel.h"
#include "collector/receive/tls_library.h"

/*
 * Writes the digest of the peer's name, after the handshake. Returns false, and writes nothing, if
 * the peer has no certificate.
 */
bool tls_name(const struct tls_library *library, const SSL *ssl, uint8_t name[CHANNEL_NAME_SIZE]);

enum tls_name_result {
    TLS_NAME_FOUND,
    TLS_NAME_NONE,     /* the peer has no certificate */
    TLS_NAME_UNUSABLE, /* the certificate has no name that is allowed for a sender */
};

/*
 * Writes the last common name of the certificate's subject as the name of a sender, after the
 * handshake; an empty name if there is none. A common name that is not allowed for a sender is not
 * used. Changing it to an allowed one could give two certificates the same name.
 */
enum tls_name_result tls_name_text(const struct tls_library *library, const SSL *ssl,
                                   char name[SENDER_NAME_MAX + 1]);

#endif
