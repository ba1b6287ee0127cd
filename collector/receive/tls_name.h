/* Who the other side of a TLS connection is: the subject of its certificate, which was verified. */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_NAME_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_NAME_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/receive/stream_channel.h"
#include "collector/receive/tls_library.h"

/* After the handshake. Returns false, and no name, where no certificate was wanted. */
bool tls_name(const struct tls_library *library, const SSL *ssl, uint8_t name[CHANNEL_NAME_SIZE]);

#endif
