/*
 * The settings that all sessions of a DTLS listener share: those of TLS (tls_settings.h),
 * pre-shared keys and times.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DTLS_SETTINGS_H
#define SLUICE_COLLECTOR_RECEIVE_DTLS_SETTINGS_H

#include "collector/receive/dtls.h"
#include "collector/receive/dtls_keys.h"
#include "collector/receive/tls_settings.h"

struct dtls_settings {
    struct tls_settings tls;
    struct dtls_keys *keys; /* may be NULL */
    int64_t idle_ns;
    size_t certificates; /* most bytes of a client's certificates; 0 if none are requested */
};

/* Like `make` and `free` of struct dtls_functions. */
int dtls_settings_make(const struct dtls_options *options, struct dtls_settings **settings,
                       struct error *error);
void dtls_settings_free(struct dtls_settings *settings);

#endif
