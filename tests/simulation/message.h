/*
 * Writes messages that contain their own number, and finds the number in the lines that the program
 * writes for them.
 */
#ifndef SLUICE_TESTS_SIMULATION_MESSAGE_H
#define SLUICE_TESTS_SIMULATION_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_PADDING 5000
#define MESSAGE_MOST    (MESSAGE_PADDING + 1000)

/* A message of the schema "telemetry" or "riemann", with one sample. */
struct message {
    bool is_riemann;
    uint32_t number; /* the sample's value */
    unsigned sender; /* less than HISTORY_FLOWS */
    unsigned boot;   /* `boot`, `sequence` and `sender` are used by telemetry only */
    uint32_t sequence;
    bool is_good;   /* can be decoded */
    size_t padding; /* bytes of a label that enlarges the message, at most MESSAGE_PADDING */
};

/*
 * Writes a message and returns its size. It is at most MESSAGE_MOST, and at most
 * NETWORK_DATAGRAM_MAX if the padding is at most 1000 bytes.
 */
size_t message_write(uint8_t *bytes, const struct message *message);

/*
 * Sets *number to the value of the line's sample. Returns false if the line is not an object with a
 * sample.
 */
bool message_number_of_line(const char *line, size_t size, uint32_t *number);

/* The same as message_number_of_line, for a csv row without its newline. */
bool message_number_of_row(const char *row, size_t size, uint32_t *number);

/* The same as message_number_of_line, for the bytes of a message that can be decoded. */
bool message_number_of_datagram(const uint8_t *bytes, size_t size, uint32_t *number);

#endif
