/* The part that measures what decoding costs. */
#include "tools/bench/bench.h"
#include "tools/bench/decoding.h"

static void report_cost(struct report *report, const struct workload *workload,
                        const struct decoding_cost *cost)
{
    const double *ns = cost->nanoseconds;
    const struct report_cell cells[] = {
        report_word(workload->name),
        report_number(ns[DECODING_OURS]),
        report_number(ns[DECODING_UNPACK_ARENA]),
        report_number(ns[DECODING_UNPACK_MALLOC]),
        report_number(ns[DECODING_UNPACK_ARENA] / ns[DECODING_OURS]),
        report_number(cost->memory[DECODING_OURS]),
        report_number(cost->memory[DECODING_UNPACK_ARENA]),
        report_number((double)cost->refused[DECODING_OURS]),
        report_number((double)cost->refused[DECODING_UNPACK_ARENA]),
    };
    report_row(report, cells);
}

static int measure(void *context, const struct workload *workload, struct error *error)
{
    struct bench *bench = context;
    struct decoding_cost cost = {0};
    if (decoding_measure(workload, (size_t)bench->settings.rounds, bench_stage_ns(bench), &cost,
                         error) != 0)
        return -1;
    report_cost(&bench->report, workload, &cost);
    return 0;
}

int part_decode(struct bench *bench, struct error *error)
{
    static const struct report_column columns[] = {
        {"workload", "", -36, 0},           {"ours_ns", "ours", 6, 0},
        {"unpack_arena_ns", "arena", 7, 0}, {"unpack_malloc_ns", "malloc", 7, 0},
        {"ratio", "ratio", 6, 2},           {"ours_bytes", "ours B", 7, 0},
        {"unpack_bytes", "arena B", 8, 0},  {"ours_refused", "refused", 8, 0},
        {"unpack_refused", "unpack", 7, 0},
    };
    report_table_begin(&bench->report, "decode",
                       "Decoding: ns a datagram, ours and protobuf-c's unpack", columns,
                       sizeof columns / sizeof columns[0]);
    int result = workload_each(bench->settings.captures, bench->settings.capture_count, measure,
                               bench, error);
    report_table_end(&bench->report);
    return result;
}
