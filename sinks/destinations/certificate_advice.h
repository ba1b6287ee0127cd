/* Explains to users why a server's certificate was refused. */
#ifndef SLUICE_SINKS_DESTINATIONS_CERTIFICATE_ADVICE_H
#define SLUICE_SINKS_DESTINATIONS_CERTIFICATE_ADVICE_H

/*
 * Returns advice about an error message of libcurl, nats.c or OpenSSL that is about a server's
 * certificate, beginning with ": "; "" for other messages. Pure; any thread.
 */
const char *certificate_advice(const char *error);

#endif
