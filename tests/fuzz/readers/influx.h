/* A strict reader of InfluxDB's line protocol (docs.influxdata.com, v2, "Line protocol"). */
#ifndef SLUICE_TESTS_FUZZ_READERS_INFLUX_H
#define SLUICE_TESTS_FUZZ_READERS_INFLUX_H

#include <stddef.h>

/* What is wrong with the line, which is without its newline; NULL: nothing. */
const char *influx_wrong(const char *line, size_t size);

#endif
