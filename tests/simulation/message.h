/* Datagrams that know their number, and the lines that become of them. */
#ifndef SLUICE_TESTS_SIMULATION_MESSAGE_H
#define SLUICE_TESTS_SIMULATION_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes a message of the schema "telemetry" with one sample, whose value is the number, and a
 * label of `padding` bytes (at most 1000). One that is not good cannot be decoded. Returns its
 * size.
 */
size_t message_write(uint8_t *bytes, uint32_t number, bool is_good, size_t padding);

/* The number of the line's sample. Returns false where the line is no object with one. */
bool message_number_of_line(const char *line, size_t size, uint32_t *number);

/* The same of a datagram that message_write has written as a good one. */
bool message_number_of_datagram(const uint8_t *bytes, size_t size, uint32_t *number);

#endif
