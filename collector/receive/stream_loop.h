/* The loop of a stream server's threads. Private to the stream server's files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_LOOP_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_LOOP_H

/* Runs a thread of the server; `argument` is the thread's worker. */
void stream_server_run(void *argument);

#endif
