/*
 * The functions with which a receiver's thread serves the sockets that it has claimed. Private to
 * the receiver's files.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_RECEIVER_SOCKETS_H
#define SLUICE_COLLECTOR_RECEIVE_RECEIVER_SOCKETS_H

#include <stdint.h>

struct worker;
struct endpoint;
struct endpoint_list;

void receiver_list_socket(struct endpoint_list *list, struct endpoint *endpoint);

/* Reads the kernel's drops into the ledger. */
void receiver_read_drops(struct endpoint *endpoint);

enum drain_result { DRAIN_DONE, DRAIN_AGAIN, DRAIN_FAILED };

/* Reads both clocks, before a series of drains. Returns the monotonic time. */
int64_t receiver_read_clocks(struct worker *worker);

/*
 * Receives until the socket is empty or the budget is spent, but at least one group. *now is the
 * monotonic time at the beginning, and becomes the time at the end. If the quantum is left undated,
 * *now is not changed; it is then early by the time of a few datagrams only.
 */
enum drain_result receiver_drain(struct worker *worker, struct endpoint *endpoint, int64_t *now);

/*
 * Completes the counts and dates the quanta. Called after a series of drains, and before any claim
 * is released.
 */
void receiver_commit(struct worker *worker);

/*
 * Releases the claim of a drained socket. If another thread has marked the claim, the socket is
 * served again. A socket that is leaving is unwatched instead.
 */
void receiver_release_socket(struct worker *worker, struct endpoint *endpoint, int64_t due_ns);

/*
 * Stops watching a socket that is leaving and drained. The socket is closed once the notifier has
 * removed it.
 */
void receiver_unwatch_socket(struct worker *worker, struct endpoint *endpoint);

/* Closes a socket that the notifier has removed, and reads its final counts first. */
void receiver_close_socket(struct endpoint *endpoint);

/*
 * Serves each socket on the ready list for one quantum. A socket that is put back on the list waits
 * for the next round.
 */
void receiver_serve_ready(struct worker *worker);

/*
 * Releases the claims of drained sockets. Pauses first if all sockets are drained and the rate is
 * high, but only after all reported sockets were served. The claims are kept during the pause:
 * otherwise another thread would be notified and would serve the sockets at once.
 */
void receiver_release_drained(struct worker *worker);

/*
 * Seals overdue batches of all sockets that no thread has claimed. Returns in how many milliseconds
 * the next batch is due, or -1.
 */
int receiver_seal_overdue(struct worker *worker);

#endif
