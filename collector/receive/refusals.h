/*
 * What becomes of a datagram that is refused: it is counted with its reason, kept as a dead letter,
 * passed on as it is by the sinks that do so, and logged.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_REFUSALS_H
#define SLUICE_COLLECTOR_RECEIVE_REFUSALS_H

#include "collector/receive/open_datagram.h"

/*
 * Refuses `slot`: the open datagram itself, or one that was held and is given up for it. `schema`
 * names what refused it; NULL: the listener's schemas. It is copied where it is kept, which may
 * take another batch: the entry is to be found again.
 */
void refuse_datagram(struct open_datagram *open, const struct datagram_slot *slot,
                     const struct refusal *refusal, const char *schema);

#endif
