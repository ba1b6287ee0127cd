/*
 * From a frame to the IP packet that it carries. The link types are those of
 * https://www.tcpdump.org/linktypes.html (draft-ietf-opsawg-pcaplinktype).
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_LINK_LAYER_H
#define SLUICE_COLLECTOR_CAPTURE_LINK_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/capture/span.h"

/* Whether frames of this link type can be read. */
bool link_layer_supports(uint32_t link_type);

/*
 * Moves the span from the frame's first byte to that of the IP packet, and says in *ip_version (4
 * or 6) which it should be. The packet's own first byte is not yet looked at, except where the
 * link type has nothing else to go by.
 */
enum verdict link_layer_strip(uint32_t link_type, struct span *span, unsigned *ip_version);

#endif
