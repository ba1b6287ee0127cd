#include "collector/output/sink_series.h"

#include <inttypes.h>
#include <stdio.h>

#include "collector/series/series_guard.h"

/* Size in bytes of "; most are from ...; the label with the most values is ...". */
#define GROWTH_TEXT (ADDRESS_TEXT_SIZE + 4 * GROWTH_NAME + 128)

int sink_series_init(struct sink_series *series, const struct series_limits *limits,
                     struct error *error)
{
    if (!series_guard_is_needed(limits))
        return 0;
    series->guard = series_guard_create(limits, error);
    return series->guard == NULL ? -1 : 0;
}

void sink_series_destroy(struct sink_series *series)
{
    series_guard_destroy(series->guard);
}

/*
 * Describes the sender that causes most of the samples, and the label with the most values, if any.
 */
static void describe(const struct growth_sender *sender, const struct growth_label *label,
                     char text[GROWTH_TEXT])
{
    char address[ADDRESS_TEXT_SIZE];
    series_growth_format_sender(&sender->sender, address);
    int size =
        snprintf(text, GROWTH_TEXT, "; most are from %s (%" PRIu64 ")", address, sender->refused);
    if (label != NULL && label->values > 1)
        snprintf(text + size, GROWTH_TEXT - (size_t)size,
                 "; the label with the most values is %s (%" PRIu64 ")", label->name,
                 label->values);
}

static void log_refused(struct sink_series *series, const char *name, uint64_t refused)
{
    struct series_report report;
    char who[GROWTH_TEXT] = "";
    series_guard_read(series->guard, &report);
    const struct growth_report *growth = &report.growth;
    if (growth->sender_count != 0 && growth->senders[0].refused != 0)
        describe(&growth->senders[0], growth->label_count == 0 ? NULL : &growth->labels[0], who);
    log_about(LOG_WARNING, LOG_OF_SINK, name,
              "samples of new series were left out: %" PRIu64 " so far; %" PRIu64 " of %" PRIu64
              " series (max_series=) are known%s; see sluice explain series_refused",
              refused, report.series, report.series_most, who);
}

static void log_out_of_time(struct sink_series *series, const char *name, uint64_t out_of_time,
                            uint64_t replaced)
{
    struct series_report report;
    char who[GROWTH_TEXT] = "";
    series_guard_read(series->guard, &report);
    if (report.growth.late_count != 0)
        describe(&report.growth.late[0], NULL, who);
    if (replaced != 0)
        log_about(LOG_WARNING, LOG_OF_SINK, name,
                  "samples with a time outside max_age= and max_ahead= got their time of arrival: "
                  "%" PRIu64 " so far%s; see sluice explain time_replaced",
                  replaced, who);
    else
        log_about(LOG_WARNING, LOG_OF_SINK, name,
                  "samples with a time outside max_age= and max_ahead= were left out: %" PRIu64
                  " so far%s; see sluice explain out_of_time",
                  out_of_time, who);
}

void sink_series_count(struct sink_series *series, const char *name, struct sink_counters *counters,
                       const struct encoded *encoded)
{
    uint64_t held;
    if (series->guard == NULL)
        return;
    counter_add(&counters->series_refused, encoded->series_refused);
    counter_add(&counters->out_of_time, encoded->out_of_time);
    counter_add(&counters->time_replaced, encoded->time_replaced);
    if (encoded->series_refused != 0 && log_allowed(&series->series_log, &held))
        log_refused(series, name, counter_read(&counters->series_refused));
    if (encoded->out_of_time + encoded->time_replaced != 0 && log_allowed(&series->time_log, &held))
        log_out_of_time(series, name, counter_read(&counters->out_of_time),
                        counter_read(&counters->time_replaced));
}
