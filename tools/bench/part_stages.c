/* The part that measures what the small stages cost. */
#include "tools/bench/bench.h"
#include "tools/bench/stages.h"

int part_stages(struct bench *bench, struct error *error)
{
    static const struct report_column columns[] = {
        {"stage", "", -30, 0},    {"unit", "of a", -14, 0}, {"ns", "ns", 8, 1},
        {"least", "least", 8, 1}, {"most", "most", 8, 1},
    };
    struct stage_cost costs[STAGES_MOST];
    int count = stages_measure(bench->folder, (size_t)bench->settings.rounds, bench_stage_ns(bench),
                               costs, error);
    if (count < 0)
        return -1;
    report_table_begin(&bench->report, "stages", "Stages alone", columns,
                       sizeof columns / sizeof columns[0]);
    for (int i = 0; i < count; i++) {
        const struct report_cell cells[] = {
            report_word(costs[i].name),          report_word(costs[i].unit),
            report_number(costs[i].nanoseconds), report_number(costs[i].least),
            report_number(costs[i].most),
        };
        report_row(&bench->report, cells);
    }
    report_table_end(&bench->report);
    return 0;
}
