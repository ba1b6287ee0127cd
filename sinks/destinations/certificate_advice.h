/* Advice about a server's certificate that was refused. Pure; any thread. */
#ifndef SLUICE_SINKS_DESTINATIONS_CERTIFICATE_ADVICE_H
#define SLUICE_SINKS_DESTINATIONS_CERTIFICATE_ADVICE_H

/*
 * Returns what to do about an error of libcurl, nats.c or OpenSSL, beginning with ": "; "": the
 * error is not about a certificate.
 */
const char *certificate_advice(const char *error);

#endif
