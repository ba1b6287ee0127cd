/*
 * Reports the busiest senders of each listener, and the senders that lose most, as JSON.
 *
 * Combines the counts of the receiving threads (traffic.h) with the losses that sequence numbers
 * show (sequence.h). Writing a report allocates no memory. Main thread.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SENDER_REPORT_H
#define SLUICE_COLLECTOR_SENDERS_SENDER_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/contract/listener.h"
#include "collector/senders/sequence.h"
#include "collector/senders/traffic.h"
#include "collector/text/output.h"

/*
 * Upper limits: the senders reported for each listener (fewer with many listeners), and the senders
 * with losses for all listeners together.
 */
#define SENDERS_TOLD 64
#define LOSERS_TOLD  32

struct sender_report;

/*
 * Creates a report with room for `tables` traffic tables, which the caller adds next. `sequences`
 * must keep its senders (sequence_keep_senders). All tables must outlive the report. Returns NULL
 * if out of memory.
 */
struct sender_report *sender_report_create(size_t tables, struct sequence_table *sequences);
/* NULL is allowed. */
void sender_report_destroy(struct sender_report *report);

/* Returns the bytes that a report allocates. */
size_t sender_report_memory(size_t tables);

/* Makes room for `more` additional tables. If out of memory, returns false and changes nothing. */
bool sender_report_reserve(struct sender_report *report, size_t more);

void sender_report_add_table(struct sender_report *report, const struct traffic_table *table);

/*
 * Adds a listener. Listeners must be added in the order of their indexes. A listener without a name
 * could not start because memory was short, and is omitted from the report. Returns false if out of
 * memory.
 */
bool sender_report_add_listener(struct sender_report *report, const struct listener *listener);

/*
 * Appends one JSON object on one line:
 *
 *     {"listeners":[{"name":"udp://...","senders":[
 *        {"address":"192.0.2.1","datagrams":5,"bytes":1000,
 *         "numbered":1,"lost":0,"missing":0,"duplicated":0}]}],
 *      "replaced":0,
 *      "losers":[{"listener":"udp://...","address":"192.0.2.1","sender":"web1","lost":3,...}]}
 *
 * The busiest come first. `numbered` is the number of senders at that host that number their
 * datagrams; if there are none, it and the three members after it are left out. `replaced` counts
 * senders that were evicted from a table; if it is 0, all counts are since the start.
 */
void sender_report_write(struct sender_report *report, struct output *out);

#endif
