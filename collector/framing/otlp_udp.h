/*
 * The head of a datagram of OTLP over UDP, as AWS's exporters send it to an agent: a line of JSON,
 * {"format":"json","version":1}, a prefix that says what follows, and base64 of one request.
 *
 * Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_FRAMING_OTLP_UDP_H
#define SLUICE_COLLECTOR_FRAMING_OTLP_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/framing.h"

/* Bytes of the first line at most, with the line feed that ends it. */
#define OTLP_UDP_LINE_MOST 256

enum otlp_udp_result {
    OTLP_UDP_OK,
    OTLP_UDP_SHORT,   /* the bytes end inside the line */
    OTLP_UDP_FOREIGN, /* the first line is another one, or of another version */
};

struct otlp_udp_head {
    enum otlp_udp_signal signal;
    enum otlp_udp_sampling sampling;
    size_t body; /* where the base64 begins; of an unknown signal, its prefix */
};

/*
 * Reads the head of a datagram that begins with these `size` bytes; OTLP_UDP_LINE_MOST and three
 * more are enough of it. *head is filled where the result is OTLP_UDP_OK. The line's members may
 * stand in either order, with spaces and tabs between them, and CR before the LF.
 */
enum otlp_udp_result otlp_udp_read(const uint8_t *data, size_t size, struct otlp_udp_head *head);

/*
 * Whether a datagram that begins like that is for a schema of this signal. One whose first line is
 * not in order is for any of them, to be refused as malformed.
 */
bool otlp_udp_is_for(enum otlp_udp_signal signal, const uint8_t *data, size_t size);

#endif
