/*
 * How a thread of the receiver serves sockets: those that it has the claims of. For the receiver's
 * files.
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

/* Before drains that follow one another. Returns the time, monotonic. */
int64_t receiver_read_clocks(struct worker *worker);

/*
 * Receives until the system has nothing left, or until the budget is spent, but at least one group.
 * *now is the time when it begins (monotonic), and then that when it is done, or was after one of
 * the few datagrams before: its quantum may be left undated.
 */
enum drain_result receiver_drain(struct worker *worker, struct endpoint *endpoint, int64_t *now);

/*
 * After drains that followed one another: all that they took is counted, and their quanta are
 * dated. Before a claim is given up.
 */
void receiver_commit(struct worker *worker);

/*
 * Of one that was drained; where another thread was notified of more meanwhile it is served again.
 * One that is leaving goes.
 */
void receiver_release_socket(struct worker *worker, struct endpoint *endpoint, int64_t due_ns);

/* One that is leaving is drained for the last time: it is closed when the notifier has done with
 * it.
 */
void receiver_unwatch_socket(struct worker *worker, struct endpoint *endpoint);

/* Of one that has left: it is closed, and what the kernel counted is counted. */
void receiver_close_socket(struct endpoint *endpoint);

/* Every socket on the ready list has one quantum; one that is put back waits for the next round. */
void receiver_serve_ready(struct worker *worker);

/*
 * Where all are drained and much comes, the thread pauses before it waits for the next edge, but
 * not before the others that have one were served. It has the claims of all meanwhile: another
 * thread, which would come at once, is not notified of what arrives.
 */
void receiver_release_drained(struct worker *worker);

/*
 * Seals what has been open for too long, of any socket that no other thread has. Returns
 * milliseconds until the next is due, or -1.
 */
int receiver_seal_overdue(struct worker *worker);

#endif
