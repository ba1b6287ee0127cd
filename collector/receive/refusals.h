/*
 * Handles a refused datagram: counts it by reason, logs it, and copies it for the dead letters and
 * for the sinks that relay undecodable datagrams.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_REFUSALS_H
#define SLUICE_COLLECTOR_RECEIVE_REFUSALS_H

#include "collector/receive/open_datagram.h"

/*
 * Refuses `slot`: the open datagram itself, or a buffered segment that is given up. `schema` is the
 * name of the schema that refused it, or NULL. May change the batch and clear open->entry, because
 * the datagram is copied for the sinks.
 */
void refuse_datagram(struct open_datagram *open, const struct datagram_slot *slot,
                     const struct refusal *refusal, const char *schema);

#endif
