/* Checks the sender and listener that an output line names. */
#ifndef SLUICE_TESTS_SIMULATION_CHECK_SOURCE_H
#define SLUICE_TESTS_SIMULATION_CHECK_SOURCE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Fails the world if the line names a wrong sender address or listener. `number` is the number of
 * the datagram or frame. `line` has no newline.
 */
void check_source(uint32_t number, const char *line, size_t size);

#endif
