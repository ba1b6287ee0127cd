/* Reads librdkafka's JSON statistics (its STATISTICS.md). Any thread. */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_STATISTICS_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sums over all brokers. */
struct kafka_statistics {
    uint64_t connected; /* number of brokers with a connection */
    uint64_t waiting;   /* requests without an answer so far */

    /* Counts since the producer was created. */
    uint64_t connects;
    uint64_t requests;
    uint64_t retries;
    uint64_t errors; /* requests that could not be sent or timed out */

    uint64_t round_trip_ns; /* mean of the answers in the interval; 0 means no answer */
};

/* Returns false, with *statistics all zero, if the text is not valid JSON with these statistics. */
bool kafka_statistics_read(const char *text, size_t size, struct kafka_statistics *statistics);

/*
 * Overwrites the members "name" and "client_id" at the beginning of the text with blanks. The
 * library (2.0.2) does not escape the property client.id there, so that a backslash or a quotation
 * mark in it would make the JSON invalid.
 */
void kafka_statistics_hide_id(char *text, size_t size);

#endif
