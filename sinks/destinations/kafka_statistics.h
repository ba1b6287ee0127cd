/* Figures about brokers from librdkafka's JSON statistics (its STATISTICS.md). Any thread. */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_STATISTICS_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sums over all brokers. */
struct kafka_statistics {
    uint64_t connected; /* brokers with a connection */
    uint64_t waiting;   /* requests without an answer yet */

    /* Counts since the producer was created. */
    uint64_t connects;
    uint64_t requests;
    uint64_t retries;
    uint64_t errors; /* requests that could not be sent or were not answered in time */

    uint64_t round_trip_ns; /* the mean round trip of the answers in the interval; 0: no answer */
};

/* Reads the statistics. Returns false, with *statistics all zero, if the text is not such JSON. */
bool kafka_statistics_read(const char *text, size_t size, struct kafka_statistics *statistics);

/*
 * Replaces the first members of librdkafka's text, "name" and "client_id", by blanks: the library
 * (2.0.2) writes the property client.id into them without escaping it, so that a backslash or a
 * quotation mark in it would make the text invalid JSON.
 */
void kafka_statistics_hide_id(char *text, size_t size);

#endif
