/*
 * Who sends: the busiest senders of each listener and those that lose most, as JSON.
 *
 * Brings together what the receiving threads noted (traffic.h) and what the senders' numbers say
 * (sequence.h). All memory is taken at the creation. Main thread.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SENDER_REPORT_H
#define SLUICE_COLLECTOR_SENDERS_SENDER_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/contract/listener.h"
#include "collector/senders/sequence.h"
#include "collector/senders/traffic.h"
#include "collector/text/output.h"

/* Senders of a listener that are reported, or fewer where there are many listeners; and losers of
 * all.
 */
#define SENDERS_TOLD 64
#define LOSERS_TOLD  32

struct sender_report;

/*
 * For that many tables of traffic, which are added next; the table of senders' numbers keeps them
 * (sequence_keep_senders). All outlive the report. Returns NULL where memory is short.
 */
struct sender_report *sender_report_create(size_t tables, struct sequence_table *sequences);
/* NULL is allowed. */
void sender_report_destroy(struct sender_report *report);

/* Bytes that a report takes. */
size_t sender_report_memory(size_t tables);

/* Room for so many tables more. Returns false, nothing lost, where memory is short. */
bool sender_report_reserve(struct sender_report *report, size_t more);

void sender_report_add_table(struct sender_report *report, const struct traffic_table *table);

/*
 * Adds a listener: in the order of their indexes. One without a name is left out of the report:
 * there was no memory to begin it. Returns false where memory is short.
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
 * The busiest come first. `numbered` says how many senders at that host number their datagrams; it
 * and the three after it are there only where there are such. `replaced` counts senders that were
 * pushed out of a table: where it is 0, all counts are since the start.
 */
void sender_report_write(struct sender_report *report, struct output *out);

#endif
