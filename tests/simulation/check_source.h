/* Checks the sender and listener that a line names. */
#ifndef SLUICE_TESTS_SIMULATION_CHECK_SOURCE_H
#define SLUICE_TESTS_SIMULATION_CHECK_SOURCE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Fails the world where the line of that datagram, or frame, names a wrong sender's address or
 * listener. `line` is without its newline.
 */
void check_source(uint32_t number, const char *line, size_t size);

#endif
