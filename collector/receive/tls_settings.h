/*
 * What the channels of a listener with TLS have in common: its certificate, its key, whose clients
 * it serves, and what of TLS it speaks. OpenSSL counts its channels, so the settings last for as
 * long as they do.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_SETTINGS_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_SETTINGS_H

#include <stddef.h>

#include "collector/base/error.h"
#include "collector/receive/channel_tls.h"
#include "collector/receive/tls_library.h"

struct tls_settings {
    const struct tls_library *library;
    SSL_CTX *context;
    size_t certificates; /* bytes that those of both sides may have */
};

/*
 * Of zeroed memory with a library: reads the files. Returns 0, or -1 with `error` filled; to be
 * ended in either case. Main thread.
 */
int tls_settings_read(struct tls_settings *settings, const struct channel_tls_options *options,
                      struct error *error);
void tls_settings_end(struct tls_settings *settings);

#endif
