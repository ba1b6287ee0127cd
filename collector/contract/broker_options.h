/* The keys of a sink's URL that are about a message broker: kafka: and nats:. */
#ifndef SLUICE_COLLECTOR_CONTRACT_BROKER_OPTIONS_H
#define SLUICE_COLLECTOR_CONTRACT_BROKER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* What a message holds. */
enum message_unit {
    MESSAGE_AUTO,   /* what the destination says */
    MESSAGE_RECORD, /* the lines of one record */
    MESSAGE_BLOCK,  /* the lines of a whole block */
};

/* Headers that a message has, as bits. */
enum message_header {
    HEADER_SCHEMA = 1 << 0,
    HEADER_LISTENER = 1 << 1,
    HEADER_COLLECTOR = 1 << 2, /* the host's name */
    HEADER_NUMBER = 1 << 3,    /* the message's id: the same when it is sent again */
};

/* What records have the same key. */
enum key_kind {
    KEY_NONE,
    KEY_SOURCE, /* those of a sender */
    KEY_SERIES, /* those of a series: a name and its labels */
    KEY_LABEL,  /* those with the same value of a label */
};

struct key_options {
    enum key_kind kind;
    char *label; /* of KEY_LABEL */
};

/* How Kafka compresses what it gets; the names are librdkafka's. */
enum broker_compression {
    BROKER_COMPRESSION_NONE,
    BROKER_COMPRESSION_GZIP,
    BROKER_COMPRESSION_SNAPPY,
    BROKER_COMPRESSION_LZ4,
    BROKER_COMPRESSION_ZSTD,
};

/* "lz4", by enum broker_compression; NULL at the end. */
extern const char *const broker_compression_names[];

/* "schema", by the number of the bit in enum message_header; NULL at the end. */
extern const char *const message_header_names[];

struct broker_options {
    enum message_unit per;
    struct key_options key; /* of Kafka */
    unsigned headers;       /* of enum message_header, as bits */

    /* Of Kafka. */
    uint64_t max_topics; /* at a time */
    enum broker_compression compression;
    char *properties; /* a file of properties for librdkafka; NULL: none */
    char *kafka;      /* more of them, a line each: "NAME=VALUE"; NULL: none */

    /* Of NATS. */
    char *credentials; /* a file that says who we are; NULL: none */
    bool tls;
};

#endif
