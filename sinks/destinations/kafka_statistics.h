/*
 * What librdkafka says of its brokers, in the JSON of its statistics (STATISTICS.md of librdkafka).
 * Pure functions; any thread.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_KAFKA_STATISTICS_H
#define SLUICE_SINKS_DESTINATIONS_KAFKA_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of all brokers together. */
struct kafka_statistics {
    uint64_t connected; /* brokers that there is a connection to */
    uint64_t waiting;   /* requests that have no answer yet */

    /* Since the producer was made. */
    uint64_t connects;
    uint64_t requests;
    uint64_t retries;
    uint64_t errors; /* requests that could not be sent, or that nobody answered in time */

    uint64_t round_trip_ns; /* the mean of the interval; 0: there was no answer in it */
};

/* Reads a text. Returns false, with *statistics all zero, where it is not what was expected. */
bool kafka_statistics_read(const char *text, size_t size, struct kafka_statistics *statistics);

#endif
