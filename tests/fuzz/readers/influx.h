/* Checks lines of InfluxDB's line protocol strictly (docs.influxdata.com, v2, "Line protocol"). */
#ifndef SLUICE_TESTS_FUZZ_READERS_INFLUX_H
#define SLUICE_TESTS_FUZZ_READERS_INFLUX_H

#include <stddef.h>

/* Returns the error in the line, which is given without its newline, or NULL. */
const char *influx_wrong(const char *line, size_t size);

#endif
