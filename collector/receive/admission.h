/*
 * What is decided before a datagram's bytes are read: whether there is memory for it, whether its
 * sender may send, and so much, and which schema takes it.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_ADMISSION_H
#define SLUICE_COLLECTOR_RECEIVE_ADMISSION_H

#include "collector/receive/open_datagram.h"

/*
 * Admits a datagram that has no entry yet: it has its batch and its entry then. Returns false with
 * *refusal. The order of the reasons is that of enum datagram_reason.
 */
bool admit(struct open_datagram *open, struct refusal *refusal);

#endif
