#include "collector/platform/common/datagram_buffers.h"

#include <stdlib.h>

size_t datagram_buffers_memory(void)
{
    return (size_t)DATAGRAM_GROUP_SIZE * (DATAGRAM_FRONT_SIZE + DATAGRAM_REST_STRIDE);
}

bool datagram_buffers_create(struct datagram_buffers *buffers)
{
    buffers->fronts = malloc((size_t)DATAGRAM_GROUP_SIZE * DATAGRAM_FRONT_SIZE);
    buffers->rests = malloc((size_t)DATAGRAM_GROUP_SIZE * DATAGRAM_REST_STRIDE);
    return buffers->fronts != NULL && buffers->rests != NULL;
}

void datagram_buffers_destroy(struct datagram_buffers *buffers)
{
    free(buffers->fronts);
    free(buffers->rests);
}
