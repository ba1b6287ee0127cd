#include "tools/send/faults.h"

#include <stdlib.h>
#include <string.h>

#define EMPTY_SIZE     2 /* bytes of an empty message in a field: tag and length 0 */
#define OVERSIZED_SIZE (UDP_PAYLOAD_MAX / EMPTY_SIZE * EMPTY_SIZE)

int faults_init(struct faults *faults, const struct message_shape *shape)
{
    const uint8_t empty[EMPTY_SIZE] = {(uint8_t)(shape->member << 3 | 2), 0};
    faults->made = 0;
    faults->oversized = malloc(OVERSIZED_SIZE);
    faults->malformed = malloc((size_t)FAULTS_ALIVE * UDP_PAYLOAD_MAX);
    if (faults->oversized == NULL || faults->malformed == NULL)
        return -1;
    for (size_t i = 0; i < OVERSIZED_SIZE; i += EMPTY_SIZE)
        memcpy(faults->oversized + i, empty, EMPTY_SIZE);
    return 0;
}

void faults_clear(struct faults *faults)
{
    free(faults->oversized);
    free(faults->malformed);
    *faults = (struct faults){0};
}

struct udp_payload faults_malformed(struct faults *faults, const struct message_template *good)
{
    uint8_t *at = faults->malformed + faults->made % FAULTS_ALIVE * UDP_PAYLOAD_MAX;
    size_t size = good->size;
    memcpy(at, good->bytes, size);
    switch (faults->made++ % 3) {
    case 0:
        size--;
        break;
    case 1:
        at[0] = 1 << 3 | 7;
        break;
    default:
        memset(at, 0xff, size < 11 ? size : 11);
        break;
    }
    return (struct udp_payload){.data = at, .size = size};
}

struct udp_payload faults_oversized(const struct faults *faults)
{
    return (struct udp_payload){.data = faults->oversized, .size = OVERSIZED_SIZE};
}
