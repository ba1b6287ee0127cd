/*
 * Implements the descriptors of collector/platform/process.h. Windows has practically no limit on
 * handles.
 */
#include "collector/platform/process.h"

uint64_t descriptors_most(void)
{
    return DESCRIPTORS_UNLIMITED;
}

void descriptors_keep(const uint64_t wanted[DESCRIPTOR_USES])
{
    (void)wanted;
}

bool descriptors_lend(enum descriptor_use use, unsigned wanted, unsigned *times)
{
    (void)use;
    (void)wanted;
    (void)times;
    return false;
}

void descriptors_take_back(enum descriptor_use use, unsigned wanted)
{
    (void)use;
    (void)wanted;
}
