/*
 * What each of the ledger's counters is about, in a line for those who meet it as a metric. Pure;
 * any thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_HELP_H
#define SLUICE_COLLECTOR_METRICS_METRICS_HELP_H

/*
 * `of` is "listener", "sink" or "dead_letters"; `term` stands in one of the ledger's lists. A term
 * that nothing is said of here gets a line that is true of all.
 */
const char *metrics_help(const char *of, const char *term);

#endif
