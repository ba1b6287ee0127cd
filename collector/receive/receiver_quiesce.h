/* Pauses the threads of a receiver. Internal to the receiver. */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_QUIESCE_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_QUIESCE_H

struct worker;

/* Pauses the thread while the receiver is to be quiescent. */
void receiver_quiesce_if_asked(struct worker *worker);

#endif
