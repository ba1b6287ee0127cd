/*
 * Frames of a connection become records, and are answered.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_INTAKE_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_INTAKE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/receive/stream_connection_state.h"

/*
 * Takes the frames of `size` bytes that are whole, as long as there is room for their answers;
 * *used bytes were. What is left is a part of a frame, or waits for answers to be sent
 * (STREAM_AGAIN). It may end the connection. Returns how many frames it took, or refused.
 */
size_t stream_intake(struct stream_connection *connection, const struct stream_settings *settings,
                     struct stream_worker *worker, const uint8_t *data, size_t size, size_t *used);

#endif
