/* The sender in a line. */
#ifndef SLUICE_TESTS_SIMULATION_CHECK_SOURCE_H
#define SLUICE_TESTS_SIMULATION_CHECK_SOURCE_H

#include <stddef.h>
#include <stdint.h>

/* Fails the world where the line of that datagram, or frame, names another address that it was sent
 * from, or another listener. `line` is without its newline. */
void check_source(uint32_t number, const char *line, size_t size);

#endif
