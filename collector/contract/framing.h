/*
 * How a schema's messages are delimited in a datagram or a stream. Settings, schemas and records
 * have these values; collector/framing/ finds the messages.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_FRAMING_H
#define SLUICE_COLLECTOR_CONTRACT_FRAMING_H

enum framing {
    FRAMING_DATAGRAM,      /* the payload is one message */
    FRAMING_DELIMITED,     /* a varint length before each message (protobuf's stream format) */
    FRAMING_LENGTH16,      /* a big-endian 16-bit length before each message */
    FRAMING_LENGTH32,      /* a big-endian 32-bit length before each message */
    FRAMING_LENGTH16_LE,   /* a little-endian 16-bit length before each message */
    FRAMING_LENGTH32_LE,   /* a little-endian 32-bit length before each message */
    FRAMING_FRAME_STREAMS, /* LENGTH32 in a stream, with control frames (framing/frame_streams.h) */
    FRAMING_CISCO_MDT,     /* one message after the 12 bytes of Cisco's model-driven telemetry */
    FRAMING_UDP_NOTIF, /* one message, or a segment of it, after a header (framing/udp_notif.h) */
    FRAMING_OTLP_UDP,  /* one message in base64 after a first line (framing/otlp_udp.h) */
    FRAMING_SEALED,    /* one message in an authenticated datagram (framing/sealed.h) */
};

/* The kind of data in a request of OTLP over UDP. */
enum otlp_udp_signal {
    OTLP_UDP_NONE,    /* the prefix is unknown; in a schema: it has no prefix */
    OTLP_UDP_METRICS, /* M1 */
    OTLP_UDP_TRACES,  /* prefixes T1S and T1U */
};

/* The sampling decision of the sender about the traces of a request. */
enum otlp_udp_sampling {
    SAMPLING_NOT_GIVEN,
    SAMPLING_SAMPLED,   /* T1S */
    SAMPLING_UNSAMPLED, /* T1U */
};

#endif
