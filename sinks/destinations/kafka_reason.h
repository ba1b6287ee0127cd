/*
 * Finds in librdkafka's log why messages wait, and why a server's certificate was refused. The
 * library reports these reasons only here until the message's time is over. Pure; any thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_REASON_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_REASON_H

#include <stdbool.h>
#include <stddef.h>

/* The properties with which the library logs these errors, at KAFKA_REASON_LEVEL. */
#define KAFKA_REASON_DEBUG "msg,topic"
#define KAFKA_REASON_LEVEL 7 /* as in syslog(3) */

#define KAFKA_REASON_SIZE 256

/*
 * Finds a reason in a line of the log and writes it for people: the error with which a broker
 * refused messages that the library sends again, or a topic that the brokers do not have.
 * `facility` and `text` are those of the library. Returns false if the line contains no reason.
 */
bool kafka_reason_read(const char *facility, const char *text, char reason[KAFKA_REASON_SIZE]);

/*
 * Writes why a certificate was refused, and what to do, for the library's log: `code` is the
 * library's X.509 error, and the certificate (DER) has `size` bytes.
 */
void kafka_reason_write_refused(int code, const char *certificate, size_t size, char *text,
                                size_t room);

/* Like kafka_reason_read, for a line that contains a text of kafka_reason_write_refused. */
bool kafka_reason_read_refused(const char *facility, const char *text,
                               char reason[KAFKA_REASON_SIZE]);

/*
 * Whether an error of the library reports a refused certificate, which it does without the reason.
 */
bool kafka_reason_is_certificate(const char *error);

#endif
