/* Pausing the threads of a receiver. Private to the receiver's files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_QUIESCE_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_QUIESCE_H

struct worker;

/* Pauses the thread for as long as the receiver is to be quiescent. */
void receiver_quiesce_if_asked(struct worker *worker);

#endif
