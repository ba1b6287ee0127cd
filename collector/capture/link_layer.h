/*
 * Finds the IP packet in a frame. The link types are those of
 * https://www.tcpdump.org/linktypes.html (draft-ietf-opsawg-pcaplinktype).
 */
#ifndef SLUICE_COLLECTOR_CAPTURE_LINK_LAYER_H
#define SLUICE_COLLECTOR_CAPTURE_LINK_LAYER_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/capture/span.h"

/* Returns true if frames of this link type can be read. */
bool link_layer_supports(uint32_t link_type);

/*
 * Moves the span to the first byte of the IP packet. Sets *ip_version to 4 or 6: to the version in
 * the link layer's header or, if that has none, to the version in the packet.
 */
enum verdict link_layer_strip(uint32_t link_type, struct span *span, unsigned *ip_version);

#endif
