/*
 * Handles a refused datagram: counts it with its reason, keeps a copy as a dead letter, passes a
 * copy to the sinks that relay undecodable datagrams, and logs it.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_REFUSALS_H
#define SLUICE_COLLECTOR_RECEIVE_REFUSALS_H

#include "collector/receive/open_datagram.h"

/*
 * Refuses `slot`: the open datagram itself, or a buffered segment that is given up. `schema` names
 * the schema that refused it; NULL: no particular schema. Copying the datagram for the sinks may
 * change the batch, and so clear open->entry.
 */
void refuse_datagram(struct open_datagram *open, const struct datagram_slot *slot,
                     const struct refusal *refusal, const char *schema);

#endif
