/*
 * The decisions made before a datagram is decoded: whether there is memory for it, whether its
 * sender is allowed and within its rate, and which schema it has.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_ADMISSION_H
#define SLUICE_COLLECTOR_RECEIVE_ADMISSION_H

#include "collector/receive/open_datagram.h"

/*
 * Gives the datagram a batch and an entry, or returns false with *refusal. Makes the checks in the
 * order of enum datagram_reason.
 */
bool admit_datagram(struct open_datagram *open, struct refusal *refusal);

#endif
