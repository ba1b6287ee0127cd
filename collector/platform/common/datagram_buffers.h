/*
 * The memory of a group's datagrams (struct datagram_group, udp.h). The fronts are adjacent. The
 * stride of the overflow parts is not a power of two, so that they do not all map to the same few
 * cache sets. Only for files of platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_COMMON_DATAGRAM_BUFFERS_H
#define SLUICE_COLLECTOR_PLATFORM_COMMON_DATAGRAM_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/platform/udp.h"

/*
 * The size of an overflow part, and the distance between the beginnings of two of them, in bytes.
 */
#define DATAGRAM_REST_SIZE   (DATAGRAM_MAX_SIZE - DATAGRAM_FRONT_SIZE)
#define DATAGRAM_REST_STRIDE (DATAGRAM_REST_SIZE + 4096 + 64)

struct datagram_buffers {
    uint8_t *fronts;
    uint8_t *rests;
};

/* Returns the bytes that datagram_buffers_create allocates. */
size_t datagram_buffers_memory(void);

/* Returns false if memory is short; the buffers must be destroyed in any case. */
bool datagram_buffers_create(struct datagram_buffers *buffers);
void datagram_buffers_destroy(struct datagram_buffers *buffers);

static inline uint8_t *datagram_front(const struct datagram_buffers *buffers, size_t index)
{
    return buffers->fronts + index * DATAGRAM_FRONT_SIZE;
}

static inline uint8_t *datagram_rest(const struct datagram_buffers *buffers, size_t index)
{
    return buffers->rests + index * DATAGRAM_REST_STRIDE;
}

#endif
