/* The loop of a stream server's threads. Internal to the server. */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_LOOP_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_LOOP_H

/* Runs a thread of the server. `argument` is the thread's struct worker. */
void stream_server_run(void *argument);

#endif
