/* The keys of a sink's URL for message brokers: kafka: and nats:. */
#ifndef SLUICE_COLLECTOR_CONTRACT_BROKER_OPTIONS_H
#define SLUICE_COLLECTOR_CONTRACT_BROKER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* The content of one message. */
enum message_unit {
    MESSAGE_AUTO,   /* the destination's default */
    MESSAGE_RECORD, /* the lines of one record */
    MESSAGE_BLOCK,  /* the lines of a whole block */
};

/* The headers of a message, as bits. */
enum message_header {
    HEADER_SCHEMA = 1 << 0,
    HEADER_LISTENER = 1 << 1,
    HEADER_COLLECTOR = 1 << 2, /* the host's name */
    HEADER_NUMBER = 1 << 3,    /* the message's id; a message that is sent again keeps its id */
};

/* The records that get the same message key. Brokers keep the order of messages with one key. */
enum key_kind {
    KEY_NONE,
    KEY_SOURCE, /* the records of one address */
    KEY_SERIES, /* the records of one series (name and labels) */
    KEY_SENDER, /* the records of one sender's name (framing=sealed) */
    KEY_LABEL,  /* the records with one value of the label */
};

struct key_options {
    enum key_kind kind;
    char *label; /* the name of the label of KEY_LABEL */
};

/* The values of compression.codec, an option of librdkafka. */
enum broker_compression {
    BROKER_COMPRESSION_NONE,
    BROKER_COMPRESSION_GZIP,
    BROKER_COMPRESSION_SNAPPY,
    BROKER_COMPRESSION_LZ4,
    BROKER_COMPRESSION_ZSTD,
};

/* Names by enum broker_compression ("lz4"), then NULL. */
extern const char *const broker_compression_names[];

/* Names by bit number of enum message_header ("schema"), then NULL. */
extern const char *const message_header_names[];

struct broker_options {
    enum message_unit per;
    struct key_options key; /* Kafka only */
    unsigned headers;       /* bits of enum message_header */

    /* Kafka only. */
    uint64_t max_topics; /* topics in use at the same time */
    enum broker_compression compression;
    char *properties; /* path of a file of librdkafka properties, or NULL */
    char *kafka;      /* more properties, one "NAME=VALUE" per line, or NULL */

    /* NATS only. */
    char *credentials; /* path of a credentials file, or NULL */
    bool tls;
};

#endif
