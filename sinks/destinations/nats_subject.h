/*
 * Checks that a message can be published to a subject: words separated by dots, without blanks and
 * without the wildcards "*" and ">". The library does not check this, and a blank would break its
 * protocol.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_NATS_SUBJECT_H
#define SLUICE_SINKS_DESTINATIONS_NATS_SUBJECT_H

#include <stdbool.h>

#include "collector/contract/delivery.h"

/* The maximum size of a subject in bytes. */
#define NATS_SUBJECT_MOST 512

bool nats_subject_is_valid(const char *subject);

/*
 * Copies the subject from a server's error "... for Publish to \"SUBJECT\"". Returns false if the
 * error has no subject, or if it is too long for a route.
 */
bool nats_subject_read_denied(const char *text, char subject[DELIVERY_ROUTE_SIZE]);

#endif
