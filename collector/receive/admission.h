/*
 * Decides if a datagram is decoded: if there is memory for it, if its sender is allowed and within
 * its rate limit, and which schema it has.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_ADMISSION_H
#define SLUICE_COLLECTOR_RECEIVE_ADMISSION_H

#include "collector/receive/open_datagram.h"

/*
 * Gives the datagram a batch and an entry of the schema list. Returns false with *refusal if it is
 * refused. Makes the checks in the order of enum datagram_reason, except that the rate limit of a
 * sealed or encrypted datagram is checked after the datagram is opened.
 */
bool admit_datagram(struct open_datagram *open, struct refusal *refusal);

#endif
