/* The loop of the receiver's threads. Internal to the receiver. */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_LOOP_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_LOOP_H

/* Runs a thread's rounds until the stop. `argument` is the thread's struct worker. */
void receiver_run(void *argument);

#endif
