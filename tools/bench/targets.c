#include "tools/bench/targets.h"

static const struct {
    const char *what;
    double bound;
    bool at_least; /* else at most */
} table[TARGETS] = {
    [TARGET_METRIC1_1000] = {"metric1 at 1k/s, CPU / blocking", 3.0, false},
    [TARGET_METRIC1_5000] = {"metric1 at 5k/s, CPU / blocking", 2.0, false},
    [TARGET_METRIC1_20000] = {"metric1 at 20k/s, CPU / blocking", 1.2, false},
    [TARGET_METRIC1_BLOCKING] = {"metric1 at 100k/s, CPU / blocking", 0.8, false},
    [TARGET_METRIC1_PAUSE] = {"metric1 at 100k/s, CPU / edge+pause", 1.8, false},
    [TARGET_BATCH20_PAUSE] = {"batch20 at 20k/s, CPU / edge+pause", 3.0, false},
    [TARGET_PLAIN_RATE] = {"highest rate without loss / plain sender's", 1.0, true},
    [TARGET_SEGMENTING_RATE] = {"the same, segmenting sender / edge", 0.55, true},
    [TARGET_MEMORY] = {"memory (RSS), MiB", 8, false},
};

void targets_add(struct targets *targets, enum target target, const char *who, struct spread found)
{
    if (targets->count == sizeof targets->items / sizeof targets->items[0])
        return;
    targets->items[targets->count].target = target;
    targets->items[targets->count].who = who;
    targets->items[targets->count++].found = found;
}

bool target_met(enum target target, double value)
{
    return table[target].at_least ? value >= table[target].bound : value <= table[target].bound;
}

static void report_one(const struct targets *targets, size_t index, struct report *report)
{
    enum target target = targets->items[index].target;
    struct spread found = targets->items[index].found;
    const struct report_cell cells[] = {
        report_word(table[target].what),
        report_word(targets->items[index].who),
        report_number(found.median),
        report_number(found.least),
        report_number(found.most),
        report_word(table[target].at_least ? ">=" : "<="),
        report_number(table[target].bound),
        report_word(target_met(target, found.median) ? "met" : "not met"),
    };
    report_row(report, cells);
}

void targets_report(const struct targets *targets, struct report *report)
{
    static const struct report_column columns[] = {
        {"target", "target", -44, 0}, {"who", "of", -10, 0},  {"measured", "measured", 8, 2},
        {"least", "least", 7, 2},     {"most", "most", 7, 2}, {"bound_is", "", 2, 0},
        {"bound", "bound", 6, 2},     {"verdict", "", 0, 0},
    };
    if (targets->count == 0)
        return;
    report_table_begin(report, "targets", "Targets", columns, sizeof columns / sizeof columns[0]);
    for (int target = 0; target < TARGETS; target++)
        for (size_t i = 0; i < targets->count; i++)
            if ((int)targets->items[i].target == target)
                report_one(targets, i, report);
    report_table_end(report);
    report_note(report, "That no datagram costs a call to malloc is what test_flow_memory shows.");
}
