/*
 * The functions with which a thread serves the sockets that it has claimed. Internal to the
 * receiver.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_SOCKETS_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_SOCKETS_H

#include <stdint.h>

struct worker;
struct endpoint;
struct endpoint_list;

void receiver_list_socket(struct endpoint_list *list, struct endpoint *endpoint);

/* Reads the kernel's drop and error counters into the ledger. */
void receiver_read_drops(struct endpoint *endpoint);

enum drain_result { DRAIN_DONE, DRAIN_AGAIN, DRAIN_FAILED };

/* Reads both clocks, before a series of drains. Returns the monotonic time. */
int64_t receiver_read_clocks(struct worker *worker);

/*
 * Receives until the socket is empty or the budget is spent, but at least one group of datagrams.
 * *now is the monotonic time at the beginning, and becomes the time at the end. If the end is not
 * dated (struct quanta), *now is unchanged, and early by the time of a few datagrams.
 */
enum drain_result receiver_drain(struct worker *worker, struct endpoint *endpoint, int64_t *now);

/*
 * Commits the sequence numbers and dates the quanta. Call this after a series of drains, before any
 * claim is released.
 */
void receiver_commit(struct worker *worker);

/*
 * Releases the claim of a drained socket. If another thread has marked the claim, the socket is put
 * on the ready list again. A removed socket is unwatched instead.
 */
void receiver_release_socket(struct worker *worker, struct endpoint *endpoint, int64_t due_ns);

/*
 * Removes a drained socket from the notifier. The socket is closed after the notifier's REMOVED
 * event.
 */
void receiver_unwatch_socket(struct worker *worker, struct endpoint *endpoint);

/* Reads the final counts of a socket that the notifier has removed, and closes it. */
void receiver_close_socket(struct endpoint *endpoint);

/*
 * Serves each socket on the ready list for one quantum. A socket that has more datagrams waits for
 * the next round.
 */
void receiver_serve_ready(struct worker *worker);

/*
 * Releases the claims of drained sockets. If all sockets are drained and the rate is high, pauses
 * first, once all reported sockets were served. The claims are kept during the pause. Otherwise
 * another thread would be notified and serve the sockets at once.
 */
void receiver_release_drained(struct worker *worker);

/*
 * Seals overdue batches of all sockets that no thread has claimed. Returns the milliseconds until
 * the next batch is due, or -1.
 */
int receiver_seal_overdue(struct worker *worker);

#endif
