/* Turns the frames of a connection into records, and adds the answers. */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_INTAKE_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_INTAKE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/receive/stream_connection_state.h"

/*
 * Handles the complete frames in `size` bytes while there is room for their answers. *used becomes
 * the number of bytes handled. The rest is an incomplete frame, or frames that wait until answers
 * are sent (STREAM_AGAIN). May end the connection. Returns how many frames were handled or refused.
 */
size_t stream_intake(struct stream_connection *connection, const struct stream_settings *settings,
                     struct stream_worker *worker, const uint8_t *data, size_t size, size_t *used);

#endif
