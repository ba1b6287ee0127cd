/* The part that measures what each format costs to write. */
#include <math.h>

#include "tools/bench/bench.h"
#include "tools/bench/encoding.h"

static int measure(void *context, const struct workload *workload, struct error *error)
{
    struct bench *bench = context;
    struct encoding_cost costs[ENCODING_MOST];
    int count = encoding_measure(workload, (size_t)bench->settings.rounds, bench_stage_ns(bench),
                                 costs, error);
    for (int i = 0; i < count; i++) {
        const struct encoding_cost *cost = &costs[i];
        const double none = (double)NAN;
        const struct report_cell cells[] = {
            report_word(workload->name),
            report_word(cost->name),
            report_number(cost->able ? cost->nanoseconds : none),
            report_number(cost->able ? cost->lines : none),
            report_number(cost->able ? cost->bytes : none),
        };
        report_row(&bench->report, cells);
    }
    return count < 0 ? -1 : 0;
}

int part_encode(struct bench *bench, struct error *error)
{
    static const struct report_column columns[] = {
        {"workload", "", -36, 0}, {"format", "", -12, 0},   {"ns", "ns", 7, 0},
        {"lines", "lines", 7, 1}, {"bytes", "bytes", 7, 0},
    };
    report_table_begin(&bench->report, "encode", "Encoding: ns a record", columns,
                       sizeof columns / sizeof columns[0]);
    int result = workload_each(bench->settings.captures, bench->settings.capture_count, measure,
                               bench, error);
    report_table_end(&bench->report);
    return result;
}
