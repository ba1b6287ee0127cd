/* What a thread of the receiver does. For the receiver's files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_LOOP_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_LOOP_H

/* All that it does; `argument` is its worker. */
void receiver_run(void *argument);

#endif
