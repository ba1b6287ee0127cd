/* The name of a TLS peer: the subject of its verified certificate. */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_NAME_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/receive/stream_channel.h"
#include "collector/receive/tls_library.h"

/*
 * Writes the peer's name, after the handshake. Returns false, with no name, if the peer has no
 * certificate.
 */
bool tls_name(const struct tls_library *library, const SSL *ssl, uint8_t name[CHANNEL_NAME_SIZE]);

#endif
