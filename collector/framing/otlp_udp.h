/*
 * Reads the head of a datagram of OTLP over UDP, which AWS's exporters send to an agent. The
 * datagram consists of a line of JSON, {"format":"json","version":1}, a prefix that names the
 * signal, and one request in base64.
 *
 * Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_FRAMING_OTLP_UDP_H
#define SLUICE_COLLECTOR_FRAMING_OTLP_UDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/contract/framing.h"

/* The upper limit of the first line in bytes, including its line feed. */
#define OTLP_UDP_LINE_MOST 256

enum otlp_udp_result {
    OTLP_UDP_OK,
    OTLP_UDP_SHORT,   /* the line is incomplete */
    OTLP_UDP_FOREIGN, /* the first line is not as above, or has another version */
};

struct otlp_udp_head {
    enum otlp_udp_signal signal;
    enum otlp_udp_sampling sampling;
    size_t body; /* offset of the base64 text, or of the prefix if the signal is unknown */
};

/*
 * Reads the head of a datagram of which `data` has the first `size` bytes; OTLP_UDP_LINE_MOST + 3
 * are enough. Fills *head if it returns OTLP_UDP_OK. The members of the line may be in either
 * order, with spaces and tabs between them, and CR before the LF.
 */
enum otlp_udp_result otlp_udp_read(const uint8_t *data, size_t size, struct otlp_udp_head *head);

/*
 * Returns true if a schema of this signal may decode a datagram that begins with these bytes. Also
 * returns true if the first line is invalid, so that the schema refuses the datagram as malformed.
 */
bool otlp_udp_is_for(enum otlp_udp_signal signal, const uint8_t *data, size_t size);

#endif
