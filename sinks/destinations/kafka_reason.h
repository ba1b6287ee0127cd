/*
 * Finds in librdkafka's log why messages wait, and why a server's certificate was refused. Until a
 * message times out, the library reports these reasons only in its log. Pure; any thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_REASON_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_REASON_H

#include <stdbool.h>
#include <stddef.h>

/* The library logs these reasons with this value of `debug`, at KAFKA_REASON_LEVEL. */
#define KAFKA_REASON_DEBUG "msg,topic"
#define KAFKA_REASON_LEVEL 7 /* as in syslog(3) */

#define KAFKA_REASON_SIZE 256

/*
 * Reads a line of the log. If it has a reason, writes it for people: the error with which a broker
 * refused messages that the library sends again, or a topic that the brokers do not have.
 * `facility` and `text` are the library's. Returns false if the line has no reason.
 */
bool kafka_reason_read(const char *facility, const char *text, char reason[KAFKA_REASON_SIZE]);

/*
 * Writes why a certificate was refused, and what to do, for the library's log. `code` is OpenSSL's
 * X.509 error. The certificate is DER.
 */
void kafka_reason_write_refused(int code, const char *certificate, size_t size, char *text,
                                size_t room);

/* Like kafka_reason_read, for a line with a text from kafka_reason_write_refused. */
bool kafka_reason_read_refused(const char *facility, const char *text,
                               char reason[KAFKA_REASON_SIZE]);

/*
 * Returns true if the library's error reports a refused certificate; such an error does not have
 * the reason.
 */
bool kafka_reason_is_certificate(const char *error);

#endif
