/* collector/platform/descriptors.h where handles have no limit that matters. */
#include "collector/platform/descriptors.h"

uint64_t descriptors_most(void)
{
    return DESCRIPTORS_UNLIMITED;
}

void descriptors_keep(const uint64_t wanted[DESCRIPTOR_USES])
{
    (void)wanted;
}
