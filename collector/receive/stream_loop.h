/* The loop of a stream server's threads. Private to the stream server's files. */
#ifndef SLUICE_COLLECTOR_RECEIVE_STREAM_LOOP_H
#define SLUICE_COLLECTOR_RECEIVE_STREAM_LOOP_H

/* `argument` is its worker. */
void stream_server_run(void *argument);

#endif
