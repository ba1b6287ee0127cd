/* The loop of the receiver's threads. Private to the receiver's files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_LOOP_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_LOOP_H

/* Runs a thread's rounds until the stop; `argument` is the thread's worker. */
void receiver_run(void *argument);

#endif
