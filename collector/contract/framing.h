/*
 * How a schema's messages stand in a datagram or a stream, and what that says of each. Values of
 * settings, schemas and records; collector/framing/ finds the messages.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_FRAMING_H
#define SLUICE_COLLECTOR_CONTRACT_FRAMING_H

enum framing {
    FRAMING_DATAGRAM,  /* the payload is one message */
    FRAMING_DELIMITED, /* each message after its length as a varint (protobuf's stream form) */
    FRAMING_LENGTH16,  /* each message after its length in two bytes, the most significant first */
    FRAMING_LENGTH32,  /* the same in four bytes */
    FRAMING_FRAME_STREAMS, /* the same in a stream, with control frames (framing/frame_streams.h) */
    FRAMING_CISCO_MDT,     /* one message after the 12 bytes of Cisco's model-driven telemetry */
    FRAMING_UDP_NOTIF, /* one message, or a segment of it, after a header (framing/udp_notif.h) */
    FRAMING_OTLP_UDP,  /* one message in base64 after a head (framing/otlp_udp.h) */
};

/* What a request of OTLP over UDP holds. */
enum otlp_udp_signal {
    OTLP_UDP_NONE,    /* a prefix that is not known; of a schema: it is sent by no prefix */
    OTLP_UDP_METRICS, /* M1 */
    OTLP_UDP_TRACES,  /* T1S, T1U */
};

/* Whether the sender's sampling had chosen its traces. */
enum otlp_udp_sampling {
    SAMPLING_NOT_GIVEN,
    SAMPLING_SAMPLED,   /* T1S */
    SAMPLING_UNSAMPLED, /* T1U */
};

#endif
