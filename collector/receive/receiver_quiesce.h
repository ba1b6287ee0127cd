/* How the threads of the receiver stand still while something is changed. For its files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_QUIESCE_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_QUIESCE_H

struct worker;

/* The thread stands still as long as that is wanted. */
void receiver_quiesce_if_asked(struct worker *worker);

#endif
